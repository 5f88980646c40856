#include "core/record/select/select_page.h"

#include "core/record/format/result_codec.h"
#include "core/record/select/record_cells.h"
#include "core/support/error.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;
using Group = RecordCell;
using Place = RecordPlace;

constexpr RowId kNoId = RecordOrder::kNoId;
/// So many records are sooner gathered and sorted than looked for in the order of another index.
constexpr std::int64_t kFewEnoughToSort = 20'000;

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
      ids.push_back(place.record());
    return ids;
  }

 private:
  std::size_t limit_;
  std::vector<Place> places_; // a heap, the last place on top
};

/// One page of one query, as if its order ran backwards when it is asked for the page before.
class Selection {
 public:
  Selection(Database& db, const BrowseQuery& browse, const QuerySql& sql)
      : db_(db), query_(browse), sql_(sql), order_(db, browse.order, browse.backwards),
        page_(browse.limit) {
    after_ = placeAfter();
  }

  std::vector<RowId> ids() && {
    std::vector<RowId> ids;
    if (isWhole()) {
      ids = wholeByAge();
    } else {
      offer();
      ids = std::move(page_).ids();
    }
    if (order_.backwards()) std::reverse(ids.begin(), ids.end());
    return ids;
  }

 private:
  void offer() {
    if (sql_.few || order_.isUnindexed()) return offerAll();
    const std::vector<Group> all = cellsOf(db_, sql_.group);
    std::int64_t records = 0;
    for (const Group& group : all)
      records += group.records;
    if (order_.isBySpeed()) return offerBySpeed(all);
    if (offerInBounds(all, records)) return;
    if (order_.isByTrial())
      offerByTrial(all, records);
    else
      offerByAge(all);
  }

  /// Without a filter the table itself has the order.
  bool isWhole() const {
    const RecordQuery& asked = query_.records;
    return order_.isByAge() && asked.task == 0 && asked.session == 0 && !asked.verdict &&
           !asked.onlyErrors && asked.belowSeconds <= 0 && asked.filter.empty() &&
           (asked.forgotten != RecordQuery::Forgotten::Only || asked.marks != nullptr);
  }

  /// Where the record that the last page ended with stands.
  Place placeAfter() {
    if (query_.after == 0) return RecordOrder::start();
    const RowId id = query_.after;
    if (order_.isByAge()) return {0, order_.rankOf(id)};
    Statement find = db_.prepare(fmt::format("SELECT {} FROM record WHERE id = ?", kPlaceColumns));
    if (!find.bind(id).step())
      throw InputError(fmt::format("{}: there is no record {} to go on after", db_.path(), id));
    return order_.placeOf(find);
  }

  /// Offers a row of kPlaceColumns, from wherever it comes.
  void offerRow(const Statement& row) {
    if (const Place place = order_.placeOf(row); after_ < place) page_.offer(place);
  }

  void offerByAge(const std::vector<Group>& all) {
    // Groups that may begin first fill the page, and most others need not be read.
    std::vector<std::pair<Place, const Group*>> heads;
    const bool newest = order_.isNewestFirst();
    for (const Group& group : all) {
      const double key = order_.keyOf(group);
      if (key < after_.key) continue;
      const RowId bound = boundOf(key);
      if (newest ? group.first >= bound : group.last <= bound) continue;
      const RowId head = newest ? -std::min(group.last, bound) : std::max(group.first, bound);
      heads.push_back({{key, head}, &group});
    }
    std::sort(heads.begin(), heads.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [head, group] : heads) {
      if (page_.isClosedTo(head)) return;
      offerByAge(*group);
    }
  }

  /// The id that those of a group with this key lie after.
  RowId boundOf(double key) const {
    if (key > after_.key) return order_.isNewestFirst() ? kNoId : -1;
    return std::abs(after_.rank);
  }

  void offerByAge(const Group& group) {
    const double key = order_.keyOf(group);
    const bool newest = order_.isNewestFirst();
    Statement rows = db_.prepare(fmt::format(
        "SELECT id FROM record INDEXED BY record_by_group WHERE task = ? AND session = ? AND "
        "verdict = ? AND id {} ?{} ORDER BY id{}",
        newest ? "<" : ">", sql_.record.also(), newest ? " DESC" : ""));
    rows.bind(group.task, group.session, group.verdict, boundOf(key));
    sql_.record.bind(rows, 5);
    while (rows.step() && page_.offer({key, order_.rankOf(rows.integer(0))})) {
    }
  }

