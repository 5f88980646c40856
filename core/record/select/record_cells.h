#pragma once
/// \file Records by task, session and verdict: what the table `tally` counts and the indexes hold
/// side by side. Whatever is asked of many records is asked cell by cell.

#include "core/record/select/filter_sql.h"
#include "core/record/sql/sqlite.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct RecordCell {
  RowId task = 0, session = 0;
  int verdict = 0; // its code, so forgotten ones are apart
  std::int64_t records = 0;
  RowId first = 0, last = 0; // no id lies outside
  bool isGood() const;       // its records have a time
};

/// The cells with records that the condition, on task, session and verdict, allows; from the
/// maintained sums.
std::vector<RecordCell> cellsOf(sqlite::Database& db, const SqlCondition& condition);
/// Adds so many records (or takes them away when it is less than 0) to the cell's sums.
void addToTally(sqlite::Database& db, const RecordCell& cell, double kernelSeconds);
/// Reads `what` of the cell's records that match; `also` is one more condition on them.
sqlite::Statement recordsOf(sqlite::Database& db, const QuerySql& sql, const RecordCell& cell,
                            const std::string& what, const std::string& also = {});
SqlCondition joined(const SqlCondition& a, const SqlCondition& b);

/// The query's conditions; fills temporary tables when they need them, so to be called outside of a
/// snapshot, which would undo that.
QuerySql conditionsOf(sqlite::Database& db, const RecordQuery& query);

/// Whether the file has the index at this moment; see schema.cpp.
bool hasIndex(sqlite::Database& db, std::string_view name);
inline constexpr const char* kProgramIndex = "record_by_program";
inline constexpr const char* kFlagIndex = "record_by_flags";

} // namespace nestwright
