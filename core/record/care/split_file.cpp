#include "core/record/care/split_file.h"

#include "core/record/care/merge_rows.h"
#include "core/record/file/database_file.h"
#include "core/record/select/record_cells.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/program_function.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/support/draft_file.h"
#include "core/support/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <set>

namespace nestwright {

namespace {

using nlohmann::json;
using sqlite::Database;
using sqlite::Statement;

/// What shows of each table while a part is taken out. Records are in temp.chosen; their tasks,
/// sessions and logs in temp.chosen_task, temp.chosen_session and temp.chosen_source, the latter
/// two with whether they are whole.
struct Shown {
  const char *table, *condition;
};
#define NW_TASKS "(SELECT id FROM temp.chosen_task)"
#define NW_SESSIONS "(SELECT id FROM temp.chosen_session)"
constexpr Shown kShown[] = {
    {"record", "id IN (SELECT id FROM temp.chosen)"},
    {"task", "id IN " NW_TASKS},
    {"target", "id IN (SELECT target FROM main.task WHERE id IN " NW_TASKS ")"},
    {"network_task", "task IN " NW_TASKS},
    {"network", "id IN (SELECT network FROM temp.chosen_network)"},
    {"session", "id IN " NW_SESSIONS},
    {"session_task", "session IN " NW_SESSIONS " AND task IN " NW_TASKS},
    {"session_network", "session IN " NW_SESSIONS},
    {"session_weight", "session IN " NW_SESSIONS " AND task IN " NW_TASKS},
    {"import_source", "id IN (SELECT id FROM temp.chosen_source)"},
    {"tag", "id IN (SELECT tag FROM main.record_tag WHERE record IN (SELECT id FROM temp.chosen))"},
    {"recombination", "id IN (SELECT id FROM temp.chosen_recombination)"},
    {"recombination_sample", "recombination IN (SELECT id FROM temp.chosen_recombination)"},
    {"network_choice",
     "recombination IN (SELECT id FROM temp.chosen_recombination) AND NOT EXISTS (SELECT 1 FROM "
     "main.network_choice_task AS chosen_program WHERE chosen_program.network = "
     "network_choice.network AND chosen_program.target = network_choice.target AND "
     "chosen_program.record NOT IN (SELECT id FROM temp.chosen))"}};
#undef NW_TASKS
#undef NW_SESSIONS

bool isOfSession(Database& db, const std::string& table) {
  Statement found = db.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = 'session'");
  return found.bind(table).step();
}

/// Logs of the chosen sessions, and those that chosen records are from: a log that grew may have
/// given its later records to another session than its own. Whole is one of which all records come
/// along, and those of its session, which its other lines may repeat.
void chooseSources(Database& db) {
  db.execute("CREATE TEMP TABLE told_by_source (id INTEGER PRIMARY KEY, chosen INTEGER, whole "
             "INTEGER); "
             "INSERT INTO temp.told_by_source SELECT source, sum(chosen), sum(chosen) = "
             "sum(records) FROM (SELECT source, records, (SELECT count(*) FROM temp.chosen WHERE "
             "chosen.id BETWEEN block.first AND block.first + block.records - 1) AS chosen FROM "
             "main.record_block AS block) GROUP BY source; "
             "CREATE TEMP TABLE chosen_source AS SELECT log.id AS id, ifnull(told.whole, 1) AND "
             "ifnull(home.whole, 1) AS whole FROM main.import_source AS log "
             "LEFT JOIN temp.told_by_source AS told ON told.id = log.id "
             "LEFT JOIN temp.chosen_session AS home ON home.id = log.session "
             "WHERE home.id IS NOT NULL OR told.chosen > 0");
}

/// Ids of the records that the queries ask for into temp.chosen, and what goes with them.
void choose(Database& db, const std::vector<RecordQuery>& queries) {
  // On the disk: there may be tens of millions.
  db.execute("PRAGMA query_only = OFF; PRAGMA temp_store = FILE; "
             "CREATE TEMP TABLE chosen (id INTEGER PRIMARY KEY)");
  for (const RecordQuery& query : queries) {
    const QuerySql sql = conditionsOf(db, query);
    db.execute("PRAGMA query_only = OFF; SAVEPOINT choosing");
    Statement insert = db.prepare("INSERT OR IGNORE INTO temp.chosen (id) VALUES (?)");
    for (const RecordCell& cell : cellsOf(db, sql.group)) {
      Statement rows = recordsOf(db, sql, cell, "id");
      while (rows.step())
        insert.bind(rows.integer(0)).run();
    }
    db.execute("RELEASE choosing");
  }
  db.execute("CREATE TEMP TABLE chosen_task AS SELECT DISTINCT task AS id FROM main.record "
             "WHERE id IN (SELECT id FROM temp.chosen); "
             "CREATE TEMP TABLE chosen_session AS SELECT session AS id, count(*) = (SELECT "
             "sum(records) FROM main.tally WHERE tally.session = record.session) AS whole "
             "FROM main.record WHERE id IN (SELECT id FROM temp.chosen) GROUP BY session; "
             "CREATE TEMP TABLE chosen_network AS SELECT network FROM main.network_task "
             "WHERE task IN (SELECT id FROM temp.chosen_task) UNION SELECT network FROM "
             "main.session WHERE id IN (SELECT id FROM temp.chosen_session) UNION SELECT network "
             "FROM main.session_network WHERE session IN (SELECT id FROM temp.chosen_session); "
             "CREATE TEMP TABLE chosen_recombination (id INTEGER PRIMARY KEY)");
  chooseSources(db);
}

void findRecords(const json& value, std::set<RowId>& records) {
  if (value.is_object() && value.contains("record") && value["record"].is_number_integer())
    records.insert(value["record"].get<RowId>());
  if (value.is_structured())
    for (const json& item : value)
      findRecords(item, records);
}

/// Recombinations all of whose programs were chosen.
void chooseRecombinations(Database& db) {
  Statement rows = db.prepare("SELECT id, state FROM main.recombination WHERE network IN (SELECT "
                              "network FROM temp.chosen_network) AND target IN (SELECT target "
                              "FROM main.task WHERE id IN (SELECT id FROM temp.chosen_task))");
  while (rows.step()) {
    std::set<RowId> records;
    findRecords(json::parse(rows.view(1), nullptr, false), records);
    bool all = !records.empty();
    for (const RowId record : records) {
      Statement there = db.prepare("SELECT 1 FROM temp.chosen WHERE id = ?");
      all = all && there.bind(record).step();
    }
    if (all)
      db.prepare("INSERT INTO temp.chosen_recombination (id) VALUES (?)")
          .bind(rows.integer(0))
          .run();
  }
}

/// Hides everything else: names without a schema lead to temporary views first.
void hideTheRest(Database& db) {
  std::map<std::string, std::string> conditions;
  for (const std::string& table : tablesOf(db)) {
    if (table == "tally") continue;
    const auto shown = std::find_if(std::begin(kShown), std::end(kShown),
                                    [&](const Shown& s) { return table == s.table; });
    if (shown != std::end(kShown))
      conditions[table] = shown->condition;
    else if (isOfSession(db, table)) // its log and all that the search noted
      conditions[table] = "session IN (SELECT id FROM temp.chosen_session WHERE whole)";
  }
  for (const auto& [table, condition] : conditions)
    db.execute(
        fmt::format("CREATE TEMP VIEW {0} AS SELECT * FROM main.{0} WHERE {1}", table, condition));
  db.execute("CREATE TEMP VIEW tally AS SELECT count(*) AS records FROM temp.chosen; "
             "PRAGMA query_only = ON");
}

/// What came along in part: ids in the new file.
struct Partial {
  std::vector<RowId> sessions, sources;
};

/// Which rows of temp.chosen_session or temp.chosen_source, counted from 1, are not whole.
std::vector<RowId> partialOf(Database& db, const char* chosen) {
  std::vector<RowId> partial;
  Statement rows = db.prepare(fmt::format("SELECT whole FROM temp.{} ORDER BY id", chosen));
  for (RowId row = 1; rows.step(); ++row)
    if (rows.integer(0) == 0) partial.push_back(row);
  return partial;
}

/// A session that is not whole cannot go on, and a log that is not is to be read again for the
/// rest. One whose session stayed behind is of the session that has its records.
void settle(const std::string& path, const Partial& partial) {
  Database db = openDatabaseFile(path, OpenMode::ReadWrite);
  db.transaction([&] {
    for (const RowId session : partial.sessions)
      db.prepare("UPDATE session SET status = 'finished' WHERE id = ?").bind(session).run();
    for (const RowId source : partial.sources) {
      db.prepare("DELETE FROM import_problem WHERE source = ?").bind(source).run();
      db.prepare("UPDATE import_source SET offset = 0, file_bytes = 0, lines = 0, records = 0, "
                 "duplicates = 0, comments = 0, broken = 0, finished = 0 WHERE id = ?")
          .bind(source)
          .run();
    }
    db.execute(
        "UPDATE import_source SET session = (SELECT record.session FROM record_block JOIN "
        "record ON record.id = first WHERE source = import_source.id ORDER BY first LIMIT 1) "
        "WHERE session IS NULL");
  });
}

RecordQuery all() {
  RecordQuery query;
  query.forgotten = RecordQuery::Forgotten::With;
  return query;
}

RecordQuery ofTask(RowId task) {
  RecordQuery query = all();
  query.task = task;
  return query;
}

/// Adds a task's records to the part of this name.
void addTo(std::map<RowId, SplitPart>& parts, RowId id, const std::string& kind,
           const std::string& description, RowId task) {
  SplitPart& part = parts[id];
  part.suffix = id == 0 ? kind : fmt::format("{}{}", kind, id);
  part.description = description;
  part.queries.push_back(ofTask(task));
}

std::map<RowId, SplitPart> partsByTask(const RecordStore& store, SplitBy by) {
  std::map<RowId, std::string> networks, targets;
  for (const NetworkRow& network : store.networks().all())
    networks[network.id] = network.name;
  for (const TargetRow& target : store.targets().all())
    targets[target.id] = target.key;
  std::map<RowId, SplitPart> parts;
  std::set<std::pair<RowId, RowId>> seen;
  // A task has a place in each of its networks, and one of its own where it was tuned alone.
  for (const TaskRow& task :
       by == SplitBy::Network ? store.tasks().places() : store.tasks().all()) {
    const RowId of = by == SplitBy::Task     ? task.id
                     : by == SplitBy::Target ? task.target
                                             : task.network;
    if (store.tasks().summary(task.id).trials == 0 && store.records().count(ofTask(task.id)) == 0)
      continue;
    if (!seen.insert({of, task.id}).second) continue;
    if (by == SplitBy::Task)
      addTo(parts, of, "task", task.name, task.id);
    else if (by == SplitBy::Target)
      addTo(parts, of, "target", targets[of], task.id);
    else if (of == 0)
      addTo(parts, of, "operators", "operators on their own", task.id);
    else
      addTo(parts, of, "network", networks[of], task.id);
  }
  return parts;
}

} // namespace

std::vector<SplitPart> splitParts(const RecordStore& store, SplitBy by) {
  std::vector<SplitPart> parts;
  if (by != SplitBy::Session) {
    for (auto& [id, part] : partsByTask(store, by))
      parts.push_back(std::move(part));
    return parts;
  }
  for (const SessionRow& session : store.sessions().all()) {
    RecordQuery query = all();
    query.session = session.id;
    if (store.records().count(query) > 0)
      parts.push_back({fmt::format("session{}", session.id), session.title, {query}});
  }
  return parts;
}

MergeReport extractPart(const std::string& from, const std::string& to, const SplitPart& part,
                        const std::atomic<bool>& stop,
                        const std::function<void(const MergeProgress&)>& onProgress) {
  if (std::filesystem::exists(std::filesystem::symlink_status(to)))
    throw InputError(fmt::format("{} is there already; choose another name", to));
  DraftFile file(to, "part");
  fillNewFile(file.path());
  Database source = openDatabaseFile(from, OpenMode::ReadOnly);
  addImportedProgram(source);
  choose(source, part.queries);
  chooseRecombinations(source);
  const Partial partial{partialOf(source, "chosen_session"), partialOf(source, "chosen_source")};
  hideTheRest(source);
  const MergeReport report = mergeDatabase(file.path(), std::move(source), stop, onProgress);
  if (report.cancelled) return report;
  settle(file.path(), partial);
  file.takePlace(false);
  return report;
}

} // namespace nestwright
