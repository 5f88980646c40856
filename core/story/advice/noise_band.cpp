#include "core/story/advice/noise_band.h"

#include "core/execute/latency_comparison.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"

namespace nestwright {
namespace {

NoiseBand bandOf(const LatencyComparison& withItself) {
  return {withItself.low, withItself.high};
}

} // namespace

NoiseBands readNoise(const RecordStore& store, const std::vector<TaskEntry>& tasks) {
  NoiseBands bands;
  std::vector<WeightedPair> all;
  const std::vector<bool> counted = countedTasks(tasks);
  std::size_t wanted = 0; // tasks of the total
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskEntry& task = tasks[i];
    wanted += counted[i] ? 1 : 0;
    if (task.summary.bestRecord == 0) continue;
    const std::optional<Record> best = store.records().one(task.summary.bestRecord);
    if (!best || best->result.seconds.empty()) continue;
    const LatencySample sample{best->result.seconds};
    if (counted[i]) all.push_back({task.row.weight, sample, sample});
    bands.tasks[task.row.id] = bandOf(compareLatencies(sample, sample));
  }
  if (!all.empty() && all.size() == wanted) bands.total = bandOf(compareTotals(all));
  return bands;
}

} // namespace nestwright
