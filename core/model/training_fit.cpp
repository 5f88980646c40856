#include "core/model/training_fit.h"

#include "core/model/metrics.h"
#include "core/support/quantity.h"

#include <algorithm>

namespace nestwright {

void measureFit(const DataSet& set, const std::vector<float>& labels,
                const std::vector<double>& scores, UpdateReport& report) {
  constexpr std::size_t kPeak = 32; // as the reference reports
  const std::vector<double> all(labels.begin(), labels.end());
  report.trainingRmse = rmse(scores, all);
  std::vector<TaskScores> tasks(set.tasks.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    tasks[set.outcomes[i].task].predictions.push_back(scores[i]);
    tasks[set.outcomes[i].task].labels.push_back(all[i]);
  }
  std::erase_if(tasks, [](const TaskScores& task) { return task.labels.empty(); });
  for (const TaskScores& task : tasks)
    report.trainingPeak +=
        averagePeakAt(kPeak, task.predictions, task.labels) / static_cast<double>(tasks.size());
}

std::size_t countUsable(const DataSet& set) {
  return static_cast<std::size_t>(std::ranges::count_if(
      set.outcomes, [](const Outcome& outcome) { return !outcome.failed(); }));
}

std::string whyTooFew(const DataSet& set, std::size_t warmup) {
  const std::size_t usable = countUsable(set);
  if (usable > warmup) return {};
  return fmt::format("{} that ran, learning starts above {}",
                     quantity(std::int64_t(usable), "program"), warmup);
}

} // namespace nestwright
