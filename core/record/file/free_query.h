#pragma once
/// \file SQL that people write about a record file: read only, one statement, with a limit of time.

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace nestwright {

/// Nothing, an integer, a number or a text; bytes are told as text: "x'0f3a'" or "<1200 bytes>".
using SqlCell = std::variant<std::monostate, std::int64_t, double, std::string>;
/// As it is written for people and in CSV; nothing is an empty text.
std::string textOf(const SqlCell& cell);

struct FreeQueryOptions {
  double seconds = 10;        // it may take, rows being read included; 0: no limit
  std::function<bool()> goOn; // asked many times a second; may be empty
};

/// What the statement gives.
struct FreeQuery {
  std::vector<std::string> columns;
  std::int64_t rows = 0; // given to the caller
  bool complete = true;  // false when the caller wanted no more
};

/// Runs one SELECT on the file and gives its rows to `row` until that says no; `columns` gets the
/// names first. The connection cannot write: neither the file, nor another. Throws UsageError for
/// SQL that cannot be run, with SQLite's reason and place, and for one that takes too long;
/// QueryStopped when `goOn` says no.
FreeQuery runFreeQuery(const std::string& path, const std::string& sql,
                       const FreeQueryOptions& options,
                       const std::function<void(const std::vector<std::string>&)>& columns,
                       const std::function<bool(const std::vector<SqlCell>&)>& row);

/// A table or view that can be asked.
struct FreeTable {
  std::string name, meaning; // the meaning is empty for tables of the inside
  std::vector<std::string> columns;
};
/// The view `records`, which says everything in words and usual units, comes first.
std::vector<FreeTable> freeTables(const std::string& path);

/// Statements to begin with.
struct FreeExample {
  const char* title;
  const char* sql;
};
const std::vector<FreeExample>& freeExamples();

} // namespace nestwright
