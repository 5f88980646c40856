#include "core/session/schedule/network_totals.h"

#include "core/support/infinity.h"

#include <cmath>

namespace nestwright {

double presentSeconds(const TaskProgress& task) {
  return std::isfinite(task.bestSeconds) ? task.bestSeconds : task.naiveSeconds;
}

std::vector<NetworkTotals> networkTotals(std::span<const TaskProgress> tasks) {
  std::vector<NetworkTotals> totals;
  const std::vector<bool> counted = countedTasks(tasks);
  const std::vector<double> best = operatorSeconds(tasks);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const TaskProgress& task = tasks[t];
    if (totals.size() < task.weights.size()) totals.resize(task.weights.size());
    for (std::size_t i = 0; i < task.weights.size(); ++i) {
      if (task.weights[i] <= 0) continue;
      // An operator's naive program is that of its own definition.
      if (task.definition == 0)
        totals[i].naive +=
            task.weights[i] * (task.naiveSeconds > 0 ? task.naiveSeconds : kInfinity);
      if (!counted[t]) continue;
      totals[i].best += task.weights[i] * best[t];
      totals[i].present += task.weights[i] * presentSeconds(task);
    }
  }
  return totals;
}

Objective completeObjective(const Objective& objective, const std::vector<NetworkTotals>& totals) {
  std::vector<double> references;
  for (const NetworkTotals& network : totals)
    references.push_back(std::isfinite(network.naive) ? network.naive : 0);
  return objective.withReferences(references);
}

double presentValue(const Objective& objective, const std::vector<NetworkTotals>& totals) {
  std::vector<double> latencies;
  for (const NetworkTotals& network : totals)
    latencies.push_back(network.present);
  return completeObjective(objective, totals).value(latencies);
}

} // namespace nestwright
