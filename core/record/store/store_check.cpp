#include "core/record/file/schema_check.h"
#include "core/record/format/columns.h"
#include "core/record/format/result_codec.h"
#include "core/record/sql/integrity.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/store/record_sums.h"
#include "core/record/store/store_parts.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"
#include "core/support/random.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <tuple>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

struct ExpectedTally {
  std::int64_t records = 0;
  double kernelSeconds = 0;
};

/// Everything that the summaries should say.
struct Expected {
  std::map<std::tuple<RowId, RowId, int>, ExpectedTally> tallies; // session, task, verdict
  std::map<RowId, TaskSummary> tasks;
};

/// ExpectedTally are made in the order of insertion, but a merged file need not keep that order.
bool near(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * (1 + std::abs(a));
}

/// What to do about a problem.
constexpr const char* kDamaged =
    "`nestwright db salvage` copies what can be read into a new file; or restore a backup";
constexpr const char* kSums = "`nestwright db compact --rebuild` makes it anew from the records";

void tell(std::vector<std::string>& problems, const std::string& what, const char* advice) {
  problems.push_back(fmt::format("{}; {}", what, advice));
}

void checkTables(Database& db, std::vector<std::string>& problems) {
  for (const std::string& problem : sqlite::integrityProblems(db))
    tell(problems, problem, kDamaged);
  Statement references = db.prepare("PRAGMA foreign_key_check");
  while (references.step() && problems.size() < kMostProblems)
    tell(problems,
         fmt::format("{} {} names a row of {} that is not there", references.view(0),
                     references.integer(1), references.view(2)),
         kDamaged);
}

/// Imported records lie in blocks whose ids follow one another, each record in just one.
void checkBlocks(Database& db, std::vector<std::string>& problems) {
  Statement rows = db.prepare(
      "SELECT first, records, (SELECT count(*) FROM record WHERE id >= first AND "
      "id < first + record_block.records AND details = x'') FROM record_block ORDER BY first");
  RowId end = 0;
  while (rows.step() && problems.size() < kMostProblems) {
    const RowId first = rows.integer(0);
    if (first < end)
      tell(problems, fmt::format("the block of record {} overlaps the one before", first),
           kDamaged);
    if (rows.integer(2) != rows.integer(1))
      tell(problems,
           fmt::format("the block of record {} is for {}, and there are {}", first,
                       quantity(rows.integer(1), "record"), rows.integer(2)),
           kDamaged);
    end = first + rows.integer(1);
  }
  Statement sources =
      db.prepare("SELECT path, lines, records + duplicates + comments + broken FROM "
                 "import_source WHERE lines <> records + duplicates + comments + "
                 "broken");
  while (sources.step() && problems.size() < kMostProblems)
    tell(problems,
         fmt::format("the import of {} read {} and accounts for {}", sources.view(0),
                     quantity(sources.integer(1), "line"), sources.integer(2)),
         "import the log again into a new file");
}

/// Texts that are JSON, packed or not.
void checkJson(Database& db, const char* sql, const char* what,
               std::vector<std::string>& problems) {
  Statement rows = db.prepare(sql);
  while (rows.step() && problems.size() < kMostProblems) {
    bool good = false;
    try {
      good = nlohmann::json::accept(readPacked(rows, 1));
    } catch (const InputError&) {
      // Said below.
    }
    if (!good) tell(problems, fmt::format("{} {} cannot be read", what, rows.integer(0)), kDamaged);
  }
}

void checkSessions(Database& db, std::vector<std::string>& problems) {
  checkJson(db, "SELECT id, config FROM session", "the configuration of session", problems);
  checkJson(db, "SELECT id, scheduler_state FROM session WHERE scheduler_state <> ''",
            "the state of session", problems);
}

void checkTexts(Database& db, std::vector<std::string>& problems) {
  checkSessions(db, problems);
  checkJson(db, "SELECT id, json FROM event", "event", problems);
  checkJson(db, "SELECT id, state FROM recombination", "the state of recombination", problems);
}

/// What a cost model is made of, which its plugin would take as it is.
void checkModels(Database& db, std::vector<std::string>& problems) {
  Statement rows = db.prepare("SELECT session, name, bytes, hash FROM model");
  while (rows.step() && problems.size() < kMostProblems)
    if (hashHex(rows.view(2)) != rows.view(3))
      tell(problems,
           fmt::format("the cost model '{}' of session {} is not the one that was saved",
                       rows.view(1), rows.integer(0)),
           kDamaged);
}

/// Objects that are not ours are never run; here they are told.
void checkSchema(Database& db, std::vector<std::string>& problems) {
  for (const std::string& object : schemaDifference(db).foreign)
    tell(problems, fmt::format("{} is not part of a Nestwright file", object),
         "`nestwright db merge --output` takes the records over into a file of yours");
}

