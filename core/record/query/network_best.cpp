#include "core/record/query/network_best.h"

#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"

#include <utility>

namespace nestwright {

const char* name(NetworkRefusal why) {
  constexpr const char* kNames[] = {"", "template", "tf32"};
  return kNames[static_cast<int>(why)];
}

NetworkRefusal networkRefusal(const Record& record, bool tf32) {
  if (isOfTemplate(record)) return NetworkRefusal::Template;
  return !tf32 && isTf32(record) ? NetworkRefusal::Tf32 : NetworkRefusal::None;
}

NetworkBest networkBest(const RecordStore& store, RowId task, bool tf32) {
  NetworkBest found;
  std::optional<Record> best = store.records().best(task);
  if (best) found.why = networkRefusal(*best, tf32);
  if (found.why == NetworkRefusal::None) {
    found.record = std::move(best);
    return found;
  }
  found.passedOver = best->id;
  RecordQuery query;
  query.task = task;
  query.verdict = Verdict::Ok;
  query.order = RecordQuery::Order::Fastest;
  while (true) {
    std::vector<Record> page = store.records().page(query);
    if (page.empty()) return found;
    query.after = page.back().id;
    for (Record& record : page) {
      if (!record.verified || record.implausible || record.contested ||
          networkRefusal(record, tf32) != NetworkRefusal::None)
        continue;
      found.record = std::move(record);
      return found;
    }
  }
}

} // namespace nestwright
