#pragma once
/// \file Columns and the struct of their rows, described once: which column holds which member.

#include "core/record/format/columns.h"
#include "core/support/infinity.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace nestwright {

/// A number, a text or a session's status, as it stands in the file.
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

/// Rows that are read from a join, or from sums: each column by its full name.
template <class Row, class... Columns>
class RowColumns {
 public:
  constexpr explicit RowColumns(Columns... columns) : columns_(columns...) {}

  /// All rows; `from` is what follows the columns in a statement: "FROM task JOIN ... WHERE id =
  /// ?", and `values` are its parameters.
  template <class... Values>
  std::vector<Row> all(sqlite::Database& db, std::string_view from, const Values&... values) const {
    std::vector<Row> rows;
    sqlite::Statement found = select(db, from);
    found.bind(values...);
    while (found.step())
      rows.push_back(read(found));
    return rows;
  }
  /// The first one, if any.
  template <class... Values>
  std::optional<Row> one(sqlite::Database& db, std::string_view from,
                         const Values&... values) const {
    sqlite::Statement found = select(db, from);
    if (!found.bind(values...).step()) return std::nullopt;
    return read(found);
  }

 protected:
  template <class Body>
  void forEach(const Body& body) const {
    int i = 0;
    std::apply([&](const Columns&... column) { (body(i++, column), ...); }, columns_);
  }

  std::tuple<Columns...> columns_;

 private:
  sqlite::Statement select(sqlite::Database& db, std::string_view from) const {
    std::string sql = "SELECT ";
    forEach([&](int i, const auto& column) {
      sql += fmt::format("{}{}", i > 0 ? ", " : "", column.name);
    });
    return db.prepare(fmt::format("{} {}", sql, from));
  }
  Row read(const sqlite::Statement& from) const {
    Row row;
    forEach([&](int i, const auto& column) { column.read(from, i, row); });
    return row;
  }
};

template <class Row, class... Columns>
constexpr RowColumns<Row, Columns...> columnsOf(Columns... columns) {
  return RowColumns<Row, Columns...>(columns...);
}

/// The rows of one table, which can be written, too. The first column is the row's `id`.
template <class Row, class... Columns>
class RowLayout : RowColumns<Row, Columns...> {
  using Base = RowColumns<Row, Columns...>;

 public:
  constexpr explicit RowLayout(const char* table, Columns... columns)
      : Base(columns...), table_(table) {}

  /// All rows of the table; `rest` is what follows its name in a statement: "WHERE session = ?
  /// ORDER BY id", and `values` are its parameters.
  template <class... Values>
  std::vector<Row> all(sqlite::Database& db, std::string_view rest, const Values&... values) const {
    return Base::all(db, fmt::format("FROM {} {}", table_, rest), values...);
  }
  /// The first one, if any.
  template <class... Values>
  std::optional<Row> one(sqlite::Database& db, std::string_view rest,
                         const Values&... values) const {
    return Base::one(db, fmt::format("FROM {} {}", table_, rest), values...);
  }
  /// Adds the row under a new id, which is returned.
  RowId insert(sqlite::Database& db, const Row& row) const {
    std::string names, places;
    this->forEach([&](int i, const auto& column) {
      if (i == 0) return;
      names += fmt::format("{}{}", i > 1 ? ", " : "", column.name);
      places += i > 1 ? ", ?" : "?";
    });
    sqlite::Statement statement =
        db.prepare(fmt::format("INSERT INTO {} ({}) VALUES ({})", table_, names, places));
    bind(statement, row);
    statement.run();
    return db.lastInsertId();
  }
  /// Stores all columns of the row with this id.
  void update(sqlite::Database& db, const Row& row) const {
    std::string settings;
    this->forEach([&](int i, const auto& column) {
      if (i > 0) settings += fmt::format("{}{} = ?", i > 1 ? ", " : "", column.name);
    });
    sqlite::Statement statement =
        db.prepare(fmt::format("UPDATE {} SET {} WHERE id = ?", table_, settings));
    bind(statement, row);
    std::get<0>(this->columns_).bind(statement, int(sizeof...(Columns)), row);
    statement.run();
  }

 private:
  /// All but the id, from parameter 1 on.
  void bind(sqlite::Statement& statement, const Row& row) const {
    this->forEach([&](int i, const auto& column) {
      if (i > 0) column.bind(statement, i, row);
    });
  }

  const char* table_;
};

template <class Row, class... Columns>
constexpr RowLayout<Row, Columns...> layoutOf(const char* table, Columns... columns) {
  return RowLayout<Row, Columns...>(table, columns...);
}

} // namespace nestwright
