#include "core/record/result_codec.h"
#include "core/record/store_impl.h"
#include "core/support/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;
using Order = RecordQuery::Order;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr RowId kNoId = std::numeric_limits<RowId>::max();
/// Up to so many matches in a range of times are sooner sorted by trial than looked for there.
constexpr std::int64_t kFewEnoughToSort = 20'000;

/// Records of one task, session and verdict (its code, so forgotten ones are apart): in each the
/// indexes keep both orders, so a page of any selection is the merge of the heads of its groups,
/// however many records there are.
struct Group {
  RowId task, session;
  int verdict;
  std::int64_t records;
};

/// The place of a record in the order asked for: smaller comes first.
struct Place {
  double key; // seconds, trial, rank of the task or verdict, each negative downwards; 0 by age
  RowId rank; // the id, negative where the newest comes first
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// The first `limit` of the places offered.
class Page {
 public:
  explicit Page(int limit) : limit_(std::size_t(std::max(limit, 0))) {}

  /// False when the place, and hence any later one of its group, comes too late for the page.
  bool offer(Place place) {
    if (places_.size() == limit_) {
      if (limit_ == 0 || !(place < places_.front())) return false;
      std::pop_heap(places_.begin(), places_.end());
      places_.pop_back();
    }
    places_.push_back(place);
    std::push_heap(places_.begin(), places_.end());
    return true;
  }
  /// Whether neither this place nor a later one can come into the page.
  bool isClosedTo(Place place) const {
    return places_.size() == limit_ && (limit_ == 0 || places_.front() < place);
  }

  std::vector<RowId> ids() && {
    std::sort_heap(places_.begin(), places_.end());
    std::vector<RowId> ids;
    for (const Place& place : places_)
      ids.push_back(std::abs(place.rank));
    return ids;
  }

 private:
  std::size_t limit_;
  std::vector<Place> places_; // a heap, the last place on top
};

bool isBySpeed(Order order) {
  return order == Order::Fastest || order == Order::Slowest;
}
bool isByTrial(Order order) {
  return order == Order::FirstTrial || order == Order::LastTrial;
}
/// Whether of two records that are otherwise equal the newer one comes first.
bool isNewestFirst(Order order) {
  return order != Order::Oldest && order != Order::Fastest && order != Order::FirstTrial;
}

/// One page of one query.
class Selection {
 public:
  Selection(Database& db, const RecordQuery& query, const QuerySql& sql)
      : db_(db), query_(query), sql_(sql), page_(query.limit) {
    if (query.order == Order::ByTask || query.order == Order::ByTaskDown) rankTasks();
    after_ = placeAfter();
  }

  std::vector<RowId> ids() && {
    if (sql_.few) {
      offerFew();
    } else if (isByTrial(query_.order)) {
      offerByTrial();
    } else if (isWhole()) {
      return wholeByAge();
    } else {
      offerGroups();
    }
    return std::move(page_).ids();
  }

 private:
  /// Without a filter the table itself has the order.
  bool isWhole() const {
    return (query_.order == Order::Newest || query_.order == Order::Oldest) && query_.task == 0 &&
           query_.session == 0 && !query_.verdict && !query_.onlyErrors &&
           query_.belowSeconds <= 0 && query_.filter.empty() &&
           query_.forgotten != RecordQuery::Forgotten::Only;
  }

  void rankTasks() {
    Statement rows = db_.prepare("SELECT id FROM task ORDER BY name COLLATE NOCASE, id");
    while (rows.step())
      taskRanks_.emplace(rows.integer(0), double(taskRanks_.size()));
  }

  double keyOf(const Group& group) const {
    switch (query_.order) {
    case Order::ByTask:
    case Order::ByTaskDown: {
      const auto rank = taskRanks_.find(group.task);
      const double key = rank == taskRanks_.end() ? -1 : rank->second;
      return query_.order == Order::ByTask ? key : -key;
    }
    case Order::ByVerdict:
      return group.verdict & ~kForgottenCode;
    case Order::ByVerdictDown:
      return -double(group.verdict & ~kForgottenCode);
    default:
      return 0;
    }
  }

  double speedKey(double seconds) const {
    return query_.order == Order::Slowest ? -seconds : seconds;
  }
  RowId rankOf(RowId id) const { return isNewestFirst(query_.order) ? -id : id; }

  /// Where the record stands, read from a row of `SELECT seconds, trial, task, verdict, id`.
  Place placeOf(const Statement& row) const {
    const Place place{0, rankOf(row.integer(4))};
    if (isBySpeed(query_.order))
      return row.isNull(0) ? Place{kInfinity, row.integer(4)}
                           : Place{speedKey(row.real(0)), place.rank};
    if (isByTrial(query_.order))
      return {query_.order == Order::LastTrial ? -row.real(1) : row.real(1), place.rank};
    return {keyOf({row.integer(2), 0, int(row.integer(3)), 0}), place.rank};
  }