  bool hasBounds() const { return sql_.above > -kInfinity || sql_.below < kInfinity; }

  /// Where the time is bounded so closely that sorting what lies between costs less than looking
  /// for a page of it (of n records that m match, about limit n / m have to be looked at), does so.
  bool offerInBounds(const std::vector<Group>& all, std::int64_t records) {
    if (!hasBounds()) return false;
    const auto most = std::int64_t(std::sqrt(double(query_.limit) * double(records))) + 1;
    const auto ofGroup = [](const std::string& what, const std::string& also) {
      return fmt::format("SELECT {} FROM record INDEXED BY record_by_speed WHERE task = ? AND "
                         "session = ? AND verdict = 0 AND seconds >= ? AND seconds <= ?{}",
                         what, also);
    };
    Statement count =
        db_.prepare(fmt::format("SELECT count(*) FROM ({})", ofGroup("1", " LIMIT ?")));
    std::int64_t found = 0;
    for (const Group& group : all) {
      if (group.verdict != 0) continue;
      count.reset();
      count.bind(group.task, group.session, sql_.above, sql_.below, most - found).step();
      found += count.integer(0);
      if (found >= most) return false;
    }
    Statement rows = db_.prepare(ofGroup(kPlaceColumns, sql_.record.also()));
    for (const Group& group : all) {
      if (group.verdict == kForgottenCode) offerWhole(group); // in no index by time, but few
      if (group.verdict != 0) continue;
      rows.reset();
      rows.bind(group.task, group.session, sql_.above, sql_.below);
      sql_.record.bind(rows, 5);
      while (rows.step())
        offerRow(rows);
    }
    return true;
  }

  /// All of the group, whatever the order.
  void offerWhole(const Group& group) {
    Statement rows = db_.prepare(fmt::format(
        "SELECT {} FROM record INDEXED BY record_by_group WHERE task = ? AND session = ? AND "
        "verdict = ?{}",
        kPlaceColumns, sql_.record.also()));
    rows.bind(group.task, group.session, group.verdict);
    sql_.record.bind(rows, 4);
    while (rows.step())
      offerRow(rows);
  }

  void offerBySpeed(const std::vector<Group>& all) {
    for (const Group& group : all)
      if (group.verdict == kForgottenCode) offerWhole(group);
    offerTimes(all);
    if (!sql_.timed) offerErrors(all);
  }

  /// Records with a time: of each group as many as still come into the page.
  void offerTimes(const std::vector<Group>& all) {
    const bool down = order_.isDown();
    if (after_.key == kInfinity) return; // all with a time were on earlier pages
    // The index is entered where both the page and the bounds begin.
    double from = down ? -after_.key : after_.key;
    RowId id = std::abs(after_.rank);
    if (after_.key == -kInfinity) id = down ? kNoId : -1;
    if (down ? sql_.below < from : sql_.above > from) {
      from = down ? sql_.below : sql_.above;
      id = down ? kNoId : -1;
    }
    Statement rows = db_.prepare(fmt::format(
        "SELECT seconds, id FROM record INDEXED BY record_by_speed WHERE verdict = 0 AND task = ? "
        "AND session = ? AND (seconds, id) {} (?, ?) AND seconds {} ?{} ORDER BY seconds{}, id{}",
        down ? "<" : ">", down ? ">=" : "<=", sql_.record.also(), down ? " DESC" : "",
        down ? " DESC" : ""));
    for (const Group& group : all) {
      if (group.verdict != 0) continue;
      rows.reset();
      rows.bind(group.task, group.session, from, id, down ? sql_.above : sql_.below);
      sql_.record.bind(rows, 6);
      while (rows.step() &&
             page_.offer({down ? -rows.real(0) : rows.real(0), order_.rankOf(rows.integer(1))})) {
      }
    }
  }

