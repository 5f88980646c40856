#include "core/record/file/schema_check.h"

#include "core/record/file/schema.h"
#include "core/support/error.h"
#include "core/support/first_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr std::size_t kMostNamed = 5;
constexpr std::size_t kLongestName = 60;

struct SchemaObject {
  std::string type, table, sql; // sql: normalised; empty for what SQLite makes by itself
};

struct Schema {
  std::map<std::string, SchemaObject> objects;          // by name
  std::map<std::string, std::set<std::string>> columns; // of the tables, by name
};

bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool isWord(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The statement without comments, with blanks only where two words would run into one: comments
/// have changed over time, and SQLite itself moves blanks when it alters a table.
std::string normalised(std::string_view sql) {
  std::string text;
  bool gap = false;
  const auto add = [&](std::string_view piece) {
    if (gap && !text.empty() && isWord(text.back()) && isWord(piece.front())) text += ' ';
    gap = false;
    text += piece;
  };
  for (std::size_t i = 0; i < sql.size();) {
    const char c = sql[i];
    std::size_t end = i + 1;
    if (sql.substr(i, 2) == "--") {
      end = std::min(sql.find('\n', i), sql.size());
      gap = true;
    } else if (sql.substr(i, 2) == "/*") {
      end = sql.find("*/", i + 2);
      end = end == std::string_view::npos ? sql.size() : end + 2;
      gap = true;
    } else if (isSpace(c)) {
      gap = true;
    } else if (c == '\'' || c == '"' || c == '`' || c == '[') {
      const std::size_t close = sql.find(c == '[' ? ']' : c, i + 1);
      end = close == std::string_view::npos ? sql.size() : close + 1;
      add(sql.substr(i, end - i));
    } else {
      add(sql.substr(i, 1));
    }
    i = end;
  }
  return text;
}

/// Columns that are stored; generated and hidden ones are computed by whatever the file says.
std::set<std::string> storedColumns(Database& database, const std::string& table) {
  std::set<std::string> columns;
  Statement rows = database.prepare("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0");
  rows.bind(table);
  while (rows.step())
    columns.insert(rows.text(0));
  return columns;
}

std::map<std::string, SchemaObject> objectsOf(Database& database) {
  std::map<std::string, SchemaObject> objects;
  Statement rows =
      database.prepare("SELECT name, type, tbl_name, ifnull(sql, '') FROM main.sqlite_schema");
  while (rows.step())
    objects[rows.text(0)] = {rows.text(1), rows.text(2), normalised(rows.view(3))};
  return objects;
}

/// Ours, as the migrations up to this version make it.
const Schema& ourSchema(int version) {
  static std::mutex mutex;
  static std::map<int, Schema> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(version); found != known.end()) return found->second;
  Database database(":memory:", sqlite::Access::Create);
  migrate(database, migrations().first(std::size_t(version)));
  Schema schema{objectsOf(database), {}};
  for (const auto& [name, object] : schema.objects)
    if (object.type == "table") schema.columns[name] = storedColumns(database, name);
  return known.emplace(version, std::move(schema)).first->second;
}

/// What SQLite keeps for itself: indexes of UNIQUE constraints, and figures that ANALYZE leaves.
bool isOfSqlite(const std::string& name, const SchemaObject& object, const Schema& ours) {
  if (object.type == "index" && object.sql.empty() && name.starts_with("sqlite_autoindex_"))
    return ours.objects.contains(object.table);
  return object.type == "table" && (name == "sqlite_stat1" || name == "sqlite_stat4");
}

/// A name from the file, as a message can take it.
std::string shown(const std::string& name) {
  std::string text;
  for (const char c : name.substr(0, kLongestName))
    text += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  return text + (name.size() > kLongestName ? "…" : "");
}

bool isVirtual(const SchemaObject& object) {
  return !object.sql.starts_with("CREATE TABLE");
}

/// The tables that reading needs, as tables, with their columns.
std::vector<std::string> unreadableTables(Database& database, const Schema& ours,
                                          const std::map<std::string, SchemaObject>& objects) {
  std::vector<std::string> unreadable;
  for (const auto& [table, columns] : ours.columns) {
    if (table == "generation") continue; // only writing needs it
    const auto found = objects.find(table);
    if (found == objects.end()) {
      unreadable.push_back(fmt::format("the table '{}' is missing", table));
      continue;
    }
    const SchemaObject& object = found->second;
    if (object.type != "table" || isVirtual(object)) {
      unreadable.push_back(fmt::format(
          "'{}' is {}", table, object.type == "table" ? "a virtual table" : "a " + object.type));
      continue;
    }
    const std::set<std::string> there = storedColumns(database, table);
    for (const std::string& column : columns)
      if (!there.contains(column))
        unreadable.push_back(fmt::format("'{}' has no stored column '{}'", table, column));
  }
  return unreadable;
}

std::vector<std::string> foreignObjects(const Schema& ours,
                                        const std::map<std::string, SchemaObject>& objects) {
  std::vector<std::string> foreign;
  for (const auto& [name, object] : objects) {
    if (isOfSqlite(name, object, ours)) continue;
    const auto known = ours.objects.find(name);
    if (known == ours.objects.end())
      foreign.push_back(fmt::format("the {} '{}'", shown(object.type), shown(name)));
    else if (known->second.type != object.type || known->second.table != object.table ||
             known->second.sql != object.sql)
      foreign.push_back(fmt::format("the changed {} '{}'", shown(object.type), shown(name)));
  }
  return foreign;
}

} // namespace

SchemaDifference schemaDifference(Database& database) {
  const auto version = int(database.integer("PRAGMA main.user_version"));
  const Schema& ours = ourSchema(std::min(version, schemaVersion()));
  const std::map<std::string, SchemaObject> objects = objectsOf(database);
  return {version > schemaVersion() ? std::vector<std::string>() : foreignObjects(ours, objects),
          unreadableTables(database, ours, objects)};
}

bool isOfBeforeTheRelease(Database& database) {
  // Their events, as they were made first; in ours the place follows the time.
  constexpr std::string_view kEvents =
      "CREATE TABLE event(id INTEGER PRIMARY KEY,session INTEGER NOT NULL REFERENCES session,"
      "at INTEGER NOT NULL,kind INTEGER NOT NULL REFERENCES event_kind,json ANY NOT NULL";
  Statement table = database.prepare(
      "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = 'event'");
  return table.step() && normalised(table.view(0)).starts_with(kEvents);
}

std::string readOnlyReason(Database& database) {
  const std::int64_t version = database.integer("PRAGMA main.user_version");
  if (version > schemaVersion())
    return fmt::format("{}: the file has version {}, and this program knows versions up to {}: it "
                       "can be read here, and written with a newer Nestwright",
                       database.path(), version, schemaVersion());
  const SchemaDifference difference = schemaDifference(database);
  if (difference.foreign.empty()) return {};
  return fmt::format("{}: {} {} not part of a Nestwright file, so it is only read, without {}; "
                     "`nestwright db merge --output own.nwdb {}` takes its records over",
                     database.path(), firstNames(difference.foreign, kMostNamed),
                     difference.foreign.size() == 1 ? "is" : "are",
                     difference.foreign.size() == 1 ? "it" : "them", database.path());
}

} // namespace nestwright
