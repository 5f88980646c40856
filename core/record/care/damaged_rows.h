#pragma once
/// \file Reading the rows of a table of which parts of the file cannot be read.

#include "core/record/sql/sqlite.h"
#include "core/support/row_id.h"

#include <functional>
#include <string>
#include <vector>

namespace nestwright {

/// Rows that could not be read, by their ids.
struct RowGap {
  RowId first = 0, last = 0; // last 0: to the end of the table
  std::string reason;
};

/// What is wanted of a table.
struct WantedRows {
  std::string table;
  std::vector<std::string> columns;
  std::vector<std::string> key; // of a table without row ids, by which it is ordered; else empty
};

/// Calls `take` with each row that can be read: its id (0 where the table has none), then the
/// columns. Where reading fails it goes on behind the damage: of a table without row ids from its
/// other end, so that a row may come twice. `take` says whether to go on. Returns what was passed
/// over.
std::vector<RowGap> readAroundDamage(sqlite::Database& db, const WantedRows& wanted,
                                     const std::function<bool(const sqlite::Statement&)>& take);

} // namespace nestwright
