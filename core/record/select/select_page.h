#pragma once
/// \file One page of the records that a query asks for, in an order.

#include "core/record/rows/record_query.h"
#include "core/record/select/filter_sql.h"
#include "core/record/select/record_place.h"
#include "core/record/sql/sqlite.h"

#include <vector>

namespace nestwright {

struct BrowseQuery {
  RecordQuery records; // which; its order, `after` and limit say nothing here
  BrowseOrder order = BrowseOrder::Newest;
  RowId after = 0;        // the page after this record; 0: the first
  bool backwards = false; // instead the last ones before `after`, or of all; in the same order
  int limit = 100;
};

/// The records of one page, by the query's conditions.
std::vector<RowId> selectPage(sqlite::Database& db, const BrowseQuery& browse, const QuerySql& sql);

} // namespace nestwright