  /// They come last, the oldest first; backwards it is the other way round.
  void offerErrors(const std::vector<Group>& all) {
    const bool last = order_.areErrorsLast();
    const double key = last ? kInfinity : -kInfinity;
    if (after_.key > key) return;
    const RowId bound = after_.key == key && after_ != RecordOrder::start() ? std::abs(after_.rank)
                        : last                                              ? -1
                                                                            : kNoId;
    std::vector<std::pair<Place, const Group*>> heads;
    for (const Group& group : all) {
      if ((group.verdict & ~kForgottenCode) == 0) continue;
      if (last ? group.last <= bound : group.first >= bound) continue;
      heads.push_back(
          {{key, last ? std::max(group.first, bound) : -std::min(group.last, bound)}, &group});
    }
    std::sort(heads.begin(), heads.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    Statement rows = db_.prepare(fmt::format(
        "SELECT id FROM record INDEXED BY record_by_group WHERE task = ? AND session = ? AND "
        "verdict = ? AND id {} ?{} ORDER BY id{}",
        last ? ">" : "<", sql_.record.also(), last ? "" : " DESC"));
    for (const auto& [head, group] : heads) {
      if (page_.isClosedTo(head)) return;
      rows.reset();
      rows.bind(group->task, group->session, group->verdict, bound);
      sql_.record.bind(rows, 5);
      while (rows.step() && page_.offer({key, last ? rows.integer(0) : -rows.integer(0)})) {
      }
    }
  }

  void offerByTrial(const std::vector<Group>& all, std::int64_t records) {
    if (records <= kFewEnoughToSort) {
      for (const Group& group : all)
        offerWhole(group);
      return;
    }
    std::set<RowId> sessions;
    for (const Group& group : all)
      sessions.insert(group.session);
    for (const RowId session : sessions)
      offerTrialsOf(session);
  }

  void offerTrialsOf(RowId session) {
    const bool last = order_.isDown();
    Statement rows = db_.prepare(fmt::format(
        "SELECT trial, id FROM record INDEXED BY record_by_trial WHERE session = ? AND trial {} ?"
        "{}{} ORDER BY trial{}",
        last ? "<=" : ">=", sql_.group.also(), sql_.record.also(), last ? " DESC" : ""));
    rows.bind(session, last ? -after_.key : after_.key);
    sql_.record.bind(rows, sql_.group.bind(rows, 3));
    while (rows.step()) {
      const Place place{last ? -rows.real(0) : rows.real(0), order_.rankOf(rows.integer(1))};
      if (place <= after_) continue; // the same trial of another session
      if (!page_.offer(place)) return;
    }
  }

  /// Whatever the conditions name, whatever group it is in.
  void offerAll() {
    SqlCondition all = sql_.record;
    if (!sql_.group.sql.empty()) all.add(sql_.group.sql);
    all.values.insert(all.values.end(), sql_.group.values.begin(), sql_.group.values.end());
    Statement rows =
        db_.prepare(fmt::format("SELECT {} FROM record{}", kPlaceColumns, all.where()));
    all.bind(rows);
    while (rows.step())
      offerRow(rows);
  }

  std::vector<RowId> wholeByAge() {
    const bool newest = order_.isNewestFirst();
    Statement rows = db_.prepare(
        fmt::format("SELECT id FROM record WHERE id {} ? AND verdict < ?{} ORDER BY id{} LIMIT ?",
                    newest ? "<" : ">", sql_.record.also(), newest ? " DESC" : ""));
    // With marks of another moment the conditions tell.
    const bool all =
        query_.records.forgotten == RecordQuery::Forgotten::With || query_.records.marks != nullptr;
    rows.bind(query_.after != 0 ? query_.after
              : newest          ? kNoId
                                : -1,
              all ? 2 * kForgottenCode : kForgottenCode);
    rows.bindAt(sql_.record.bind(rows, 3), std::max(query_.limit, 0));
    std::vector<RowId> ids;
    while (rows.step())
      ids.push_back(rows.integer(0));
    return ids;
  }

  Database& db_;
  const BrowseQuery& query_;
  const QuerySql& sql_;
  RecordOrder order_;
  Page page_;
  Place after_{};
};

} // namespace

std::vector<RowId> selectPage(Database& db, const BrowseQuery& browse, const QuerySql& sql) {
  return Selection(db, browse, sql).ids();
}

} // namespace nestwright
