#include "tests/fuzz/raw_database.h"

#include "core/support/error.h"

#include <sqlite3.h>

namespace nestwright::fuzz {

namespace {

void bind(sqlite3_stmt* statement, int index, const Cell& cell) {
  const int size = static_cast<int>(cell.bytes.size());
  switch (cell.type) {
  case Cell::Type::Null:
    sqlite3_bind_null(statement, index);
    break;
  case Cell::Type::Integer:
    sqlite3_bind_int64(statement, index, cell.integer);
    break;
  case Cell::Type::Real:
    sqlite3_bind_double(statement, index, cell.real);
    break;
  case Cell::Type::Text:
    sqlite3_bind_text(statement, index, cell.bytes.data(), size, SQLITE_TRANSIENT);
    break;
  case Cell::Type::Blob:
    sqlite3_bind_blob(statement, index, cell.bytes.data(), size, SQLITE_TRANSIENT);
  }
}

Cell read(sqlite3_stmt* statement, int column) {
  Cell cell;
  switch (sqlite3_column_type(statement, column)) {
  case SQLITE_INTEGER:
    return integerCell(sqlite3_column_int64(statement, column));
  case SQLITE_FLOAT:
    cell.type = Cell::Type::Real;
    cell.real = sqlite3_column_double(statement, column);
    return cell;
  case SQLITE_NULL:
    return cell;
  default: {
    const bool isText = sqlite3_column_type(statement, column) == SQLITE_TEXT;
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
    cell.type = isText ? Cell::Type::Text : Cell::Type::Blob;
    if (bytes)
      cell.bytes.assign(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    return cell;
  }
  }
}

} // namespace

Cell textCell(std::string text) {
  Cell cell;
  cell.type = Cell::Type::Text;
  cell.bytes = std::move(text);
  return cell;
}

Cell blobCell(std::string bytes) {
  Cell cell = textCell(std::move(bytes));
  cell.type = Cell::Type::Blob;
  return cell;
}

Cell integerCell(std::int64_t value) {
  Cell cell;
  cell.type = Cell::Type::Integer;
  cell.integer = value;
  return cell;
}

void RawDatabase::Close::operator()(sqlite3* handle) const {
  sqlite3_close(handle);
}

RawDatabase::RawDatabase(const std::filesystem::path& file) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) throw SystemError("SQLite cannot open " + file.string());
  run("PRAGMA synchronous = OFF");
  run("PRAGMA foreign_keys = OFF");
  run("PRAGMA ignore_check_constraints = ON");
}

std::vector<std::vector<Cell>> RawDatabase::rows(const std::string& sql,
                                                 const std::vector<Cell>& values) {
  std::vector<std::vector<Cell>> result;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return {};
  for (std::size_t i = 0; i < values.size(); ++i)
    bind(statement, static_cast<int>(i) + 1, values[i]);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    result.emplace_back();
    for (int column = 0; column < sqlite3_column_count(statement); ++column)
      result.back().push_back(read(statement, column));
  }
  sqlite3_finalize(statement);
  return result;
}

void RawDatabase::run(const std::string& sql, const std::vector<Cell>& values) {
  rows(sql, values);
}

std::vector<std::string> RawDatabase::texts(const std::string& sql) {
  std::vector<std::string> result;
  for (std::vector<Cell>& row : rows(sql))
    result.push_back(std::move(row.front().bytes));
  return result;
}

std::int64_t RawDatabase::count(const std::string& table) {
  const auto found = rows("SELECT count(*) FROM \"" + table + "\"");
  return found.empty() ? 0 : found.front().front().integer;
}

} // namespace nestwright::fuzz
