#include "core/story/inherited_bests.h"

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"

namespace nestwright {
namespace {

bool measuredByOthers(const RecordStore& store, RowId session, RowId task) {
  std::int64_t own = 0;
  for (const VerdictCount& count : store.records().verdictCounts(session, task))
    own += count.records;
  return store.tasks().summary(task).trials > own;
}

} // namespace

InheritedBests readInherited(const RecordStore& store, RowId session,
                             const std::vector<RowId>& tasks, std::size_t& from,
                             std::chrono::milliseconds within) {
  const auto until = std::chrono::steady_clock::now() + within;
  InheritedBests result;
  while (from < tasks.size()) {
    const RowId task = tasks[from++];
    if (measuredByOthers(store, session, task)) {
      result.emplace_back(task, std::vector<BestPoint>());
      for (const CurvePoint& best : store.trials().bestHistory(task))
        result.back().second.push_back(
            {best.trial, best.wallSeconds, best.seconds, best.record, true});
    }
    if (std::chrono::steady_clock::now() >= until) break;
  }
  return result;
}

InheritedBests readInherited(const RecordStore& store, RowId session,
                             const std::vector<RowId>& tasks) {
  std::size_t from = 0;
  return readInherited(store, session, tasks, from, std::chrono::hours(24));
}

} // namespace nestwright
