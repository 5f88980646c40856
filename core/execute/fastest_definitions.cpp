#include "core/execute/fastest_definitions.h"

#include "core/network/zoo/zoo.h"
#include "core/record/query/network_best.h"
#include "core/record/store/choice_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/support/infinity.h"

#include <algorithm>

namespace nestwright {

namespace {

/// Where a task's programs are looked for.
class Records {
 public:
  Records(const RecordStore& store, const Network& network, std::span<const TargetFacts> targets,
          ProgramSource source, bool tf32)
      : store_(store), tf32_(tf32) {
    for (const TargetFacts& target : targets) {
      targets_.push_back(targetRow(store, target));
      if (source == ProgramSource::Kept)
        choices_.push_back(keptChoice(store, network, targets_.back(), tf32));
    }
  }

  /// Of the best programs of all targets together; infinity where one has none.
  double secondsOf(const std::string& key) const {
    double seconds = 0;
    for (const RowId target : targets_) {
      const std::optional<TaskRow> row = target ? store_.tasks().find(key, target) : std::nullopt;
      const NetworkBest best = row ? networkBest(store_, row->id, tf32_) : NetworkBest{};
      seconds += best.record ? best.record->result.latency() : kInfinity;
    }
    return seconds;
  }

  /// A combination was kept with a program of it.
  bool isKept(const std::string& key) const {
    return std::ranges::any_of(choices_, [&](const std::optional<NetworkChoice>& choice) {
      if (!choice) return false;
      const std::optional<TaskRow> row = store_.tasks().find(key, choice->target);
      return row && std::ranges::find(choice->programs, row->id, &NetworkChoice::Program::task) !=
                        choice->programs.end();
    });
  }

 private:
  const RecordStore& store_;
  bool tf32_;
  std::vector<RowId> targets_;
  std::vector<std::optional<NetworkChoice>> choices_;
};

int fastestOf(const Task& task, const Records& records) {
  if (records.isKept(task.key)) return -1;
  int fastest = -1;
  double least = records.secondsOf(task.key);
  for (std::size_t i = 0; i < task.alternatives.size(); ++i) {
    const std::string& key = task.alternatives[i].key;
    if (records.isKept(key)) return static_cast<int>(i);
    const double seconds = records.secondsOf(key);
    if (seconds >= least) continue;
    least = seconds;
    fastest = static_cast<int>(i);
  }
  return fastest;
}

} // namespace

std::vector<int> fastestDefinitions(const Partition& partition, const RecordStore& store,
                                    std::span<const TargetFacts> targets, ProgramSource source,
                                    bool tf32) {
  const Records records(store, partition.network, targets, source, tf32);
  std::vector<int> chosen;
  for (const Task& task : partition.tasks)
    chosen.push_back(task.alternatives.empty() ? -1 : fastestOf(task, records));
  return chosen;
}

Partition fastestPartition(const Network& network, Alternatives which, const RecordStore& store,
                           std::span<const TargetFacts> targets, ProgramSource source, bool tf32) {
  Partition partition = optimisedPartition(network, which);
  const std::vector<int> chosen = fastestDefinitions(partition, store, targets, source, tf32);
  return withAlternatives(std::move(partition), chosen);
}

} // namespace nestwright
