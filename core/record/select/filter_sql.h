#pragma once
/// \file A query's conditions as SQL. Records lie in groups (task, session, verdict) whose sizes
/// the table `tally` knows, so what can be told of a group is asked there, and only the rest of
/// each record.

#include "core/record/rows/record_query.h"
#include "core/record/sql/sqlite.h"

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace nestwright {

/// Conditions joined by AND, each in parentheses, with `?` for the values.
struct SqlCondition {
  std::string sql; // empty: always true
  std::vector<std::variant<std::int64_t, double, std::string>> values;

  void add(std::string_view text);
  /// "WHERE <sql>" or nothing.
  std::string where() const { return sql.empty() ? "" : " WHERE " + sql; }
  /// " AND <sql>" or nothing.
  std::string also() const { return sql.empty() ? "" : " AND " + sql; }
  /// Binds the values from parameter `first` on; returns the number after the last.
  int bind(sqlite::Statement& statement, int first = 1) const;
};

struct QuerySql {
  SqlCondition group;  // on task, session, verdict: of `tally` or of `record`
  SqlCondition record; // on the other columns of `record`
  /// Bounds of the time that follow from `record`, for the index by speed.
  double above = -std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
  /// Bounds of the throughput in GFLOP/s, which with a task's operations are some of its time.
  double gflopsAbove = -std::numeric_limits<double>::infinity();
  double gflopsBelow = std::numeric_limits<double>::infinity();
  std::optional<FilterValue> throughput{}; // the one condition of it, where there is just one
  bool ofTask = false;    // `record` asks for the throughput: for the task's row beside the time
  bool timed = false;     // only records with a time match
  bool onlyTimed = false; // and `record` says nothing but that, the bounds and the throughput
  bool plain = true;      // `record` says nothing but bounds of the time, throughput and the id
  bool few = false;       // `record` names them, by tag or by numbers
};
/// What conditions can rely on in a file at this moment. Indexes are no matter of course: a file
/// that was made elsewhere may lack them.
struct FileFacts {
  bool programs = false; // it has the index by program
  bool flags = false;    // and that by flags
  bool imported = false; // and imported records
  /// Kinds of steps that no shape of the file has, or every one.
  std::set<int> absentSteps, commonSteps;
  /// Marks are those of another moment: the tables of kOtherForgotten and kOtherBest tell which
  /// records had the other one.
  bool otherMarks = false;
  bool bestsOfImport = false; // the session whose bests are asked for is an import
};
/// Whether the field is alike in all records of a group, whatever the file.
bool isOfGroup(FilterField field);

/// The session that `is:best` is about: that of the query, or the one that a condition of its
/// filter names by its number alone; 0: the whole file.
RowId sessionOfBests(const RecordQuery& query);

QuerySql toSql(const RecordQuery& query, const FileFacts& facts);

/// Temporary tables of record ids; see OtherMarks.
inline constexpr const char* kOtherForgotten = "temp.other_forgotten";
inline constexpr const char* kOtherBest = "temp.other_best";

/// Whether a row of `session` is an import.
inline constexpr const char* kIsImport =
    "json_valid(config) AND json_type(config, '$.import') IS NOT NULL";

/// An SQL function of the record's id, task and shape: the program of an imported one, in hex.
inline constexpr const char* kImportedProgram = "imported_program";

/// The text as a pattern of LIKE … ESCAPE '\'; one that begins with = is the whole as it stands.
std::string likePattern(std::string_view text);

} // namespace nestwright
