#include "core/record/store/task_rows.h"

#include "core/record/format/task_key.h"
#include "core/record/store/task_table.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

namespace nestwright {

namespace {

using sqlite::Statement;

constexpr auto kSummaries = columnsOf<TaskSummary>(
    Column{"task", &TaskSummary::task}, Column{"trials", &TaskSummary::trials},
    Column{"errors", &TaskSummary::errors}, Column{"best_record", &TaskSummary::bestRecord},
    SecondsColumn{"best_seconds", &TaskSummary::bestSeconds},
    Column{"naive_seconds", &TaskSummary::naiveSeconds},
    Column{"kernel_seconds", &TaskSummary::kernelSeconds});

/// Each task once, at its first place.
constexpr std::string_view kFirstPlaces = "FROM task JOIN network_task place ON place.id = "
                                          "(SELECT min(id) FROM network_task WHERE task = task.id)";

} // namespace

TaskRow withAlternative(TaskRow row) {
  // Most have none, and need not be read.
  if (row.dag.find(kAlternativeMark) == std::string::npos) return row;
  try {
    if (std::optional<AlternativeOf> of = alternativeOf(parseDag(row.dag))) {
      row.alternative = std::move(of->name);
      row.definition = std::move(of->definition);
    }
  } catch (const InputError&) {
  }
  return row;
}

std::vector<TaskRow> withAlternatives(std::vector<TaskRow> rows) {
  for (TaskRow& row : rows)
    row = withAlternative(std::move(row));
  return rows;
}

RowId TaskRows::add(const TaskRow& row) {
  const std::string hash = taskKeyHash(row.key);
  RowId id = 0;
  db_.transaction([&] {
    Statement same = db_.prepare("SELECT id, target, key, dag FROM task WHERE key_hash = ?");
    same.bind(hash);
    while (same.step()) {
      const bool bothKnown = !same.view(3).empty() && !row.dag.empty();
      if (bothKnown && same.view(3) != row.dag)
        throw InputError(fmt::format("{}: the task '{}' has the hash of the stored task '{}' and "
                                     "another definition, so their "
                                     "records must not be mixed; tune it into another file",
                                     db_.path(), row.key, same.view(2)));
      if (same.view(2) == row.key && same.integer(1) == row.target) id = same.integer(0);
    }
    if (id == 0) {
      Statement insert = db_.prepare("INSERT INTO task (target, key, key_hash, name, dag, flops) "
                                     "VALUES (?, ?, ?, ?, ?, ?)");
      bindReference(insert, 1, row.target);
      insert.bindAt(2, row.key).bindAt(3, hash).bindAt(4, row.name).bindAt(5, row.dag);
      insert.bindAt(6, row.flops).run();
      id = db_.lastInsertId();
      db_.prepare("INSERT INTO task_summary (task) VALUES (?)").bind(id).run();
    } else if (!row.dag.empty()) {
      db_.prepare("UPDATE task SET dag = ?, name = ?, flops = ? WHERE id = ? AND dag = ''")
          .bind(row.dag, row.name, row.flops, id)
          .run();
    }
    Statement find = db_.prepare("SELECT id FROM network_task WHERE task = ? AND network IS ?");
    find.bindAt(1, id);
    bindReference(find, 2, row.network);
    if (find.step()) return;
    Statement place = db_.prepare(
        "INSERT INTO network_task (task, network, position, weight) VALUES (?, ?, ?, ?)");
    bindReference(place, 2, row.network);
    place.bindAt(1, id).bindAt(3, row.index).bindAt(4, row.weight).run();
  });
  return id;
}

void TaskRows::setNaiveSeconds(RowId task, double seconds) {
  db_.transaction([&] {
    summary(task); // throws for a task that is not there
    db_.prepare("UPDATE task_summary SET naive_seconds = ? WHERE task = ?")
        .bind(seconds, task)
        .run();
  });
}

std::vector<TaskRow> TaskRows::all(RowId network) const {
  if (network == 0)
    return withAlternatives(
        kPlacedTasks.all(db_, fmt::format("{} ORDER BY task.id", kFirstPlaces)));
  return withAlternatives(
      kPlacedTasks.all(db_,
                       "FROM network_task place JOIN task ON task.id = place.task "
                       "WHERE place.network = ? ORDER BY place.position, place.id",
                       network));
}

std::vector<TaskRow> TaskRows::places() const {
  return withAlternatives(
      kPlacedTasks.all(db_, "FROM network_task place JOIN task ON task.id = place.task "
                            "ORDER BY place.network, place.position, place.id"));
}

std::optional<TaskRow> TaskRows::one(RowId id) const {
  std::optional<TaskRow> row =
      kPlacedTasks.one(db_, fmt::format("{} WHERE task.id = ?", kFirstPlaces), id);
  return row ? std::optional(withAlternative(std::move(*row))) : std::nullopt;
}

std::optional<TaskRow> TaskRows::find(std::string_view key, RowId target) const {
  Statement found = db_.prepare("SELECT id FROM task WHERE key = ? AND target IS ?");
  found.bindAt(1, key);
  bindReference(found, 2, target);
  return found.step() ? one(found.integer(0)) : std::nullopt;
}

std::vector<TaskSummary> TaskRows::summaries() const {
  return kSummaries.all(db_, "FROM task_summary ORDER BY task");
}

std::vector<FastestImported> TaskRows::fastestImported(RowId session) const {
  std::vector<FastestImported> fastest;
  Statement groups = db_.prepare(
      "SELECT tally.task, tally.session FROM session_task JOIN tally USING (task) "
      "JOIN task_summary USING (task) WHERE session_task.session = ? AND verdict = 0 AND "
      "best_record IS NULL ORDER BY tally.task");
  groups.bind(session);
  while (groups.step()) {
    Statement first = db_.prepare("SELECT id, seconds, details = x'' FROM record INDEXED BY "
                                  "record_by_speed WHERE task = ? AND session = ? AND verdict = 0 "
                                  "ORDER BY seconds LIMIT 1");
    first.bind(groups.integer(0), groups.integer(1));
    if (!first.step() || first.integer(2) == 0) continue;
    const FastestImported found{groups.integer(0), first.integer(0), first.real(1)};
    if (fastest.empty() || fastest.back().task != found.task)
      fastest.push_back(found);
    else if (found.seconds < fastest.back().seconds)
      fastest.back() = found;
  }
  return fastest;
}

TaskSummary TaskRows::summary(RowId task) const {
  if (auto summary = kSummaries.one(db_, "FROM task_summary WHERE task = ?", task)) return *summary;
  throw InputError(fmt::format("{}: there is no task {} in the file", db_.path(), task));
}

} // namespace nestwright
