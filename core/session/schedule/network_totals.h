#pragma once
/// \file What the tasks' latencies add up to, network by network.

#include "core/session/schedule/task_scheduler.h"

#include <span>
#include <vector>

namespace nestwright {

/// One network's estimated latencies, seconds: sums of weight times latency over its tasks, of the
/// definitions of one operator with the fastest.
struct NetworkTotals {
  double best = 0;  // of the best programs; infinity until every task has one
  double naive = 0; // of the naive programs; infinity until every task was measured
  /// What a build of today would take: a task without a best counts with its naive program, one
  /// of which nothing was measured with nothing.
  double present = 0;
};

/// One task of a network.
struct CountedTask {
  double best = 0, naive = 0; // seconds; infinity and 0 while they are not known
  bool isDefinition = true;   // its operator's own one, whose naive program counts
  bool runs = true;           // it is the fastest definition of its operator
};
/// Adds it to networks that have it so many times.
void addTask(std::span<NetworkTotals> totals, std::span<const double> weights,
             const CountedTask& task);
/// In the order of the tasks' weights.
std::vector<NetworkTotals> networkTotals(std::span<const TaskProgress> tasks);

/// What a task adds to `present`, once.
double presentSeconds(const TaskProgress& task);

/// The objective with its references, and what it is now: see Objective::value.
Objective completeObjective(const Objective& objective, const std::vector<NetworkTotals>& totals);
double presentValue(const Objective& objective, const std::vector<NetworkTotals>& totals);

} // namespace nestwright
