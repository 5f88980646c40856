#pragma once
/// \file A table and the struct of its rows, described once: which column holds which member.

#include "core/record/format/columns.h"
#include "core/support/infinity.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace nestwright {

template <class Row, class Value>
struct Column {
  const char* name;
  Value Row::*member;

  void bind(sqlite::Statement& statement, int index, const Row& row) const {
    if constexpr (std::is_same_v<Value, SessionStatus>)
      statement.bindAt(index, nestwright::name(row.*member));
    else
      statement.bindAt(index, row.*member);
  }
  void read(const sqlite::Statement& from, int index, Row& row) const {
    if constexpr (std::is_same_v<Value, SessionStatus>)
      row.*member = readStatus(from, index);
    else if constexpr (std::is_same_v<Value, std::string>)
      row.*member = from.text(index);
    else if constexpr (std::is_floating_point_v<Value>)
      row.*member = from.real(index);
    else
      row.*member = static_cast<Value>(from.integer(index));
  }
};
template <class Row, class Value>
Column(const char*, Value Row::*) -> Column<Row, Value>;

/// An id that may be 0, for none, which is NULL in the file.
template <class Row>
struct ReferenceColumn {
  const char* name;
  RowId Row::*member;

  void bind(sqlite::Statement& statement, int index, const Row& row) const {
    bindReference(statement, index, row.*member);
  }
  void read(const sqlite::Statement& from, int index, Row& row) const {
    row.*member = from.integer(index);
  }
};
template <class Row>
ReferenceColumn(const char*, RowId Row::*) -> ReferenceColumn<Row>;

/// Seconds, infinity where there are none, which is NULL in the file.
template <class Row>
struct SecondsColumn {
  const char* name;
  double Row::*member;

  void read(const sqlite::Statement& from, int index, Row& row) const {
    row.*member = from.isNull(index) ? kInfinity : from.real(index);
  }
};
template <class Row>
SecondsColumn(const char*, double Row::*) -> SecondsColumn<Row>;

/// The first column is the row's id. `rest` is what follows the columns in a statement: "FROM mark
/// WHERE session = ? ORDER BY id".
template <class Row, class... Columns>
class RowTable {
 public:
  constexpr explicit RowTable(const char* name, Columns... columns)
      : name_(name), columns_(columns...) {}

  template <class... Values>
  std::vector<Row> all(sqlite::Database& db, std::string_view rest, const Values&... values) const {
    std::vector<Row> rows;
    sqlite::Statement found = select(db, rest);
    found.bind(values...);
    while (found.step())
      rows.push_back(read(found));
    return rows;
  }
  /// The first one, if any.
  template <class... Values>
  std::optional<Row> one(sqlite::Database& db, std::string_view rest,
                         const Values&... values) const {
    sqlite::Statement found = select(db, rest);
    if (!found.bind(values...).step()) return std::nullopt;
    return read(found);
  }
  /// Adds the row under a new id, which is returned.
  RowId insert(sqlite::Database& db, const Row& row) const {
    std::string names, places;
    forEach([&](int i, const auto& column) {
      if (i == 0) return;
      names += fmt::format("{}{}", i > 1 ? ", " : "", column.name);
      places += i > 1 ? ", ?" : "?";
    });
    sqlite::Statement statement =
        db.prepare(fmt::format("INSERT INTO {} ({}) VALUES ({})", name_, names, places));
    bind(statement, row);
    statement.run();
    return db.lastInsertId();
  }
  /// Stores all columns of the row with this id.
  void update(sqlite::Database& db, const Row& row) const {
    std::string settings;
    forEach([&](int i, const auto& column) {
      if (i > 0) settings += fmt::format("{}{} = ?", i > 1 ? ", " : "", column.name);
    });
    sqlite::Statement statement =
        db.prepare(fmt::format("UPDATE {} SET {} WHERE id = ?", name_, settings));
    bind(statement, row);
    std::get<0>(columns_).bind(statement, int(sizeof...(Columns)), row);
    statement.run();
  }

 private:
  template <class Body>
  void forEach(const Body& body) const {
    int i = 0;
    std::apply([&](const Columns&... column) { (body(i++, column), ...); }, columns_);
  }
  sqlite::Statement select(sqlite::Database& db, std::string_view rest) const {
    std::string sql = "SELECT ";
    forEach([&](int i, const auto& column) {
      sql += fmt::format("{}{}", i > 0 ? ", " : "", column.name);
    });
    return db.prepare(fmt::format("{} {}", sql, rest));
  }
  Row read(const sqlite::Statement& from) const {
    Row row;
    forEach([&](int i, const auto& column) { column.read(from, i, row); });
    return row;
  }
  /// All but the id, from parameter 1 on.
  void bind(sqlite::Statement& statement, const Row& row) const {
    forEach([&](int i, const auto& column) {
      if (i > 0) column.bind(statement, i, row);
    });
  }

  const char* name_;
  std::tuple<Columns...> columns_;
};

template <class Row, class... Columns>
constexpr RowTable<Row, Columns...> tableOf(const char* name, Columns... columns) {
  return RowTable<Row, Columns...>(name, columns...);
}

} // namespace nestwright
