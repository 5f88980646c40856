/// Which records a query asks for: from the sums of their groups where those tell, and looking at
/// as few rows as possible where not.
#include "core/record/format/result_codec.h"
#include "core/record/query/rank_builder.h"
#include "core/support/error.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace nestwright {

using sqlite::Statement;

namespace {

/// Ids that are read between two words about progress.
constexpr RowId kStretch = 1 << 16;
/// Looking at every row of the table costs as much as looking up one of so many.
constexpr std::int64_t kLookUpCost = 8;

std::int64_t recordsOf(const std::vector<const RecordCell*>& groups) {
  std::int64_t records = 0;
  for (const RecordCell* group : groups)
    records += group->records;
  return records;
}

} // namespace

RankBuilder::RankBuilder(sqlite::Database& db, const BrowseQuery& query, const QuerySql& sql,
                         const std::function<void(double)>& progress)
    : db_(db), query_(query), sql_(sql), progress_(progress), order_(db, query.order) {
  groups_ = cellsOf(db, sql.group);
  all_ = db.integer("SELECT ifnull(sum(records), 0) FROM tally");
  first_ = db.integer("SELECT ifnull(min(id), 1) FROM record");
  last_ = db.integer("SELECT ifnull(max(id), 0) FROM record");
  if (last_ - first_ > RowId(std::numeric_limits<std::uint32_t>::max()))
    throw InputError(fmt::format(
        "{}: the numbers of its records are too far apart to list them all", db.path()));
}

IdSet RankBuilder::members() {
  if (sql_.few) {
    IdSet set(first_, last_);
    keepFew(set);
    return set;
  }
  IdSet set = ofGroups();
  if (query_.records.upTo != 0) set.cutAbove(query_.records.upTo);
  if (sql_.timed) keepTimes(set);
  if (!sql_.plain) keepMatching(set);
  return set;
}

/// Those of the groups that match. Imported logs make whole stretches of ids, and most queries take
/// nearly all of a stretch or nearly nothing, so that hardly any row is read.
IdSet RankBuilder::ofGroups() {
  IdSet set(first_, last_);
  std::map<std::pair<RowId, RowId>, std::vector<const RecordCell*>> wanted, others;
  std::vector<const RecordCell*> allWanted, allOthers;
  const std::vector<RecordCell> every = cellsOf(db_, {});
  std::set<std::tuple<RowId, RowId, int>> known;
  for (const RecordCell& group : groups_)
    known.insert({group.task, group.session, group.verdict});
  for (const RecordCell& group : every) {
    const bool want = known.contains({group.task, group.session, group.verdict});
    (want ? wanted : others)[{group.task, group.session}].push_back(&group);
    (want ? allWanted : allOthers).push_back(&group);
  }
  // The whole file at once, or task by task.
  if (all_ == last_ - first_ + 1 && recordsOf(allWanted) > all_ / 2) {
    addSpan(set, allWanted, allOthers);
  } else {
    for (const auto& [key, groups] : wanted)
      addSpan(set, groups, others[key]);
  }
  return set;
}

/// Adds the groups: as the stretch between their first and last record without the others, when
/// there is nothing else in between and that is less to read.
void RankBuilder::addSpan(IdSet& set, const std::vector<const RecordCell*>& groups,
                          const std::vector<const RecordCell*>& others) {
  RowId first = std::numeric_limits<RowId>::max(), last = 0;
  for (const auto* list : {&groups, &others})
    for (const RecordCell* group : *list) {
      first = std::min(first, group->first);
      last = std::max(last, group->last);
    }
  const std::int64_t in = recordsOf(groups), out = recordsOf(others);
  const bool whole = in + out == last - first + 1 && out < in;
  IdSet scanned(first_, last_);
  for (const RecordCell* group : whole ? others : groups)
    scanGroup(scanned, *group);
  if (whole) set.addRange(first, last);
  whole ? set.remove(scanned) : set.add(scanned);
}

void RankBuilder::scanGroup(IdSet& set, const RecordCell& group) {
  Statement rows =
      db_.prepare("SELECT id FROM record INDEXED BY record_by_group WHERE task = ? AND "
                  "session = ? AND verdict = ?");
  rows.bind(group.task, group.session, group.verdict);
  while (rows.step())
    set.add(rows.integer(0));
}

/// Those that the filter names one by one.
void RankBuilder::keepFew(IdSet& set) {
  SqlCondition all = sql_.record;
  if (!sql_.group.sql.empty()) all.add(sql_.group.sql);
  all.values.insert(all.values.end(), sql_.group.values.begin(), sql_.group.values.end());
  Statement rows = db_.prepare("SELECT id FROM record" + all.where());
  all.bind(rows);
  while (rows.step())
    set.add(rows.integer(0));
}