  /// Where the record that the last page ended with stands.
  Place placeAfter() {
    if (!query_.after) return {-kInfinity, -kNoId}; // before everything
    const RowId id = query_.after->id;
    if (query_.order == Order::Newest || query_.order == Order::Oldest) return {0, rankOf(id)};
    Statement find =
        db_.prepare("SELECT seconds, trial, task, verdict, id FROM record WHERE id = ?");
    if (!find.bind(id).step())
      throw InputError(fmt::format("{}: there is no record {} to go on after", db_.path(), id));
    return placeOf(find);
  }

  std::vector<Group> groups() {
    std::vector<Group> groups;
    Statement rows = db_.prepare(
        "SELECT task, session, verdict, records FROM tally WHERE records > 0" + sql_.group.also());
    sql_.group.bind(rows);
    while (rows.step())
      groups.push_back({rows.integer(0), rows.integer(1), int(rows.integer(2)), rows.integer(3)});
    return groups;
  }

  /// The first record of the group in the order by age, after the last page; its rank, smaller
  /// first, or kNoId when there is none.
  RowId headOf(const Group& group) {
    const bool newest = isNewestFirst(query_.order);
    Statement row = db_.prepare(fmt::format(
        "SELECT id FROM record INDEXED BY record_by_group WHERE task = ? AND session = ? AND "
        "verdict = ? AND id {} ? ORDER BY id{} LIMIT 1",
        newest ? "<" : ">", newest ? " DESC" : ""));
    row.bind(group.task, group.session, group.verdict, boundOf(keyOf(group)));
    return row.step() ? rankOf(row.integer(0)) : kNoId;
  }

  void offerGroups() {
    const std::vector<Group> all = groups();
    if (isBySpeed(query_.order)) {
      for (const Group& group : all)
        offerBySpeed(group);
      return;
    }
    // Those that begin first fill the page, and most others need not be read.
    std::vector<std::pair<Place, Group>> heads;
    for (const Group& group : all)
      if (const double key = keyOf(group); key >= after_.key)
        if (const RowId rank = headOf(group); rank != kNoId) heads.push_back({{key, rank}, group});
    std::sort(heads.begin(), heads.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [head, group] : heads) {
      if (page_.isClosedTo(head)) return;
      offerByAge(group);
    }
  }

  /// The id that those of a group with this key lie after.
  RowId boundOf(double key) const {
    if (key > after_.key) return isNewestFirst(query_.order) ? kNoId : -1;
    return std::abs(after_.rank);
  }

  void offerByAge(const Group& group) {
    const double key = keyOf(group);
    const bool newest = isNewestFirst(query_.order);
    const RowId bound = boundOf(key);
    const bool bySpeed = group.verdict == 0 && hasBounds() && areFewInBounds(group);
    Statement rows = db_.prepare(fmt::format(
        "SELECT id FROM record INDEXED BY {} WHERE task = ?1 AND session = ?2 AND verdict = {} AND "
        "{}id {} ?3 AND {} {} ORDER BY id{}",
        bySpeed ? "record_by_speed" : "record_by_group", group.verdict, bySpeed ? "+" : "",
        newest ? "<" : ">", bySpeed ? "seconds >= ?4 AND seconds <= ?5" : "?4 <= ?5",
        sql_.record.also(), newest ? " DESC" : ""));
    rows.bind(group.task, group.session, bound, sql_.above, sql_.below);
    sql_.record.bind(rows, 6);
    while (rows.step() && page_.offer({key, rankOf(rows.integer(0))})) {
    }
  }

  bool hasBounds() const { return sql_.above > -kInfinity || sql_.below < kInfinity; }

  /// Records of the group within the bounds of the time, counted up to `most`.
  std::int64_t countInBounds(const Group& group, std::int64_t most) {
    Statement count = db_.prepare(
        "SELECT count(*) FROM (SELECT 1 FROM record INDEXED BY record_by_speed WHERE verdict = 0 "
        "AND task = ? AND session = ? AND seconds >= ? AND seconds <= ? LIMIT ?)");
    count.bind(group.task, group.session, sql_.above, sql_.below, most);
    return count.step() ? count.integer(0) : 0;
  }
  /// Whether sorting those within the bounds costs less than looking for a page of them by age:
  /// of n records that m match, about limit n / m have to be looked at.
  bool areFewInBounds(const Group& group) {
    const auto most = std::int64_t(std::sqrt(double(query_.limit) * double(group.records))) + 1;
    return countInBounds(group, most) < most;
  }

  void offerBySpeed(const Group& group) {
    if ((group.verdict & ~kForgottenCode) != 0) return offerErrors(group);
    if (after_.key == kInfinity) return; // all with a time were on earlier pages
    const bool slowest = query_.order == Order::Slowest;
    // The index is entered where both the page and the bounds begin.
    double from = slowest ? -after_.key : after_.key;
    RowId id = std::abs(after_.rank);
    if (after_.key == -kInfinity) id = slowest ? kNoId : -1;
    if (slowest ? sql_.below < from : sql_.above > from) {
      from = slowest ? sql_.below : sql_.above;
      id = slowest ? kNoId : -1;
    }
    // Forgotten records are few enough to be sorted.
    Statement rows = db_.prepare(fmt::format(
        "SELECT seconds, id FROM record INDEXED BY {0} WHERE verdict = {1} AND task = ? AND "
        "session = ? AND (seconds, id) {2} (?, ?) AND seconds {3} ?{4} ORDER BY seconds{5}, id{5}",
        group.verdict == 0 ? "record_by_speed" : "record_by_group", group.verdict,
        slowest ? "<" : ">", slowest ? ">=" : "<=", sql_.record.also(), slowest ? " DESC" : ""));
    rows.bind(group.task, group.session, from, id, slowest ? sql_.above : sql_.below);
    sql_.record.bind(rows, 6);
    while (rows.step() && page_.offer({speedKey(rows.real(0)), rankOf(rows.integer(1))})) {
    }
  }

