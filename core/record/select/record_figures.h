#pragma once
/// \file Counting the records that a query asks for, and figures of their times. Each reads at one
/// moment.

#include "core/record/rows/record_query.h"
#include "core/record/rows/record_statistics.h"
#include "core/record/sql/sqlite.h"

#include <vector>

namespace nestwright {

/// See RecordRows::count.
std::int64_t countOf(sqlite::Database& db, const RecordQuery& query);
/// See RecordRows::statistics.
RecordStatistics statisticsOf(sqlite::Database& db, const RecordQuery& query, int bins);
RecordStatistics statisticsOf(sqlite::Database& db, const std::vector<RowId>& records, int bins);

} // namespace nestwright
