#pragma once
/// \file Choosing programs of a data set: parts to train on and to test with, and a smaller set
/// that still says what matters. All answers are indices into the set, ascending.

#include "core/model/data_set.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nestwright {

struct Split {
  std::vector<std::size_t> train, test;
};

/// The given share of each task's programs is held out, drawn at random: how well does the model
/// know tasks that it has seen? Every task with at least two programs keeps one on each side.
Split splitWithinTasks(const DataSet& set, double testShare, std::uint64_t seed);

/// Whole tasks are held out until they hold the given share of the programs: how well does the
/// model carry over to new tasks?
Split splitByTask(const DataSet& set, double testShare, std::uint64_t seed);

/// The tasks that `isTest` picks by their key are held out, such as those of one network.
Split splitByTask(const DataSet& set, const std::function<bool(const std::string& task)>& isTest);

/// What thinning keeps.
struct ThinOptions {
  std::size_t maxRows = 16384; // feature rows in all
  std::size_t newest = 128;    // programs that are kept for being new, if they did not fail
};

/// The programs to learn from when there are more than a round has time for (C13): no failed ones,
/// the newest, and of each task, which all get the same room, half of it the fastest and half
/// spread evenly over the ranks of the others. A pure function of the set.
std::vector<std::size_t> thin(const DataSet& set, const ThinOptions& options);

} // namespace nestwright
