#pragma once
/// \file All records that a query asks for, in pages.

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"

#include <vector>

namespace nestwright {

/// Calls `f` with all records that the query asks for, oldest first, a thousand at a time.
template <class F>
void forEachPage(const RecordStore& store, RecordQuery query, const F& f) {
  query.order = RecordQuery::Order::Oldest;
  query.limit = 1000;
  for (bool more = true; more;) {
    const std::vector<Record> page = store.records().page(query);
    f(page);
    more = static_cast<int>(page.size()) == query.limit;
    if (more) query.after = page.back().id;
  }
}

} // namespace nestwright
