#include "core/execute/tuning_origin.h"

#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/support/name_table.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

const char* name(TuningOrigin origin) {
  constexpr NameTable<TuningOrigin, 3> kNames = {
      {"fallback", "tuned elsewhere", "tuned on this machine"}};
  return kNames.of(origin);
}

std::vector<TuningOrigin> tuningOrigins(const RecordStore& store,
                                        const std::vector<std::string>& keys,
                                        const std::string& machine) {
  const std::vector<TargetRow> targets = store.targets().all();
  std::vector<TuningOrigin> origins;
  for (const std::string& key : keys) {
    TuningOrigin origin = TuningOrigin::Fallback;
    for (const TargetRow& target : targets) {
      const std::optional<TaskRow> task = store.tasks().find(key, target.id);
      if (!task) continue;
      const TaskSummary summary = store.tasks().summary(task->id);
      if (target.key == machine && summary.bestRecord != 0)
        origin = TuningOrigin::Here;
      else if (target.key != machine && summary.trials > summary.errors)
        origin = std::max(origin, TuningOrigin::Elsewhere);
    }
    origins.push_back(origin);
  }
  return origins;
}

std::optional<double> untunedShare(std::span<const OriginShare> tasks) {
  double all = 0, untuned = 0;
  for (const OriginShare& task : tasks) {
    if (!std::isfinite(task.seconds) || task.seconds <= 0) return std::nullopt;
    all += task.seconds;
    if (task.origin != TuningOrigin::Here) untuned += task.seconds;
  }
  if (all == 0) return std::nullopt;
  return untuned / all;
}

} // namespace nestwright