/// A network runs with good programs of its own tasks.
void checkChoices(Database& db, std::vector<std::string>& problems) {
  Statement rows =
      db.prepare("SELECT network, choice.task, choice.record FROM network_choice_task AS choice "
                 "LEFT JOIN record ON record.id = choice.record AND record.task = choice.task AND "
                 "record.seconds IS NOT NULL WHERE record.id IS NULL");
  while (rows.step() && problems.size() < kMostProblems)
    tell(problems,
         fmt::format("network {} is to run task {} with record {}, which is no program of it that "
                     "ran",
                     rows.integer(0), rows.integer(1), rows.integer(2)),
         "recombine the network again, or drop its choice");
}

/// What a record says twice must agree: its time as queries see it, and whether it became best.
void checkRecord(const Record& record, double seconds, bool best,
                 std::vector<std::string>& problems) {
  if (seconds != record.result.latency())
    tell(problems,
         fmt::format("record {}: its time is {} s, its repeats say {} s", record.id, seconds,
                     record.result.latency()),
         kDamaged);
  if (best != record.best)
    tell(problems,
         fmt::format("record {}: it is {}marked as a best", record.id,
                     record.best ? "wrongly " : "not "),
         kSums);
}

/// Adds the record; true when it becomes its task's best.
bool addTo(Expected& expected, const Record& record) {
  const auto& result = record.result;
  const int code = codeOf(result.verdict) | (record.forgotten ? kForgottenCode : 0);
  ExpectedTally& tally = expected.tallies[{record.session, record.task, code}];
  ++tally.records;
  tally.kernelSeconds += result.runSeconds;
  TaskSummary& task = expected.tasks[record.task];
  task.kernelSeconds += result.runSeconds;
  if (record.forgotten) return false;
  ++task.trials;
  task.errors += result.verdict == Verdict::Ok ? 0 : 1;
  const bool best =
      eligible(record) && (task.bestRecord == 0 || result.latency() < task.bestSeconds);
  if (best) {
    task.bestRecord = record.id;
    task.bestSeconds = result.latency();
  }
  return best;
}

std::string codeText(std::int64_t code) {
  return fmt::format("{}{}", name(verdictOf(code & ~kForgottenCode)),
                     (code & kForgottenCode) != 0 ? ", forgotten" : "");
}

void checkTallies(Database& db, Expected& expected, std::vector<std::string>& problems) {
  Statement rows = db.prepare(
      "SELECT session, task, verdict, records, kernel_seconds FROM tally ORDER BY 1, 2, 3");
  while (rows.step()) {
    const auto key = std::tuple(rows.integer(0), rows.integer(1), int(rows.integer(2)));
    const ExpectedTally sums = expected.tallies[key];
    if (sums.records != rows.integer(3) || !near(sums.kernelSeconds, rows.real(4)))
      tell(problems,
           fmt::format("session {}, task {}: the tally says {} '{}' in {} s, there are {} in {} s",
                       rows.integer(0), rows.integer(1), quantity(rows.integer(3), "record"),
                       codeText(rows.integer(2)), rows.real(4), sums.records, sums.kernelSeconds),
           kSums);
    expected.tallies.erase(key);
  }
  for (const auto& [key, sums] : expected.tallies)
    tell(problems,
         fmt::format("session {}, task {}: the tally lacks {} '{}'", std::get<0>(key),
                     std::get<1>(key), quantity(sums.records, "record"),
                     codeText(std::get<2>(key))),
         kSums);
}

void checkSummary(const TaskSummary& stored, TaskSummary expected,
                  std::vector<std::string>& problems) {
  if (stored.trials != expected.trials || stored.errors != expected.errors ||
      !near(stored.kernelSeconds, expected.kernelSeconds))
    tell(problems,
         fmt::format("task {}: the summary says {}, {}, {} s; there are {}, {}, {} s", stored.task,
                     quantity(stored.trials, "trial"), quantity(stored.errors, "error"),
                     stored.kernelSeconds, expected.trials, expected.errors,
                     expected.kernelSeconds),
         kSums);
  if (expected.bestRecord == 0) expected.bestSeconds = kInfinity;
  if (stored.bestRecord != expected.bestRecord || stored.bestSeconds != expected.bestSeconds)
    tell(
        problems,
        fmt::format(
            "task {}: the summary says that record {} is best with {} s; it is record {} with {} s",
            stored.task, stored.bestRecord, stored.bestSeconds, expected.bestRecord,
            expected.bestSeconds),
        kSums);
}

/// The sums that are kept, against one another and the number of records.
void checkTotals(Database& db, std::vector<std::string>& problems) {
  const std::int64_t told = db.integer("SELECT sum(records) FROM tally");
  const std::int64_t there = db.integer("SELECT count(*) FROM record");
  if (told != there)
    tell(problems, fmt::format("the tally says {}, there are {}", quantity(told, "record"), there),
         kSums);
  Statement rows = db.prepare(
      "SELECT task_summary.task, trials, ifnull(sum(iif(verdict < ?, records, 0)), 0) AS counted "
      "FROM task_summary LEFT JOIN tally ON tally.task = task_summary.task "
      "GROUP BY task_summary.task HAVING trials <> counted");
  rows.bind(kForgottenCode);
  while (rows.step() && problems.size() < kMostProblems)
    tell(problems,
         fmt::format("task {}: the summary says {}, the tally {}", rows.integer(0),
                     quantity(rows.integer(1), "trial"), rows.integer(2)),
         kSums);
}

