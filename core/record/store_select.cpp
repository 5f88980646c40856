#include "core/record/result_codec.h"
#include "core/record/store_impl.h"
#include "core/support/error.h"

#include <algorithm>
#include <limits>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Records of one task, session and verdict (its code, so forgotten ones are apart): in each the
/// indexes keep both orders, so a page of any selection is the merge of the heads of its groups,
/// however many records there are.
struct Group {
  RowId task, session;
  int verdict;
};

/// The place of a record in the order asked for: smaller comes first.
struct Place {
  double seconds; // 0 in orders by age
  RowId rank;     // the id, negative for newest first
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

std::vector<Group> groupsOf(Database& db, const RecordQuery& query) {
  std::vector<Group> groups;
  Statement rows =
      db.prepare("SELECT task, session, verdict FROM tally WHERE (?1 = 0 OR session = ?1) "
                 "AND (?2 = 0 OR task = ?2) AND (?3 < 0 OR verdict & ~?6 = ?3) "
                 "AND (?4 = 0 OR verdict & ~?6 <> 0) AND (?5 = 0 OR verdict & ~?6 = 0) "
                 "AND (?7 OR verdict < ?6) AND (?8 OR verdict >= ?6)");
  rows.bind(query.session, query.task, query.verdict ? codeOf(*query.verdict) : -1,
            query.onlyErrors ? 1 : 0, query.belowSeconds > 0 ? 1 : 0, kForgottenCode,
            query.forgotten != RecordQuery::Forgotten::Without ? 1 : 0,
            query.forgotten != RecordQuery::Forgotten::Only ? 1 : 0);
  while (rows.step())
    groups.push_back({rows.integer(0), rows.integer(1), int(rows.integer(2))});
  return groups;
}

/// Where the record that the last page ended with stands.
Place placeAfter(Database& db, const RecordQuery& query) {
  const bool newest = query.order == RecordQuery::Order::Newest;
  if (!query.after)
    return {-1, newest ? std::numeric_limits<RowId>::min() + 1 : 0}; // before everything
  const RowId id = query.after->id;
  if (query.order != RecordQuery::Order::Fastest) return {0, newest ? -id : id};
  Statement find = db.prepare("SELECT seconds FROM record WHERE id = ?");
  if (!find.bind(id).step())
    throw InputError(fmt::format("{}: there is no record {} to go on after", db.path(), id));
  return {find.isNull(0) ? kInfinity : find.real(0), id};
}

void offerByAge(Database& db, const RecordQuery& query, const Group& group, Place after,
                Page& page) {
  const bool newest = query.order == RecordQuery::Order::Newest;
  Statement rows = db.prepare(
      newest
          ? "SELECT id FROM record INDEXED BY record_by_group WHERE task = ? AND session = ? AND "
            "verdict = ? AND id < ?4 AND (?5 <= 0 OR seconds < ?5) ORDER BY id DESC"
          : "SELECT id FROM record INDEXED BY record_by_group WHERE task = ? AND session = ? AND "
            "verdict = ? AND id > ?4 AND (?5 <= 0 OR seconds < ?5) ORDER BY id");
  rows.bind(group.task, group.session, group.verdict, std::abs(after.rank), query.belowSeconds);
  while (rows.step() && page.offer({0, newest ? -rows.integer(0) : rows.integer(0)})) {
  }
}

void offerBySpeed(Database& db, const RecordQuery& query, const Group& group, Place after,
                  Page& page) {
  if ((group.verdict & ~kForgottenCode) != 0) { // errors come last, the oldest first
    const RowId id = after.seconds == kInfinity ? after.rank : 0;
    Statement rows = db.prepare(
        "SELECT id FROM record INDEXED BY record_by_group WHERE task = ? AND session = ? AND "
        "verdict = ? AND id > ? ORDER BY id");
    rows.bind(group.task, group.session, group.verdict, id);
    while (rows.step() && page.offer({kInfinity, rows.integer(0)})) {
    }
    return;
  }
  // Forgotten records are few enough to be sorted.
  Statement rows = db.prepare(
      group.verdict == 0
          ? "SELECT seconds, id FROM record INDEXED BY record_by_speed WHERE verdict = 0 AND "
            "task = ? AND "
            "session = ? AND (seconds, id) > (?, ?) AND seconds < ? ORDER BY seconds, id"
          : "SELECT seconds, id FROM record INDEXED BY record_by_group WHERE verdict = 64 AND "
            "task = ? AND "
            "session = ? AND (seconds, id) > (?, ?) AND seconds < ? ORDER BY seconds, id");
  rows.bind(group.task, group.session, after.seconds, after.rank,
            query.belowSeconds > 0 ? query.belowSeconds : kInfinity);
  while (rows.step() && page.offer({rows.real(0), rows.integer(1)})) {
  }
}

/// Without a filter the table itself has the order.
std::vector<RowId> selectAnyByAge(Database& db, const RecordQuery& query, Place after) {
  Statement rows =
      db.prepare(query.order == RecordQuery::Order::Newest
                     ? "SELECT id FROM record WHERE id < ? AND verdict < ? ORDER BY id DESC LIMIT ?"
                     : "SELECT id FROM record WHERE id > ? AND verdict < ? ORDER BY id LIMIT ?");
  const bool all = query.forgotten == RecordQuery::Forgotten::With;
  rows.bind(std::abs(after.rank), all ? 2 * kForgottenCode : kForgottenCode,
            std::max(query.limit, 0));
  std::vector<RowId> ids;
  while (rows.step())
    ids.push_back(rows.integer(0));
  return ids;
}

} // namespace

std::vector<RowId> RecordStore::Impl::select(const RecordQuery& query) {
  const bool fastest = query.order == RecordQuery::Order::Fastest;
  const Place after = placeAfter(db, query);
  if (!fastest && query.task == 0 && query.session == 0 && !query.verdict && !query.onlyErrors &&
      query.belowSeconds <= 0 && query.forgotten != RecordQuery::Forgotten::Only)
    return selectAnyByAge(db, query, after);
  Page page(query.limit);
  for (const Group& group : groupsOf(db, query))
    if (fastest)
      offerBySpeed(db, query, group, after, page);
    else
      offerByAge(db, query, group, after, page);
  return std::move(page).ids();
}

} // namespace nestwright
