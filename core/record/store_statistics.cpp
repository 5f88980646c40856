/// Counting, and figures of what a query asks for; reading that can be told to stop.
#include "core/record/result_codec.h"
#include "core/record/step_codec.h"
#include "core/record/store_impl.h"
#include "core/support/error.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

/// Steps of SQLite's machine between two questions; some 100 µs.
constexpr int kStepsBetween = 20'000;

struct GroupSize {
  RowId task, session;
  int verdict;
  std::int64_t records;
};

std::vector<GroupSize> groupSizes(Database& db, const SqlCondition& condition) {
  std::vector<GroupSize> groups;
  Statement rows = db.prepare(
      "SELECT task, session, verdict, records FROM tally WHERE records > 0" + condition.also());
  condition.bind(rows);
  while (rows.step())
    groups.push_back({rows.integer(0), rows.integer(1), int(rows.integer(2)), rows.integer(3)});
  return groups;
}

SqlCondition joined(const SqlCondition& a, const SqlCondition& b) {
  SqlCondition all = a;
  if (!b.sql.empty()) all.add(b.sql);
  all.values.insert(all.values.end(), b.values.begin(), b.values.end());
  return all;
}

/// Reads `what` of the matching records of one group.
Statement ofGroup(Database& db, const QuerySql& sql, const GroupSize& group,
                  const std::string& what) {
  // The index by speed holds all that is asked for where only times are.
  const bool bySpeed = group.verdict == 0 && sql.onlyTimed;
  Statement rows = db.prepare(fmt::format(
      "SELECT {} FROM record INDEXED BY {} WHERE task = ?1 AND session = ?2 AND verdict = {} AND {}"
      "{}",
      what, bySpeed ? "record_by_speed" : "record_by_group", group.verdict,
      bySpeed ? "seconds >= ?3 AND seconds <= ?4" : "?3 <= ?4", sql.record.also()));
  rows.bind(group.task, group.session, sql.above, sql.below);
  sql.record.bind(rows, 5);
  return rows;
}

/// Takes times one by one, gives the figures at the end.
class Figures {
 public:
  void add(double seconds) {
    times_.push_back(float(seconds));
    best_ = std::min(best_, seconds);
    worst_ = std::max(worst_, seconds);
    // Welford: exact also where the times differ little.
    const double step = seconds - mean_;
    mean_ += step / double(times_.size());
    squares_ += step * (seconds - mean_);
  }

  void finish(RecordStatistics& figures, int bins) {
    const std::size_t n = times_.size();
    figures.measured = std::int64_t(n);
    figures.bins.assign(std::size_t(std::max(bins, 1)), 0);
    if (n == 0) return;
    figures.best = best_;
    figures.worst = worst_;
    figures.mean = mean_;
    figures.deviation = n > 1 ? std::sqrt(squares_ / double(n - 1)) : 0;
    fill(figures.bins);
    figures.lowQuartile = quantile(0.25);
    figures.median = quantile(0.5);
    figures.highQuartile = quantile(0.75);
  }

 private:
  void fill(std::vector<std::int64_t>& bins) const {
    const double width = std::log(worst_ / best_) / double(bins.size());
    for (const float time : times_) {
      const double at = width > 0 ? std::log(double(time) / best_) / width : 0;
      ++bins[std::size_t(std::clamp(at, 0.0, double(bins.size() - 1)))];
    }
  }

  /// Between the two nearest ranks. Orders the times on the way.
  double quantile(double part) {
    const double rank = part * double(times_.size() - 1);
    const auto low = times_.begin() + std::ptrdiff_t(rank);
    std::nth_element(times_.begin(), low, times_.end());
    const double rest = rank - std::floor(rank);
    if (rest == 0) return within(*low);
    const float next = *std::min_element(low + 1, times_.end());
    return within(double(*low) + rest * (double(next) - double(*low)));
  }
  /// Rounding to 4 bytes must not put a quantile before the best.
  double within(double seconds) const { return std::clamp(seconds, best_, worst_); }

  std::vector<float> times_; // 4 bytes are exact enough for quantiles of 50 million
  double best_ = std::numeric_limits<double>::infinity(), worst_ = 0, mean_ = 0, squares_ = 0;
};

/// Lets a connection that only reads write to its own temporary tables.
class TemporaryWriting {
 public:
  explicit TemporaryWriting(Database& db)
      : db_(db), guarded_(db.integer("PRAGMA query_only") != 0) {
    if (guarded_) db_.execute("PRAGMA query_only = OFF");
  }
  ~TemporaryWriting() {
    if (guarded_) sqlite3_exec(db_.handle(), "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
  }
  TemporaryWriting(const TemporaryWriting&) = delete;
  TemporaryWriting& operator=(const TemporaryWriting&) = delete;

 private:
  Database& db_;
  bool guarded_;
};

void setVerdicts(RecordStatistics& figures, const std::map<int, std::int64_t>& verdicts) {
  for (const auto& [code, records] : verdicts) {
    figures.verdicts.push_back({verdictOf(code), records});
    figures.records += records;
  }
}

} // namespace

