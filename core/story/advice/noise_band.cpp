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

std::vector<TaskBest> bestsOf(const std::vector<TaskEntry>& tasks) {
  const std::vector<bool> counted = countedTasks(tasks);
  std::vector<TaskBest> bests;
  bests.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i)
    bests.push_back(
        {tasks[i].row.id, tasks[i].summary.bestRecord, tasks[i].row.weight, counted[i]});
  return bests;
}

NoiseBands readNoise(const RecordStore& store, const std::vector<TaskBest>& bests) {
  NoiseBands bands;
  std::vector<WeightedPair> all;
  std::size_t wanted = 0; // tasks of the total
  for (const TaskBest& of : bests) {
    wanted += of.counted ? 1 : 0;
    if (of.record == 0) continue;
    const std::optional<Record> best = store.records().one(of.record);
    if (!best || best->result.seconds.empty()) continue;
    const LatencySample sample{best->result.seconds};
    if (of.counted) all.push_back({of.weight, sample, sample});
    bands.tasks[of.task] = bandOf(compareLatencies(sample, sample));
  }
  if (!all.empty() && all.size() == wanted) bands.total = bandOf(compareTotals(all));
  return bands;
}

} // namespace nestwright