  void offerErrors(const Group& group) { // they come last, the oldest first
    if (sql_.timed) return;
    const RowId id = after_.key == kInfinity ? after_.rank : -1;
    Statement rows = db_.prepare(
        fmt::format("SELECT id FROM record INDEXED BY record_by_group WHERE task = ? AND session = "
                    "? AND verdict = {} AND id > ?{} ORDER BY id",
                    group.verdict, sql_.record.also()));
    rows.bind(group.task, group.session, id);
    sql_.record.bind(rows, 4);
    while (rows.step() && page_.offer({kInfinity, rows.integer(0)})) {
    }
  }

  void offerByTrial() {
    const std::vector<Group> all = groups();
    if (hasBounds()) {
      std::int64_t left = kFewEnoughToSort;
      for (const Group& group : all)
        if (left > 0) left -= group.verdict == 0 ? countInBounds(group, left) : group.records;
      if (left > 0) {
        for (const Group& group : all)
          offerInBounds(group);
        return;
      }
    }
    std::set<RowId> sessions;
    for (const Group& group : all)
      sessions.insert(group.session);
    for (const RowId session : sessions)
      offerTrialsOf(session);
  }

  void offerTrialsOf(RowId session) {
    const bool last = query_.order == Order::LastTrial;
    Statement rows = db_.prepare(fmt::format(
        "SELECT trial, id FROM record INDEXED BY record_by_trial WHERE session = ? AND trial {} ?"
        "{}{} ORDER BY trial{}",
        last ? "<=" : ">=", sql_.group.also(), sql_.record.also(), last ? " DESC" : ""));
    rows.bind(session, last ? -after_.key : after_.key);
    sql_.record.bind(rows, sql_.group.bind(rows, 3));
    while (rows.step()) {
      const Place place{last ? -rows.real(0) : rows.real(0), rankOf(rows.integer(1))};
      if (place <= after_) continue; // the same trial of another session
      if (!page_.offer(place)) return;
    }
  }

  /// All of the group within the bounds of the time, whatever the order.
  void offerInBounds(const Group& group) {
    Statement rows = db_.prepare(fmt::format(
        "SELECT seconds, trial, task, verdict, id FROM record INDEXED BY {} WHERE task = ? AND "
        "session = ? AND verdict = {} AND seconds >= ? AND seconds <= ?{}",
        group.verdict == 0 ? "record_by_speed" : "record_by_group", group.verdict,
        sql_.record.also()));
    rows.bind(group.task, group.session, sql_.above, sql_.below);
    sql_.record.bind(rows, 5);
    while (rows.step())
      if (const Place place = placeOf(rows); after_ < place) page_.offer(place);
  }

  /// Those that the filter names one by one, whatever group they are in.
  void offerFew() {
    SqlCondition all = sql_.record;
    if (!sql_.group.sql.empty()) all.add(sql_.group.sql);
    all.values.insert(all.values.end(), sql_.group.values.begin(), sql_.group.values.end());
    Statement rows =
        db_.prepare("SELECT seconds, trial, task, verdict, id FROM record" + all.where());
    all.bind(rows);
    while (rows.step())
      if (const Place place = placeOf(rows); after_ < place) page_.offer(place);
  }

  std::vector<RowId> wholeByAge() {
    const bool newest = query_.order == Order::Newest;
    Statement rows = db_.prepare(
        fmt::format("SELECT id FROM record WHERE id {} ? AND verdict < ?{} ORDER BY id{} LIMIT ?",
                    newest ? "<" : ">", sql_.record.also(), newest ? " DESC" : ""));
    const bool all = query_.forgotten == RecordQuery::Forgotten::With;
    rows.bind(query_.after ? query_.after->id
              : newest     ? kNoId
                           : -1,
              all ? 2 * kForgottenCode : kForgottenCode);
    rows.bindAt(sql_.record.bind(rows, 3), std::max(query_.limit, 0));
    std::vector<RowId> ids;
    while (rows.step())
      ids.push_back(rows.integer(0));
    return ids;
  }

  Database& db_;
  const RecordQuery& query_;
  const QuerySql& sql_;
  Page page_;
  Place after_{};
  std::map<RowId, double> taskRanks_;
};

} // namespace

std::vector<RowId> RecordStore::Impl::select(const RecordQuery& query, const QuerySql& sql) {
  return Selection(db, query, sql).ids();
}

} // namespace nestwright
