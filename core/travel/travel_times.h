#pragma once
/// \file The same programs on several targets: their times, side by side
/// (handbook/cost-models.md 8).

#include "core/dataset/recorded_data.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// A task that was measured on several targets.
struct TaskTimes {
  DataTask task;
  std::vector<std::size_t> targets;  // that it was measured on: indices into TravelTimes::targets
  std::vector<std::string> programs; // programIds, sorted
  /// Program after program, a time for each of `targets`: seconds; infinity where the program
  /// failed, not a number where it was not measured.
  std::vector<double> seconds;
  std::vector<DataSource> sources; // parallel to `seconds`: a record of each; none: 0
  /// The shortest on each of `targets`, of all programs; infinity where all failed.
  std::vector<double> best;

  /// Of a program, parallel to `targets`.
  std::span<const double> of(std::size_t program) const {
    return {seconds.data() + program * targets.size(), targets.size()};
  }
  /// Its time by the best on that place of `targets`: infinity where it failed, not a number where
  /// it was not measured.
  double slowdown(std::size_t program, std::size_t target) const;
  std::span<const DataSource> sourcesOf(std::size_t program) const {
    return {sources.data() + program * targets.size(), targets.size()};
  }
};

struct TravelTimes {
  std::vector<DataTarget> targets; // by their ids
  std::vector<TaskTimes> tasks;    // by their keys
  std::size_t onOneTarget = 0;     // tasks that were left out, since they are on one target alone
};

/// The programs of a data set by task and target; `targets` says which are wanted, as
/// isTargetMeant() takes them; none: all. O(n log n) in the programs. The set may be of one target,
/// or of targets that have no task in common: see travelProblem().
TravelTimes travelTimes(const RecordedData& data, std::span<const std::string> targets = {});

/// Why there is nothing to compare, and what to do, with the command; empty where there is. `file`
/// is the document that the command is for.
std::string travelProblem(const TravelTimes& times, const std::string& file);

} // namespace nestwright
