#include "core/session/schedule/network_totals.h"

#include "core/support/infinity.h"

#include <cmath>

namespace nestwright {

namespace {

double presentSeconds(double best, double naive) {
  return std::isfinite(best) ? best : naive;
}

} // namespace

double presentSeconds(const TaskProgress& task) {
  return presentSeconds(task.bestSeconds, task.naiveSeconds);
}

void addTask(std::span<NetworkTotals> totals, std::span<const double> weights,
             const CountedTask& task) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    if (task.isDefinition)
      totals[i].naive += weights[i] * (task.naive > 0 ? task.naive : kInfinity);
    if (!task.runs) continue;
    totals[i].best += weights[i] * task.best;
    totals[i].present += weights[i] * presentSeconds(task.best, task.naive);
  }
}

std::vector<NetworkTotals> networkTotals(std::span<const TaskProgress> tasks) {
  std::vector<NetworkTotals> totals;
  const std::vector<bool> counted = countedTasks(tasks);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const TaskProgress& task = tasks[t];
    if (totals.size() < task.weights.size()) totals.resize(task.weights.size());
    // An operator's naive program is that of its own definition.
    addTask(totals, task.weights,
            {task.bestSeconds, task.naiveSeconds, task.definition == 0, counted[t]});
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
