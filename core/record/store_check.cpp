#include "core/record/result_codec.h"
#include "core/record/step_codec.h"
#include "core/record/store_impl.h"
#include "core/support/error.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostProblems = 20;

struct Sums {
  std::int64_t records = 0;
  double kernelSeconds = 0;
};

/// Everything that the summaries should say.
struct Expected {
  std::map<std::tuple<RowId, RowId, int>, Sums> tallies; // session, task, verdict
  std::map<RowId, TaskSummary> tasks;
};

/// Sums are made in the order of insertion, but a merged file need not keep that order.
bool near(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * (1 + std::abs(a));
}

void checkTables(Database& db, std::vector<std::string>& problems) {
  Statement integrity = db.prepare("PRAGMA integrity_check(20)");
  while (integrity.step())
    if (integrity.view(0) != "ok") problems.push_back(integrity.text(0));
  Statement references = db.prepare("PRAGMA foreign_key_check");
  while (references.step() && problems.size() < kMostProblems)
    problems.push_back(fmt::format("{} {} names a row of {} that is not there", references.view(0),
                                   references.integer(1), references.view(2)));
}

/// What a record says twice must agree: its time as queries see it, and whether it became best.
void checkRecord(const Record& record, double seconds, bool best,
                 std::vector<std::string>& problems) {
  if (seconds != record.result.median())
    problems.push_back(fmt::format("record {}: its time is {} s, its repeats say {} s", record.id,
                                   seconds, record.result.median()));
  if (best != record.best)
    problems.push_back(fmt::format("record {}: it is {}marked as a best", record.id,
                                   record.best ? "wrongly " : "not "));
}

/// Adds the record; true when it becomes its task's best.
bool addTo(Expected& expected, const Record& record) {
  const auto& result = record.result;
  const int code = codeOf(result.verdict) | (record.forgotten ? kForgottenCode : 0);
  Sums& tally = expected.tallies[{record.session, record.task, code}];
  ++tally.records;
  tally.kernelSeconds += result.runSeconds;
  TaskSummary& task = expected.tasks[record.task];
  task.kernelSeconds += result.runSeconds;
  if (record.forgotten) return false;
  ++task.trials;
  task.errors += result.verdict == Verdict::Ok ? 0 : 1;
  const bool best =
      eligible(record) && (task.bestRecord == 0 || result.median() < task.bestSeconds);
  if (best) {
    task.bestRecord = record.id;
    task.bestSeconds = result.median();
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
    const Sums sums = expected.tallies[key];
    if (sums.records != rows.integer(3) || !near(sums.kernelSeconds, rows.real(4)))
      problems.push_back(fmt::format(
          "session {}, task {}: the tally says {} records '{}' in {} s, there are {} in {} s",
          rows.integer(0), rows.integer(1), rows.integer(3), codeText(rows.integer(2)),
          rows.real(4), sums.records, sums.kernelSeconds));
    expected.tallies.erase(key);
  }
  for (const auto& [key, sums] : expected.tallies)
    problems.push_back(fmt::format("session {}, task {}: {} records '{}' are not in the tally",
                                   std::get<0>(key), std::get<1>(key), sums.records,
                                   codeText(std::get<2>(key))));
}

void checkSummary(const TaskSummary& stored, TaskSummary expected,
                  std::vector<std::string>& problems) {
  if (stored.trials != expected.trials || stored.errors != expected.errors ||
      !near(stored.kernelSeconds, expected.kernelSeconds))
    problems.push_back(
        fmt::format("task {}: the summary says {} trials, {} errors, {} s; there are {}, {}, {} s",
                    stored.task, stored.trials, stored.errors, stored.kernelSeconds,
                    expected.trials, expected.errors, expected.kernelSeconds));
  if (expected.bestRecord == 0) expected.bestSeconds = kInfinity;
  if (stored.bestRecord != expected.bestRecord || stored.bestSeconds != expected.bestSeconds)
    problems.push_back(fmt::format(
        "task {}: the summary says that record {} is best with {} s; it is record {} with {} s",
        stored.task, stored.bestRecord, stored.bestSeconds, expected.bestRecord,
        expected.bestSeconds));
}

} // namespace

std::vector<std::string> RecordStore::check() const {
  std::vector<std::string> problems;
  try {
    const sqlite::Snapshot moment(impl_->db);
    checkTables(impl_->db, problems);
    Expected expected;
    Statement rows = impl_->db.prepare("SELECT id, seconds FROM record ORDER BY id");
    while (rows.step() && problems.size() < kMostProblems) {
      const double seconds = rows.isNull(1) ? kInfinity : rows.real(1);
      try {
        if (const auto record = impl_->record(rows.integer(0)))
          checkRecord(*record, seconds, addTo(expected, *record), problems);
      } catch (const InputError& error) {
        problems.push_back(error.what());
      }
    }
    checkTallies(impl_->db, expected, problems);
    for (const TaskSummary& stored : summaries())
      checkSummary(stored, expected.tasks[stored.task], problems);
  } catch (const Error& error) {
    problems.push_back(error.what());
  }
  if (problems.size() > kMostProblems) problems.resize(kMostProblems);
  return problems;
}

} // namespace nestwright
