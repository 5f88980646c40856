#pragma once
/// \file Rows on their way from one `.nwdb` file into another, where they and all rows that they
/// name have other ids. What a column names is read from the tables' definitions, so that a table
/// of a later version needs no word here unless its rows are known again by something else than
/// their key.

#include "core/record/sql/sqlite.h"
#include "core/support/row_id.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// Where the rows of a table are in the other file. Rows that follow one another in both take no
/// room, so that it holds tens of millions of them.
class RowMap {
 public:
  void add(RowId from, RowId to);
  /// 0 when it is not there.
  RowId find(RowId from) const;
  /// Every row has the same id in both.
  bool isIdentity() const;

 private:
  struct Run {
    RowId to = 0;
    std::int64_t rows = 0;
  };
  std::map<RowId, Run> runs_; // by the first row
};

/// Both files, and the rows whose places are known.
struct MergeFiles {
  sqlite::Database& from;
  sqlite::Database& into;
  std::map<std::string, RowMap> rows; // by table
};

/// A column that both files have.
struct MergedColumn {
  std::string name;
  std::string names; // the table whose rows it names; empty when it holds a value
};
/// Those of a table, its own id left out; empty when one of the files lacks the table.
std::vector<MergedColumn> mergedColumns(MergeFiles& files, const std::string& table);
/// "a, b, c".
std::string columnList(const std::vector<MergedColumn>& columns);
/// Binds a column of a row of `from` as it is to stand in `into`: a row that is not there as NULL.
/// False for such a row.
bool bindMerged(MergeFiles& files, sqlite::Statement& insert, int index, const MergedColumn& column,
                const sqlite::Statement& row, int place);

/// All tables of the file but those of SQLite itself.
std::vector<std::string> tablesOf(sqlite::Database& db);
/// The columns of the table's primary key, in order.
std::vector<std::string> primaryKeyOf(sqlite::Database& db, const std::string& table);

/// A row of `from` that has its place.
struct PlacedRow {
  RowId from = 0, into = 0;
  bool isNew = false;
};
/// Finds each row of the table by the columns that identify it, or adds it, and notes where it is.
/// Of equal rows the first one of each file are the same, the second ones, and so on.
std::vector<PlacedRow> placeRows(MergeFiles& files, const std::string& table,
                                 std::span<const char* const> identity);

/// Adds the rows of the table that are not there, those of a range of records if `lastRecord` is
/// not 0. A row that names what is not there is left out, unless that may be missing.
void copyRows(MergeFiles& files, const std::string& table, RowId firstRecord = 0,
              RowId lastRecord = 0);

/// JSON of an event, of a session's settings or state, or of a trace, with the ids that it names
/// changed, 0 for what is not there; any other text as it is.
std::string renumbered(const MergeFiles& files, std::string_view json);

} // namespace nestwright
