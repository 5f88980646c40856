#include "core/record/care/merge_rows.h"

#include "core/support/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

using nlohmann::json;
using sqlite::Database;
using sqlite::Statement;

std::vector<std::string> columnsOf(Database& db, const std::string& table) {
  std::vector<std::string> names;
  Statement rows = db.prepare("SELECT name FROM pragma_table_info(?)");
  rows.bind(table);
  while (rows.step())
    names.push_back(rows.text(0));
  return names;
}

/// The table whose rows a column names; through a key of several columns, what its column names.
std::string namedTable(Database& db, const std::string& table, const std::string& column) {
  Statement keys =
      db.prepare("SELECT \"table\", \"to\" FROM pragma_foreign_key_list(?) WHERE \"from\" = ?");
  keys.bind(table, column);
  if (!keys.step()) return {};
  std::string target = keys.text(0);
  const std::string to = keys.text(1);
  Statement own =
      db.prepare("SELECT name, (SELECT count(*) FROM pragma_table_info(?1) WHERE pk > 0)"
                 " FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk");
  own.bind(target);
  // A reference to the whole primary key of a table with ids.
  if (own.step() && own.integer(1) == 1 && (to.empty() || to == own.view(0))) return target;
  if (!to.empty()) return namedTable(db, target, to);
  // The columns of the key are not written out: they stand in the same order on both sides.
  Statement place = db.prepare("SELECT seq FROM pragma_foreign_key_list(?) WHERE \"from\" = ?");
  place.bind(table, column);
  if (!place.step()) return {};
  Statement key = db.prepare("SELECT name FROM pragma_table_info(?) WHERE pk = ?");
  key.bind(target, place.integer(0) + 1);
  return key.step() ? namedTable(db, target, key.text(0)) : std::string();
}

bool hasOwnId(Database& db, const std::string& table) {
  Statement id = db.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = 'id' AND pk = 1");
  return id.bind(table).step();
}

bool mayBeNull(Database& db, const std::string& table, const std::string& column) {
  Statement row = db.prepare(
      "SELECT 1 FROM pragma_table_info(?) WHERE name = ? AND \"notnull\" = 0 AND pk = 0");
  return row.bind(table, column).step();
}

std::string marks(std::size_t count) {
  return fmt::format("{}", fmt::join(std::vector<const char*>(count, "?"), ", "));
}

/// Of a trace: the record that its program comes from.
constexpr const char* kSourceOfTrace = "source";

void renumber(const MergeFiles& files, json& value);

/// Whether the member of our JSON, a text, may be JSON of ours itself.
bool isJsonText(const std::string& member) {
  static const std::set<std::string> kTexts = {"chosen", "proposal", "config", "before"};
  return kTexts.contains(member);
}

/// The rows that these members of our JSON name.
const RowMap* namedBy(const MergeFiles& files, const std::string& member) {
  static const std::map<std::string, std::string> kMembers = {
      {"task", "task"},          {"similar_task", "task"},      {"record", "record"},
      {"original", "record"},    {"records", "record"},         {"round_ends", "record"},
      {"incumbent", "record"},   {"polished_record", "record"}, {"wrong", "record"},
      {kSourceOfTrace, "record"}};
  const auto member_ = kMembers.find(member);
  if (member_ == kMembers.end()) return nullptr;
  const auto rows = files.rows.find(member_->second);
  return rows == files.rows.end() ? nullptr : &rows->second;
}

void renumberMember(const MergeFiles& files, const RowMap& rows, json& value) {
  if (value.is_number_integer()) {
    value = rows.find(value.get<RowId>());
  } else if (value.is_array()) {
    for (json& item : value)
      renumberMember(files, rows, item);
  } else {
    renumber(files, value);
  }
}

void renumber(const MergeFiles& files, json& value) {
  if (value.is_object()) {
    for (auto& [key, member] : value.items())
      if (const RowMap* rows = namedBy(files, key))
        renumberMember(files, *rows, member);
      else if (member.is_string() && isJsonText(key))
        member = renumbered(files, member.get<std::string>());
      else if (key != "steps") // as in public records: nothing of the file
        renumber(files, member);
    // A trace without it is one of a program that comes from no record.
    if (const auto source = value.find(kSourceOfTrace); source != value.end() && *source == json(0))
      value.erase(source);
  } else if (value.is_array()) {
    for (json& item : value)
      renumber(files, item);
  }
}

} // namespace

void RowMap::add(RowId from, RowId to) {
  auto next = runs_.upper_bound(from);
  if (next != runs_.begin()) {
    auto& [first, run] = *std::prev(next);
    if (from < first + run.rows) return; // known
    if (from == first + run.rows && to == run.to + run.rows) {
      ++run.rows;
      return;
    }
  }
  runs_.emplace_hint(next, from, Run{to, 1});
}

RowId RowMap::find(RowId from) const {
  const auto next = runs_.upper_bound(from);
  if (next == runs_.begin()) return 0;
  const auto& [first, run] = *std::prev(next);
  return from < first + run.rows ? run.to + (from - first) : 0;
}

bool RowMap::isIdentity() const {
  return std::all_of(runs_.begin(), runs_.end(),
                     [](const auto& run) { return run.first == run.second.to; });
}

