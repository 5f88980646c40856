#pragma once
/// \file A whole selection, read page by page.

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"

#include <vector>

namespace nestwright {

/// Ids in the query's order. Gives up after `most`, when pages repeat.
inline std::vector<RowId> paged(const RecordStore& store, RecordQuery query, std::size_t most) {
  std::vector<RowId> ids;
  for (;;) {
    const std::vector<Record> page = store.records().page(query);
    for (const Record& record : page)
      ids.push_back(record.id);
    if (int(page.size()) < query.limit || ids.size() > most) return ids;
    query.after = page.back().id;
  }
}

} // namespace nestwright
