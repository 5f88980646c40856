#include "tests/fuzz/document_mutation.h"

#include "core/record/format/bytes.h"
#include "core/support/hash.h"
#include "tests/fuzz/mutation.h"
#include "tests/fuzz/raw_database.h"

#include <nlohmann/json.hpp>

#include <array>
#include <optional>

namespace nestwright::fuzz {

namespace {

using nlohmann::json;

std::string dumped(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string> tables(RawDatabase& database) {
  return database.texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
}

/// A table that has rows; most have.
std::string anyTable(RawDatabase& database, Random& random) {
  const std::vector<std::string> all = tables(database);
  if (all.empty()) return "record";
  std::string table = random.pick(all);
  for (int tries = 0; tries < 4 && database.count(table) == 0; ++tries)
    table = random.pick(all);
  return table;
}

/// A condition that picks one row of the table; all rows where it has no row ids.
std::string anyRow(RawDatabase& database, const std::string& table, Random& random) {
  if (database.rows(fmt::format("SELECT rowid FROM \"{}\" LIMIT 1", table)).empty()) return "";
  const std::int64_t count = std::max<std::int64_t>(database.count(table), 1);
  return fmt::format(" WHERE rowid = (SELECT rowid FROM \"{}\" LIMIT 1 OFFSET {})", table,
                     random.below(static_cast<std::uint64_t>(count)));
}

/// The bytes of a blob that holds a packed text are changed behind the packing.
std::string mutatedBlob(const std::string& bytes, const std::string& marker, Random& random) {
  if (random.below(2) == 0) return mutatedBytes(bytes, bytes, random);
  try {
    return pack(mutatedText(unpack(bytes), marker, random)).bytes;
  } catch (const InputError&) {
    return mutatedBytes(bytes, bytes, random);
  }
}

std::string mutatedCellText(const std::string& text, const std::string& marker, Random& random) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_discarded() && document.is_structured() && random.below(4) != 0)
    return dumped(mutatedJson(document, marker, random));
  return random.below(3) == 0 ? nastyText(marker, random) : mutatedText(text, marker, random);
}

Cell mutatedCell(const Cell& cell, const std::string& marker, Random& random) {
  switch (random.below(8)) {
  case 0:
    return {};
  case 1:
    return integerCell(extremeInteger(random));
  case 2: {
    Cell real;
    real.type = Cell::Type::Real;
    real.real = extremeReal(random);
    return real;
  }
  case 3:
    return textCell(nastyText(marker, random));
  default:
    break;
  }
  switch (cell.type) {
  case Cell::Type::Text:
    return textCell(mutatedCellText(cell.bytes, marker, random));
  case Cell::Type::Blob:
    return blobCell(mutatedBlob(cell.bytes, marker, random));
  case Cell::Type::Integer: // near ones as well: the ids of others
    return integerCell(random.below(2) == 0 ? extremeInteger(random)
                                            : static_cast<std::int64_t>(random.below(40)));
  default:
    return integerCell(extremeInteger(random));
  }
}

void alterCell(RawDatabase& database, const std::string& marker, Random& random) {
  const std::string table = anyTable(database, random);
  const std::vector<std::string> columns =
      database.texts(fmt::format("SELECT name FROM pragma_table_info('{}')", table));
  if (columns.empty()) return;
  const std::string column = random.pick(columns);
  const std::string place = anyRow(database, table, random);
  const auto found =
      database.rows(fmt::format("SELECT \"{}\" FROM \"{}\"{}", column, table, place));
  const Cell cell = found.empty() ? Cell{} : found.front().front();
  database.run(fmt::format("UPDATE \"{}\" SET \"{}\" = ?{}", table, column,
                           random.below(8) == 0 ? "" : place),
               {mutatedCell(cell, marker, random)});
}

void alterRow(RawDatabase& database, Random& random) {
  const std::string table = anyTable(database, random);
  const std::string place = anyRow(database, table, random);
  if (random.below(2) == 0) {
    database.run(fmt::format("DELETE FROM \"{}\"{}", table, place));
  } else {
    database.run(fmt::format("CREATE TEMP TABLE twin AS SELECT * FROM \"{}\"{}", table, place));
    const std::vector<std::string> columns =
        database.texts(fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    if (!columns.empty())
      database.run(fmt::format("UPDATE twin SET \"{}\" = ?", random.pick(columns)),
                   {integerCell(extremeInteger(random))});
    database.run(fmt::format("INSERT OR REPLACE INTO \"{}\" SELECT * FROM twin", table));
    database.run("DROP TABLE twin");
  }
}

/// Objects that are not ours, or ours no more.
void alterSchema(RawDatabase& database, const std::string& marker, Random& random) {
  const std::string table = anyTable(database, random);
  const std::string endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  const auto asView = [&](const std::string& body) {
    database.run(fmt::format("ALTER TABLE \"{0}\" RENAME TO \"{0}_old\"", table));
    database.run(fmt::format("CREATE VIEW \"{}\" AS {}", table, body));
  };
  switch (random.below(11)) {
  case 0:
    database.run(fmt::format("CREATE TRIGGER t AFTER INSERT ON \"{}\" BEGIN UPDATE task SET name = "
                             "'changed'; DELETE FROM event; END",
                             table));
    break;
  case 1:
    database.run(
        fmt::format("CREATE TRIGGER t AFTER INSERT ON \"{}\" BEGIN {}; END", table, endless));
    break;
  case 2:
    asView(endless);
    break;
  case 3:
    asView(fmt::format("SELECT * FROM \"{}_old\"", table));
    break;
  case 4:
    asView(fmt::format("SELECT load_extension('{}/evil.so') AS id", marker));
    break;
  case 5:
    asView(fmt::format("SELECT *, randomblob(2000000000) FROM \"{}_old\"", table));
    break;
  case 6:
    database.run(fmt::format("DROP TABLE \"{}\"", table));
    break;
  case 7:
    database.run(fmt::format("ALTER TABLE \"{}\" ADD COLUMN more", table));
    break;
  case 8:
    database.run("PRAGMA writable_schema = ON");
    database.run("UPDATE sqlite_master SET sql = ? WHERE name = ?",
                 {textCell(nastyText(marker, random)), textCell(table)});
    break;
  case 9:
    database.run(fmt::format("CREATE TABLE record_by_nobody (a, b AS (a || '{}'))", marker));
    break;
  default:
    if (const auto indexes = database.texts("SELECT name FROM sqlite_master WHERE type = 'index' "
                                            "AND sql IS NOT NULL ORDER BY name");
        !indexes.empty())
      database.run(fmt::format("DROP INDEX \"{}\"", random.pick(indexes)));
  }
}

/// What the file says of itself before any table is looked at.
void alterHead(RawDatabase& database, Random& random) {
  constexpr std::array<const char*, 3> kNumbers = {"user_version", "application_id",
                                                   "schema_version"};
  switch (random.below(3)) {
  case 0: // an older or newer version
    database.run(fmt::format("PRAGMA user_version = {}", random.below(20)));
    break;
  case 1:
    database.run(fmt::format("PRAGMA {} = {}", random.pick(kNumbers),
                             static_cast<std::int32_t>(extremeInteger(random))));
    break;
  default:
    database.run(random.below(2) == 0 ? "PRAGMA journal_mode = WAL"
                                      : "PRAGMA journal_mode = DELETE");
  }
}

/// Columns take values of every type from now on; asks for the file to be opened anew.
void dropTypes(const std::filesystem::path& file) {
  RawDatabase database(file);
  database.run("PRAGMA writable_schema = ON");
  database.run("UPDATE sqlite_master SET sql = replace(replace(sql, ') STRICT, WITHOUT', ') "
               "WITHOUT'), ') STRICT', ')')");
}

/// What names a program, a plug-in or a file in a session's settings.
void nameCommands(json& config, const std::string& marker, Random& random) {
  const std::string file = marker + "/made";
  const json command = json::array({"/bin/sh", "-c", "touch " + file});
  const std::array<std::pair<const char*, json>, 9> settings = {{
      {"/measure/worker_command", command},
      {"/measure/worker_command", json("touch " + file)},
      {"/worker_command", command},
      {"/model", "../../../../../../../../" + file},
      {"/policy", file},
      {"/rules", "../../../../../../../../" + file + ",paper"},
      {"/features", file},
      {"/subjects", json::array({"/dev/zero.dag", file + ".onnx"})},
      {"/subject", "|touch " + file},
  }};
  const auto& [place, value] = random.pick(settings);
  if (config.is_object() && (config.contains("measure") ||
                             std::string_view(place).find("measure/") == std::string_view::npos))
    config[json::json_pointer(place)] = value;
}

std::string sealed(json header, const std::string& trees) {
  header.erase("hash");
  header["hash"] = hashHex(dumped(header) + trees);
  return dumped(header) + '\n' + trees;
}

} // namespace

void alterDocument(const std::filesystem::path& file, const std::string& marker, Random& random) {
  if (random.below(2) == 0) dropTypes(file);
  for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
    RawDatabase database(file);
    switch (random.below(10)) {
    case 0:
      alterSchema(database, marker, random);
      break;
    case 1:
      alterHead(database, random);
      break;
    case 2:
    case 3:
      alterRow(database, random);
      break;
    default:
      alterCell(database, marker, random);
    }
  }
}