QuerySql RecordStore::Impl::conditions(const RecordQuery& query) {
  QuerySql sql = toSql(query, hasTags());
  if (sql.stepKinds.empty()) return sql;
  const TemporaryWriting allowed(db);
  db.execute("CREATE TEMP TABLE IF NOT EXISTS step_shape (kind INTEGER, shape INTEGER, "
             "PRIMARY KEY (kind, shape)) WITHOUT ROWID");
  // Kind 0 stands for every shape that was looked at, so that only new ones are read.
  const std::int64_t seen =
      db.integer("SELECT ifnull(max(shape), 0) FROM temp.step_shape WHERE kind = 0");
  db.execute("SAVEPOINT step_shapes");
  try {
    Statement rows = db.prepare("SELECT id, steps FROM shape WHERE id > ?");
    Statement insert = db.prepare("INSERT INTO temp.step_shape (kind, shape) VALUES (?, ?)");
    rows.bind(seen);
    while (rows.step()) {
      insert.bind(0, rows.integer(0)).run();
      for (const int kind : stepKinds(rows.view(1)))
        insert.bind(kind, rows.integer(0)).run();
    }
  } catch (...) {
    db.execute("ROLLBACK TO step_shapes; RELEASE step_shapes");
    throw;
  }
  db.execute("RELEASE step_shapes");
  return sql;
}

std::int64_t RecordStore::count(const RecordQuery& query) const {
  auto& db = impl_->db;
  const QuerySql sql = impl_->conditions(query);
  const sqlite::Snapshot moment(db);
  if (sql.few) {
    const SqlCondition all = joined(sql.record, sql.group);
    Statement row = db.prepare("SELECT count(*) FROM record" + all.where());
    all.bind(row);
    return row.step() ? row.integer(0) : 0;
  }
  std::int64_t records = 0;
  for (const GroupSize& group : groupSizes(db, sql.group)) {
    if (sql.record.sql.empty()) {
      records += group.records;
      continue;
    }
    Statement row = ofGroup(db, sql, group, "count(*)");
    if (row.step()) records += row.integer(0);
  }
  return records;
}

RecordStatistics RecordStore::statistics(const RecordQuery& query, int bins) const {
  auto& db = impl_->db;
  const QuerySql sql = impl_->conditions(query);
  const sqlite::Snapshot moment(db);
  RecordStatistics figures;
  Figures times;
  std::map<int, std::int64_t> verdicts;
  const auto take = [&](const Statement& row, int code) {
    ++verdicts[code & ~kForgottenCode];
    if (!row.isNull(0)) times.add(row.real(0));
  };
  if (sql.few) {
    const SqlCondition all = joined(sql.record, sql.group);
    Statement rows = db.prepare("SELECT seconds, verdict FROM record" + all.where());
    all.bind(rows);
    while (rows.step())
      take(rows, int(rows.integer(1)));
  } else {
    for (const GroupSize& group : groupSizes(db, sql.group)) {
      const int code = group.verdict & ~kForgottenCode;
      if (code != 0 && sql.record.sql.empty()) {
        verdicts[code] += group.records;
        continue;
      }
      QuerySql own{.group = {}, .record = sql.record, .stepKinds = {}};
      own.onlyTimed = sql.onlyTimed || sql.record.sql.empty();
      Statement rows = ofGroup(db, own, group, "seconds");
      while (rows.step())
        take(rows, group.verdict);
    }
  }
  setVerdicts(figures, verdicts);
  times.finish(figures, bins);
  return figures;
}

RecordStatistics RecordStore::statistics(const std::vector<RowId>& records, int bins) const {
  auto& db = impl_->db;
  const sqlite::Snapshot moment(db);
  RecordStatistics figures;
  Figures times;
  std::map<int, std::int64_t> verdicts;
  Statement row = db.prepare("SELECT seconds, verdict FROM record WHERE id = ?");
  for (const RowId id : records) {
    if (row.bind(id).step()) {
      ++verdicts[int(row.integer(1)) & ~kForgottenCode];
      if (!row.isNull(0)) times.add(row.real(0));
    }
    row.reset();
  }
  setVerdicts(figures, verdicts);
  times.finish(figures, bins);
  return figures;
}

void RecordStore::interruptible(const std::function<bool()>& goOn,
                                const std::function<void()>& body) const {
  sqlite3* const handle = impl_->db.handle();
  // The question may not throw through SQLite.
  const auto ask = [](void* question) noexcept {
    return (*static_cast<const std::function<bool()>*>(question))() ? 0 : 1;
  };
  sqlite3_progress_handler(handle, kStepsBetween, ask, const_cast<std::function<bool()>*>(&goOn));
  const std::unique_ptr<sqlite3, void (*)(sqlite3*)> reset(
      handle, [](sqlite3* db) { sqlite3_progress_handler(db, 0, nullptr, nullptr); });
  body();
}

} // namespace nestwright
