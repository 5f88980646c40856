#pragma once
/// \file What `nestwright query` tells of many records at once.

#include "core/record/query/record_groups.h"
#include "core/record/rows/record_query.h"

#include <string>

namespace nestwright::cli {

/// The groups that the query's records fall into, with counts, best, median and part of errors.
/// `limit`: most groups to print, 0 for all.
void printGroups(const std::string& database, const RecordQuery& query, GroupBy by, int limit,
                 bool json);
/// For each facet the values and how many records choosing each would list.
void printFacets(const std::string& database, const RecordQuery& query, int limit, bool json);
/// All measurements of the record's program for the same task, side by side.
void printTwins(const std::string& database, RowId record, bool json);

/// What a SELECT on the file gives: a table, one JSON document, or with `lines` an object a line as
/// soon as it is read. `limit`: most rows, 0 for all; `seconds`: that it may take, 0 for any.
void printSql(const std::string& database, const std::string& sql, int limit, double seconds,
              bool json, bool lines);

} // namespace nestwright::cli