std::vector<MergedColumn> mergedColumns(MergeFiles& files, const std::string& table) {
  const std::vector<std::string> theirs = columnsOf(files.from, table);
  const bool ownId = hasOwnId(files.into, table);
  std::vector<MergedColumn> columns;
  for (const std::string& name : columnsOf(files.into, table))
    if (std::find(theirs.begin(), theirs.end(), name) != theirs.end() && !(ownId && name == "id"))
      columns.push_back({name, namedTable(files.into, table, name)});
  return columns;
}

std::string columnList(const std::vector<MergedColumn>& columns) {
  std::vector<std::string> names;
  for (const MergedColumn& column : columns)
    names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool bindMerged(MergeFiles& files, Statement& insert, int index, const MergedColumn& column,
                const Statement& row, int place) {
  if (column.names.empty() || row.isNull(place)) {
    insert.bindColumn(index, row, place);
    return true;
  }
  const RowId id = files.rows[column.names].find(row.integer(place));
  if (id == 0)
    insert.bindAt(index, nullptr);
  else
    insert.bindAt(index, id);
  return id != 0;
}

std::vector<std::string> tablesOf(Database& db) {
  std::vector<std::string> tables;
  Statement rows = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND "
                              "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rootpage");
  while (rows.step())
    tables.push_back(rows.text(0));
  return tables;
}

std::vector<std::string> primaryKeyOf(Database& db, const std::string& table) {
  std::vector<std::string> key;
  Statement rows = db.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk");
  rows.bind(table);
  while (rows.step())
    key.push_back(rows.text(0));
  return key;
}

std::vector<PlacedRow> placeRows(MergeFiles& files, const std::string& table,
                                 std::span<const char* const> identity) {
  std::vector<PlacedRow> placed;
  const std::vector<MergedColumn> columns = mergedColumns(files, table);
  if (columns.empty()) return placed;
  std::vector<std::string> conditions;
  for (const char* name : identity)
    conditions.push_back(fmt::format("{} IS ?", name));
  const std::string find =
      fmt::format("SELECT id FROM {} WHERE {} ORDER BY id", table, fmt::join(conditions, " AND "));
  const std::string add = fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columnList(columns),
                                      marks(columns.size()));
  RowMap& map = files.rows[table];
  std::set<RowId> taken;
  Statement rows = files.from.prepare(
      fmt::format("SELECT id, {} FROM {} ORDER BY id", columnList(columns), table));
  while (rows.step()) {
    Statement same = files.into.prepare(find);
    for (std::size_t i = 0; i < identity.size(); ++i) {
      const auto column = std::find_if(columns.begin(), columns.end(),
                                       [&](const auto& c) { return c.name == identity[i]; });
      NW_ASSERT(column != columns.end(), "{} has no column {}", table, identity[i]);
      bindMerged(files, same, int(i) + 1, *column, rows, int(column - columns.begin()) + 1);
    }
    PlacedRow row{rows.integer(0)};
    while (row.into == 0 && same.step())
      if (taken.insert(same.integer(0)).second) row.into = same.integer(0);
    if (row.into == 0) {
      Statement insert = files.into.prepare(add);
      for (std::size_t i = 0; i < columns.size(); ++i)
        bindMerged(files, insert, int(i) + 1, columns[i], rows, int(i) + 1);
      insert.run();
      row.into = files.into.lastInsertId();
      row.isNew = true;
      taken.insert(row.into);
    }
    map.add(row.from, row.into);
    placed.push_back(row);
  }
  return placed;
}

void copyRows(MergeFiles& files, const std::string& table, RowId firstRecord, RowId lastRecord) {
  const std::vector<MergedColumn> columns = mergedColumns(files, table);
  if (columns.empty()) return;
  std::string add = fmt::format("INSERT OR IGNORE INTO {} ({}) SELECT {}", table,
                                columnList(columns), marks(columns.size()));
  const bool ownId = hasOwnId(files.into, table);
  if (ownId) { // nothing else need forbid a second copy
    std::vector<std::string> same;
    for (std::size_t i = 0; i < columns.size(); ++i)
      same.push_back(fmt::format("{} IS ?{}", columns[i].name, i + 1));
    add += fmt::format(" WHERE NOT EXISTS (SELECT 1 FROM {} WHERE {})", table,
                       fmt::join(same, " AND "));
  }
  std::string all = fmt::format("SELECT {} FROM {}", columnList(columns), table);
  if (lastRecord != 0) all += " WHERE record BETWEEN ? AND ?";
  if (ownId) all += " ORDER BY id";
  std::vector<bool> optional;
  for (const MergedColumn& column : columns)
    optional.push_back(mayBeNull(files.into, table, column.name));
  Statement rows = files.from.prepare(all);
  if (lastRecord != 0) rows.bind(firstRecord, lastRecord);
  while (rows.step()) {
    Statement insert = files.into.prepare(add);
    bool complete = true;
    for (std::size_t i = 0; i < columns.size(); ++i)
      complete = (bindMerged(files, insert, int(i) + 1, columns[i], rows, int(i)) || optional[i]) &&
                 complete;
    if (complete) insert.run();
  }
}

std::string renumbered(const MergeFiles& files, std::string_view text) {
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::string(text);
  renumber(files, value);
  return value.dump();
}

} // namespace nestwright