/// The pages of all tables but those that grow with the records.
void checkSmallTables(Database& db, std::vector<std::string>& problems) {
  Statement tables = db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('record', "
      "'record_block', 'error', 'trace', 'event', 'shape', 'evolution', 'import_problem') AND "
      "name NOT LIKE 'sqlite%'");
  std::vector<std::string> names;
  while (tables.step())
    names.push_back(tables.text(0));
  for (const std::string& name : names) {
    Statement rows = db.prepare(fmt::format("PRAGMA quick_check({})", name));
    while (rows.step())
      for (const std::string& problem : sqlite::integrityInWords(rows.view(0)))
        tell(problems, problem, kDamaged);
  }
}

/// Records here and there, always the same ones of a file.
void checkSomeRecords(Database& db, StoredRecords& stored, std::vector<std::string>& problems) {
  constexpr std::uint64_t kSome = 500;
  const std::int64_t last = db.integer("SELECT max(id) FROM record");
  Random random(std::uint64_t(last) + 1);
  Statement row = db.prepare("SELECT id, seconds, flags & 4 FROM record WHERE id >= ? LIMIT 1");
  for (std::uint64_t i = 0; i < kSome && last > 0 && problems.size() < kMostProblems; ++i) {
    row.reset();
    if (!row.bind(1 + std::int64_t(random.below(std::uint64_t(last)))).step()) continue;
    const RowId id = row.integer(0);
    const double seconds = row.isNull(1) ? kInfinity : row.real(1);
    try {
      if (const auto record = stored.read(id))
        checkRecord(*record, seconds, record->best, problems);
    } catch (const InputError& error) {
      tell(problems, fmt::format("record {}: {}", id, error.what()), kDamaged);
    }
  }
}

void checkQuickly(Database& db, StoredRecords& stored, std::vector<std::string>& problems) {
  // Which computes what the file says in its constraints and indexes.
  if (problems.empty()) checkSmallTables(db, problems);
  checkSessions(db, problems);
  checkTotals(db, problems);
  checkSomeRecords(db, stored, problems);
}

/// Every record; false when one cannot be read.
bool checkRecords(Database& db, StoredRecords& stored, Expected& expected,
                  const std::function<void(double)>& onProgress,
                  std::vector<std::string>& problems) {
  constexpr std::int64_t kBetween = 4096; // records between two words of progress
  bool allRead = true;
  const double last = std::max(1.0, double(db.integer("SELECT max(id) FROM record")));
  Statement rows = db.prepare("SELECT id, seconds FROM record ORDER BY id");
  for (std::int64_t read = 0; rows.step() && problems.size() < kMostProblems; ++read) {
    const RowId id = rows.integer(0);
    if (onProgress && read % kBetween == 0) onProgress(double(id) / last);
    const double seconds = rows.isNull(1) ? kInfinity : rows.real(1);
    try {
      if (const auto record = stored.read(id))
        checkRecord(*record, seconds, addTo(expected, *record), problems);
    } catch (const InputError& error) {
      tell(problems, fmt::format("record {}: {}", id, error.what()), kDamaged);
      allRead = false;
    }
  }
  return allRead;
}

void checkEverything(Database& db, StoredRecords& stored, const TaskRows& tasks,
                     const std::function<void(double)>& onProgress,
                     std::vector<std::string>& problems) {
  constexpr double kPages = 0.25, kRecords = 0.7; // of the whole, by time
  // Which computes what the file says in its constraints and indexes.
  if (problems.empty()) checkTables(db, problems);
  Expected expected;
  const bool allRead = checkRecords(
      db, stored, expected,
      [&](double part) {
        if (onProgress) onProgress(kPages + kRecords * part);
      },
      problems);
  // Only then the sums are known.
  if (allRead && problems.size() < kMostProblems) {
    checkTallies(db, expected, problems);
    for (const TaskSummary& summary : tasks.summaries())
      checkSummary(summary, expected.tasks[summary.task], problems);
  }
  checkBlocks(db, problems);
  checkTexts(db, problems);
}

} // namespace

std::vector<std::string> RecordStore::check(const CheckOptions& options) const {
  std::vector<std::string> problems;
  try {
    const sqlite::Snapshot moment(impl_->db);
    checkSchema(impl_->db, problems);
    if (options.quick)
      checkQuickly(impl_->db, impl_->storedRecords, problems);
    else
      checkEverything(impl_->db, impl_->storedRecords, impl_->tasks, options.onProgress, problems);
    checkModels(impl_->db, problems);
    checkChoices(impl_->db, problems);
  } catch (const QueryStopped&) {
    throw;
  } catch (const Error& error) {
    problems.push_back(error.what());
  }
  if (problems.size() > kMostProblems) problems.resize(kMostProblems);
  return problems;
}

} // namespace nestwright
