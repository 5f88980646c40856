#pragma once
/// \file Where records stand in an order, as pairs of numbers that compare.

#include "core/record/rows/record_query.h"
#include "core/record/select/record_cells.h"
#include "core/record/sql/sqlite.h"
#include "core/support/infinity.h"

#include <compare>
#include <limits>
#include <map>

namespace nestwright {

/// The orders of a RecordQuery, with the same numbers, and more.
enum class BrowseOrder : std::uint8_t {
  Newest,
  Oldest,
  Fastest, // errors come last, here and in the next
  Slowest,
  FirstTrial, // by number within the session
  LastTrial,
  ByTask, // by name; within a task the newest first, also in the others
  ByTaskDown,
  ByVerdict,
  ByVerdictDown,
  BySession, // by number
  BySessionDown,
  ByThroughput,     // the file keeps no index for this and the next: errors come last, a page takes
  ByThroughputDown, // a look at every record
  ByWall,           // by time since the session's start
  ByWallDown
};
inline BrowseOrder browseOrder(RecordQuery::Order order) {
  return BrowseOrder(order);
}

/// Smaller comes first.
struct RecordPlace {
  double key; // seconds, trial, rank of the task or verdict, …, each negative downwards; 0 by age
  RowId rank; // the id, negative where the newest comes first
  RowId record() const { return rank < 0 ? -rank : rank; }
  // clang-tidy 14 takes what the compiler writes here for a 0 of ours.
  friend auto operator<=>(const RecordPlace&,
                          const RecordPlace&) = default; // NOLINT(modernize-use-nullptr)
};

/// What of a record decides its place, for placeOf().
inline constexpr const char* kPlaceColumns =
    "seconds, trial, task, verdict, id, session, wall_seconds";

/// One of the orders, forwards or backwards.
class RecordOrder {
 public:
  using Order = BrowseOrder;
  static constexpr RowId kNoId = std::numeric_limits<RowId>::max();

  RecordOrder(sqlite::Database& db, Order order, bool backwards = false);

  Order order() const { return order_; }
  bool backwards() const { return backwards_; }
  bool isByAge() const { return order_ == Order::Newest || order_ == Order::Oldest; }
  bool isBySpeed() const { return order_ == Order::Fastest || order_ == Order::Slowest; }
  bool isByTrial() const { return order_ == Order::FirstTrial || order_ == Order::LastTrial; }
  /// All records of a group have the same key, keyOf(group), and are in order by age.
  bool isByGroup() const;
  /// No index has the order.
  bool isUnindexed() const { return !isByGroup() && !isBySpeed() && !isByTrial(); }
  /// Whether of two records that are otherwise equal the newer one comes first, here.
  bool isNewestFirst() const;
  /// Whether larger times, or trials, come first, here.
  bool isDown() const;
  /// Whether errors come last, here, and not first.
  bool areErrorsLast() const { return !backwards_; }

  double keyOf(const RecordCell& group) const;
  RecordPlace placeOf(const sqlite::Statement& row) const; // of kPlaceColumns
  RowId rankOf(RowId id) const { return isNewestFirst() ? -id : id; }
  /// Before every record.
  static RecordPlace start() { return {-kInfinity, -kNoId}; }

 private:
  double forwardKey(const RecordCell& group) const;

  Order order_;
  bool backwards_;
  std::map<RowId, double> taskRanks_, taskFlops_;
};

} // namespace nestwright
