#include "core/record/select/record_figures.h"

#include "core/record/format/result_codec.h"
#include "core/record/select/record_cells.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nestwright {

namespace {

using sqlite::Statement;

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
  double best_ = kInfinity, worst_ = 0, mean_ = 0, squares_ = 0;
};

void setVerdicts(RecordStatistics& figures, const std::map<int, std::int64_t>& verdicts) {
  for (const auto& [code, records] : verdicts) {
    figures.verdicts.push_back({verdictOf(code), records});
    figures.records += records;
  }
}

} // namespace

std::int64_t countOf(sqlite::Database& db, const RecordQuery& query) {
  const QuerySql sql = conditionsOf(db, query);
  const sqlite::Snapshot moment(db);
  if (sql.few) {
    const SqlCondition all = joined(sql.record, sql.group);
    Statement row = db.prepare("SELECT count(*) FROM record" + all.where());
    all.bind(row);
    return row.step() ? row.integer(0) : 0;
  }
  std::int64_t records = 0;
  for (const RecordCell& group : cellsOf(db, sql.group)) {
    if (sql.record.sql.empty()) {
      records += group.records;
      continue;
    }
    Statement row = recordsOf(db, sql, group, "count(*)");
    if (row.step()) records += row.integer(0);
  }
  return records;
}

RecordStatistics statisticsOf(sqlite::Database& db, const RecordQuery& query, int bins) {
  const QuerySql sql = conditionsOf(db, query);
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
    for (const RecordCell& group : cellsOf(db, sql.group)) {
      const int code = group.verdict & ~kForgottenCode;
      if (code != 0 && sql.record.sql.empty()) {
        verdicts[code] += group.records;
        continue;
      }
      QuerySql own{.group = {}, .record = sql.record};
      own.onlyTimed = sql.onlyTimed || sql.record.sql.empty();
      Statement rows = recordsOf(db, own, group, "seconds");
      while (rows.step())
        take(rows, group.verdict);
    }
  }
  setVerdicts(figures, verdicts);
  times.finish(figures, bins);
  return figures;
}

RecordStatistics statisticsOf(sqlite::Database& db, const std::vector<RowId>& records, int bins) {
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

} // namespace nestwright