void alterSettings(const std::filesystem::path& file, const std::string& marker, Random& random) {
  RawDatabase database(file);
  for (const std::vector<Cell>& row :
       database.rows("SELECT id, config, scheduler_state FROM session")) {
    json config = json::parse(row[1].bytes, nullptr, false);
    const json state = json::parse(row[2].bytes, nullptr, false);
    if (random.below(2) == 0)
      nameCommands(config, marker, random);
    else if (random.below(2) == 0)
      config = mutatedJson(config, marker, random);
    else
      database.run("UPDATE session SET scheduler_state = ? WHERE id = ?",
                   {textCell(dumped(mutatedJson(state, marker, random))), row[0]});
    database.run("UPDATE session SET status = 'paused', config = ? WHERE id = ?",
                 {textCell(dumped(config)), row[0]});
  }
}

void alterModels(const std::filesystem::path& file, const std::string& marker, Random& random) {
  RawDatabase database(file);
  for (const std::vector<Cell>& row : database.rows("SELECT session, bytes FROM model")) {
    std::string bytes = row[1].bytes;
    const std::size_t end = bytes.find('\n');
    if (end == std::string::npos || random.below(4) == 0) {
      bytes = mutatedBytes(bytes, bytes, random);
    } else {
      json header = json::parse(bytes.substr(0, end), nullptr, false);
      std::string trees = bytes.substr(end + 1);
      if (random.below(3) == 0)
        header = mutatedJson(header, marker, random);
      else
        trees = mutatedBytes(trees, trees, random);
      if (!header.is_object()) header = json::object();
      bytes = sealed(header, trees);
    }
    database.run("UPDATE model SET bytes = ? WHERE session = ?", {blobCell(bytes), row[0]});
  }
}

} // namespace nestwright::fuzz
