#include "core/record/query/network_best.h"

#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"

#include <utility>

namespace nestwright {

NetworkBest networkBest(const RecordStore& store, RowId task) {
  NetworkBest found;
  std::optional<Record> best = store.records().best(task);
  if (!best || !isOfTemplate(*best)) {
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
      if (!record.verified || record.implausible || record.contested || isOfTemplate(record))
        continue;
      found.record = std::move(record);
      return found;
    }
  }
}

} // namespace nestwright
