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

/// What shows of each table while a part is taken out. Records are in temp.chosen; of their tasks
/// and sessions temp.chosen_task and temp.chosen_session, the latter with whether it is whole.
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
    {"import_source", "session IN " NW_SESSIONS},
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

/// Which of the sessions, counted from 1, are not whole; their ids in the new file.
std::vector<RowId> partialSessions(Database& db) {
  std::vector<RowId> partial;
  Statement rows = db.prepare("SELECT whole FROM temp.chosen_session ORDER BY id");
  for (RowId session = 1; rows.step(); ++session)
    if (rows.integer(0) == 0) partial.push_back(session);
  return partial;
}

/// A session that is not whole cannot go on, and its logs are to be read again for the rest.
void settle(const std::string& path, const std::vector<RowId>& partial) {
  Database db = openDatabaseFile(path, OpenMode::ReadWrite);
  db.transaction([&] {
    for (const RowId session : partial) {
      db.prepare("UPDATE session SET status = 'finished' WHERE id = ?").bind(session).run();
      db.prepare("DELETE FROM import_problem WHERE source IN (SELECT id FROM import_source WHERE "
                 "session = ?)")
          .bind(session)
          .run();
      db.prepare("UPDATE import_source SET offset = 0, file_bytes = 0, lines = 0, records = 0, "
                 "duplicates = 0, comments = 0, broken = 0, finished = 0 WHERE session = ?")
          .bind(session)
          .run();
    }
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
  const std::vector<RowId> partial = partialSessions(source);
  hideTheRest(source);
  const MergeReport report = mergeDatabase(file.path(), std::move(source), stop, onProgress);
  if (report.cancelled) return report;
  settle(file.path(), partial);
  file.takePlace(false);
  return report;
}

} // namespace nestwright