/// Only those within the bounds of the time. More than these conditions may be asked of them.
void RankBuilder::keepTimes(IdSet& set) {
  if (sql_.above == -kInfinity && sql_.below == kInfinity && !sql_.ofTask)
    return; // all good ones have a time
  // Where the bounds say all, rows need not.
  const bool exact = sql_.plain && sql_.throughput && sql_.above == -kInfinity &&
                     sql_.below == kInfinity && query_.records.upTo == 0;
  const bool own = sql_.plain && !exact; // then the conditions tell exactly, else they come later
  const std::string also = own ? sql_.record.also() : "";
  IdSet times(first_, last_);
  std::map<int, Statement> byVerdict;
  for (const RecordCell& group : groups_) {
    auto found = byVerdict.find(group.verdict);
    if (found == byVerdict.end())
      found = byVerdict
                  .emplace(group.verdict,
                           db_.prepare(fmt::format(
                               "SELECT id FROM record INDEXED BY {} WHERE verdict = {} AND task = "
                               "? AND session = ? AND seconds >= ? AND seconds <= ?{}",
                               group.verdict == 0 ? "record_by_speed" : "record_by_group",
                               group.verdict, also)))
                  .first;
    Statement& rows = found->second;
    const auto [above, below] = boundsOf(group);
    rows.reset();
    rows.bind(group.task, group.session, above, below);
    if (own) sql_.record.bind(rows, 5);
    while (rows.step())
      times.add(rows.integer(0));
  }
  set.intersect(times);
}

namespace {

/// Times of a task of so many operations with a throughput within the value, as a row would tell:
/// rounding included.
std::pair<double, double> timesOf(double flops, const FilterValue& value,
                                  std::pair<double, double> within) {
  constexpr double kGiga = 1e9;
  const auto matches = [&](double seconds) {
    const double gflops = flops / seconds / kGiga;
    return (value.lowOpen ? gflops > value.low : gflops >= value.low) &&
           (value.highOpen ? gflops < value.high : gflops <= value.high);
  };
  // Unknown operations give 0 for every time.
  if (flops <= 0 || value.high <= 0) return matches(1) ? within : std::pair(kInfinity, -kInfinity);
  constexpr int kUlps = 8; // that rounding may be off by
  const auto settled = [&](double bound, double outwards, double inwards) {
    double at = bound;
    for (int i = 0; i < kUlps; ++i)
      at = std::nextafter(at, outwards);
    for (int i = 0; i < 2 * kUlps && !matches(at); ++i)
      at = std::nextafter(at, inwards);
    return at;
  };
  auto [first, last] = within;
  if (value.low > 0) last = std::min(last, settled(flops / kGiga / value.low, kInfinity, 0));
  if (value.high < kInfinity)
    first = std::max(first, settled(flops / kGiga / value.high, 0, kInfinity));
  return {first, last};
}

} // namespace

/// Of the time of a group's records: those that are asked for, and what follows of the throughput.
/// A little wider than that, since the row decides.
std::pair<double, double> RankBuilder::boundsOf(const RecordCell& group) {
  constexpr double kWider = 1e-9, kGiga = 1e9;
  std::pair<double, double> bounds(sql_.above, sql_.below);
  if (!sql_.ofTask) return bounds;
  Statement task = db_.prepare("SELECT flops FROM task WHERE id = ?");
  if (!task.bind(group.task).step()) return bounds;
  const double flops = task.real(0);
  if (sql_.throughput) return timesOf(flops, *sql_.throughput, bounds);
  if (sql_.gflopsAbove > 0)
    bounds.second = std::min(bounds.second, flops / kGiga / sql_.gflopsAbove * (1 + kWider));
  if (sql_.gflopsBelow > 0)
    bounds.first = std::max(bounds.first, flops / kGiga / sql_.gflopsBelow * (1 - kWider));
  return bounds;
}

/// Only those whose rows fulfil the conditions.
void RankBuilder::keepMatching(IdSet& set) {
  IdSet kept(first_, last_);
  const std::int64_t candidates = set.size();
  if (candidates < all_ / kLookUpCost) {
    Statement row = db_.prepare("SELECT 1 FROM record WHERE id = ?" + sql_.record.also());
    std::int64_t seen = 0;
    for (RowId id = set.next(first_); id <= last_; id = set.next(id + 1)) {
      sql_.record.bind(row.bind(id), 2);
      if (row.step()) kept.add(id);
      row.reset();
      if (++seen % (1 << 14) == 0) told(double(seen) / double(candidates));
    }
  } else {
    Statement rows = db_.prepare(
        fmt::format("SELECT id FROM record WHERE id >= ? AND id < ?{}", sql_.record.also()));
    for (RowId from = set.next(first_); from <= last_; from = set.next(from + kStretch)) {
      rows.bind(from, from + kStretch);
      sql_.record.bind(rows, 3);
      while (rows.step())
        if (const RowId id = rows.integer(0); set.contains(id)) kept.add(id);
      rows.reset();
      told(double(from - first_) / double(last_ - first_ + 1));
    }
  }
  set = std::move(kept);
}

} // namespace nestwright
