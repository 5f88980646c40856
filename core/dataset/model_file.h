#pragma once
/// \file A trained cost model as a file of its own: the model's bytes, and what it was trained on.

#include "core/dataset/data_choice.h"
#include "core/dataset/data_parts.h"
#include "core/model/epoch_result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// How well a model orders the programs of a part of its data, those of its own target: means over
/// the tasks.
struct PartFigures {
  std::size_t tasks = 0, programs = 0;
  double pairwiseAccuracy = 0;
  /// The best label among the 1 and the 5 best predicted, divided by the best label.
  double top1 = 0, top5 = 0;
  friend bool operator==(const PartFigures&, const PartFigures&) = default;
};

/// A machine that a model learned from.
struct ModelTarget {
  std::string id, text;     // as DataTarget has them
  std::size_t programs = 0; // learned from
  /// Of these, how many had a label: the others were masked, or of tasks of which nothing ran.
  /// Nothing in files of earlier versions.
  std::optional<std::size_t> labelled = {};
  friend bool operator==(const ModelTarget&, const ModelTarget&) = default;
};

struct ModelFile {
  std::string model;    // as costModel() takes it
  std::string features; // as featureChoice() takes it
  std::string target;   // id of the machine; of several, one of them
  /// Of its data. Its features are as they were asked for; files of earlier versions have there
  /// what became of them.
  DataChoice choice;
  std::set<std::string> tasks; // definitionHash() of those that it learned from
  LeakCheck leaks;             // between the parts of its data, before it was trained
  std::string bytes;           // CostModel::save()

  // Files of earlier versions say nothing of what follows.
  std::string targetText = {};             // that machine in words
  std::set<std::string> kinds = {};        // kindHash() of the tasks
  std::string product = {};                // who trained it: versionText()
  std::int64_t trained = 0;                // when, in microseconds since 1970 UTC
  double seconds = 0;                      // how long it took
  nlohmann::json options = {};             // as publishedOptions() of core/training has them
  std::string startFrom = {};              // the hash of the file that it went on from
  std::string startFromPath = {};          // where that was, from the root on
  bool fineTune = false;                   // it went on by few, short steps
  std::size_t targetRecords = 0;           // ModelWish::targetRecords of core/training
  std::vector<ModelTarget> targets = {};   // one a head, its own first
  std::string dataHash = {};               // of the programs, their features and labels
  std::size_t programs = 0, validated = 0; // learned from, validated with
  std::vector<EpochResult> curve = {};
  int kept = 0; // the epoch whose network it is; of trees: how many there are
  std::optional<PartFigures> validation = {}, test = {};
};

/// The file's bytes: a line of JSON, then the model's.
std::string modelFileBytes(const ModelFile& file);
/// The inverse. Throws InputError for what is no such file, was cut off or altered, or is of a
/// newer version, naming both (C42).
ModelFile modelFileFrom(std::string_view bytes);
/// Whether these are the bytes of such a file, and not of a model alone.
bool isModelFile(std::string_view bytes);

/// All that the file knows but the model's bytes, for other programs.
nlohmann::json toJson(const ModelFile& file);

/// Reads and writes such a file on disk. Throw what modelFileFrom() throws, with the path in front,
/// and SystemError; what is written is whole or not there.
ModelFile readModelFile(const std::string& path);
void writeModelFile(const std::string& path, const ModelFile& file);

} // namespace nestwright
