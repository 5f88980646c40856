#pragma once
/// \file How alike two targets order the programs of a task: Kendall's tau-b of the two orders, a
/// task at a time and over all of them.

#include "core/model/evaluation.h"
#include "core/travel/travel_times.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace nestwright {

/// Two targets of a task.
struct TargetPair {
  std::size_t a = 0, b = 0;    // indices into TravelTimes::targets, a < b
  std::size_t shared = 0;      // programs that ran on both
  std::size_t failedOnOne = 0; // that ran on one of the two, and failed on the other
  /// Of the times of the shared ones; nothing where fewer than two are, or one side is constant.
  std::optional<double> rankCorrelation;
};

/// Every two targets of the task, in their order. O(p² n log n) for p targets and n programs.
std::vector<TargetPair> targetPairs(const TaskTimes& task);

/// Two targets over all tasks that both have.
struct PooledPair {
  std::size_t a = 0, b = 0;
  std::size_t tasks = 0;       // that count: those with enough shared programs
  std::size_t tooFew = 0;      // tasks that do not
  std::size_t shared = 0;      // programs of those that count
  std::size_t failedOnOne = 0; // of all tasks
  /// Mean over the tasks that count, with the bootstrap over them; not a number without any, the
  /// bounds also of a single one.
  BoundedFigure rankCorrelation;
};

/// Every two of the targets. `tasks` are the pairs of each task; one counts where it has at least
/// `leastShared` shared programs and a rank correlation.
std::vector<PooledPair> pooledPairs(std::size_t targets,
                                    const std::vector<std::vector<TargetPair>>& tasks,
                                    std::size_t leastShared, const BootstrapOptions& options);

} // namespace nestwright
