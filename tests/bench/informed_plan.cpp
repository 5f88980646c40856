#include "tests/bench/informed_plan.h"

#include <queue>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::bench {

namespace {

struct Plannable {
  std::vector<double> seconds; // ascending
  std::size_t failures = 0;
  double weight = 0;
  std::int64_t trials = 1;

  double total(std::int64_t after) const { return weight * expectedBest(seconds, failures, after); }
  double nextGain() const { return total(trials) - total(trials + 1); }
};

std::vector<Plannable> plannable(const std::vector<RecordedTask>& tasks) {
  std::vector<Plannable> result;
  for (const RecordedTask& task : tasks) {
    Plannable plan;
    for (const double seconds : task.seconds)
      if (std::isfinite(seconds)) plan.seconds.push_back(seconds);
    if (plan.seconds.empty()) continue;
    std::ranges::sort(plan.seconds);
    plan.failures = task.seconds.size() - plan.seconds.size();
    plan.weight = std::accumulate(task.start.weights.begin(), task.start.weights.end(), 0.0);
    result.push_back(std::move(plan));
  }
  return result;
}

} // namespace

double expectedBest(const std::vector<double>& seconds, std::size_t failures, std::int64_t trials) {
  if (seconds.empty()) return std::numeric_limits<double>::infinity();
  // A failed trial counts as the slowest valid one, so that the expectation stays finite.
  const auto count = static_cast<double>(seconds.size() + failures);
  double expected = 0, notYet = 1; // chance that no trial was at least as fast as the last one
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double left = (count - static_cast<double>(i + 1)) / count;
    const double after = i + 1 == seconds.size() ? 0 : std::pow(left, static_cast<double>(trials));
    expected += (notYet - after) * seconds[i];
    notYet = after;
  }
  return expected;
}

InformedPlan informedPlan(const std::vector<RecordedTask>& recorded,
                          std::int64_t roundRobinTrials) {
  std::vector<Plannable> tasks = plannable(recorded);
  InformedPlan result;
  if (tasks.empty()) return result;
  const std::int64_t each =
      std::max<std::int64_t>(1, roundRobinTrials / static_cast<std::int64_t>(tasks.size()));
  result.roundRobinTrials = each * static_cast<std::int64_t>(tasks.size());
  result.trials = static_cast<std::int64_t>(tasks.size());
  double total = 0;
  std::priority_queue<std::pair<double, std::size_t>> gains;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    result.seconds += tasks[i].total(each);
    total += tasks[i].total(1);
    gains.emplace(tasks[i].nextGain(), i);
  }
  while (total > result.seconds && result.trials < result.roundRobinTrials) {
    const auto [gain, index] = gains.top();
    gains.pop();
    total -= gain;
    ++tasks[index].trials;
    ++result.trials;
    gains.emplace(tasks[index].nextGain(), index);
  }
  return result;
}

} // namespace nestwright::bench
