#pragma once
/// \file A data set for people who look at it before they train: what is in it, how it is split,
/// and why it cannot be used, where it cannot.

#include "core/dataset/data_survey.h"

#include <functional>
#include <string>
#include <vector>

namespace nestwright {

/// How the programs of a task on a target, or of all tasks of a network, are split.
struct DataShare {
  std::string name;   // of the task or network
  std::string target; // id, of a task of a set of several targets
  std::size_t tasks = 0;
  std::size_t train = 0, validation = 0, test = 0;
  std::size_t leftOut = 0; // in no part: too few, all failed, or not drawn
  std::size_t failed = 0;  // of all of them
  bool heldOut = false;
  std::size_t programs() const { return train + validation + test + leftOut; }
  friend bool operator==(const DataShare&, const DataShare&) = default;
};

/// A target that the files have records of.
struct KnownTarget {
  std::string id, text;
  friend bool operator==(const KnownTarget&, const KnownTarget&) = default;
};

struct DataStory {
  DataChoice choice;
  /// What there is to choose from, whether or not the choice can be read: targets, and names of
  /// networks and of sets of them.
  std::vector<KnownTarget> knownTargets;
  std::vector<std::string> knownNetworks;

  /// Why nothing could be read; then all that follows is empty.
  std::string unreadable;
  /// Why it cannot be trained on; empty when it can.
  std::string problem;
  DataSurvey survey;
  DataIntake intake;
  std::vector<DataTarget> targets;
  std::size_t allFailed = 0, tooFew = 0, notDrawn = 0; // tasks, as in DataParts
  LeakCheck leaks;
  /// By the networks that sessions of the files tune and those that are held out; a task of
  /// several counts in each.
  std::vector<DataShare> networks;
  std::vector<DataShare> tasks;
};

/// Reads it without rows of features. `check` is called now and then; what it throws ends the
/// reading. InputError and UsageError of the choice and its files are told in the story.
DataStory readDataStory(const DataChoice& choice, const std::function<void()>& check = {});

} // namespace nestwright
