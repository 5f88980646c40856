#include "core/record/select/record_place.h"

#include "core/record/format/result_codec.h"

namespace nestwright {

using sqlite::Database;
using sqlite::Statement;

RecordOrder::RecordOrder(Database& db, Order order, bool backwards)
    : order_(order), backwards_(backwards) {
  if (order == Order::ByTask || order == Order::ByTaskDown) {
    Statement rows = db.prepare("SELECT id FROM task ORDER BY name COLLATE NOCASE, id");
    while (rows.step())
      taskRanks_.emplace(rows.integer(0), double(taskRanks_.size()));
  }
  if (order == Order::ByThroughput || order == Order::ByThroughputDown) {
    Statement rows = db.prepare("SELECT id, flops FROM task");
    while (rows.step())
      taskFlops_.emplace(rows.integer(0), rows.real(1));
  }
}

bool RecordOrder::isByGroup() const {
  switch (order_) {
  case Order::Newest:
  case Order::Oldest:
  case Order::ByTask:
  case Order::ByTaskDown:
  case Order::ByVerdict:
  case Order::ByVerdictDown:
  case Order::BySession:
  case Order::BySessionDown:
    return true;
  default:
    return false;
  }
}

bool RecordOrder::isNewestFirst() const {
  const bool newest =
      order_ != Order::Oldest && order_ != Order::Fastest && order_ != Order::FirstTrial;
  return newest != backwards_;
}

bool RecordOrder::isDown() const {
  return (order_ == Order::Slowest || order_ == Order::LastTrial) != backwards_;
}

double RecordOrder::forwardKey(const RecordCell& group) const {
  switch (order_) {
  case Order::ByTask:
  case Order::ByTaskDown: {
    const auto rank = taskRanks_.find(group.task);
    const double key = rank == taskRanks_.end() ? -1 : rank->second;
    return order_ == Order::ByTask ? key : -key;
  }
  case Order::ByVerdict:
    return group.verdict & ~kForgottenCode;
  case Order::ByVerdictDown:
    return -double(group.verdict & ~kForgottenCode);
  case Order::BySession:
    return double(group.session);
  case Order::BySessionDown:
    return -double(group.session);
  default:
    return 0;
  }
}

double RecordOrder::keyOf(const RecordCell& group) const {
  return backwards_ ? -forwardKey(group) : forwardKey(group);
}

RecordPlace RecordOrder::placeOf(const Statement& row) const {
  RecordPlace place{0, rankOf(row.integer(4))};
  const auto set = [&](double key, bool down) { place.key = down != backwards_ ? -key : key; };
  // Orders that have to be made keep their keys in four bytes.
  switch (order_) {
  case Order::Fastest:
  case Order::Slowest:
    if (row.isNull(0)) // the oldest error first, in both
      return {backwards_ ? -kInfinity : kInfinity, backwards_ ? -row.integer(4) : row.integer(4)};
    set(row.real(0), order_ == Order::Slowest);
    break;
  case Order::FirstTrial:
  case Order::LastTrial:
    set(row.real(1), order_ == Order::LastTrial);
    break;
  case Order::ByThroughput:
  case Order::ByThroughputDown: {
    if (row.isNull(0)) return {backwards_ ? -kInfinity : kInfinity, place.rank};
    const auto flops = taskFlops_.find(row.integer(2));
    set(float((flops == taskFlops_.end() ? 0 : flops->second) / row.real(0)),
        order_ == Order::ByThroughputDown);
    break;
  }
  case Order::ByWall:
  case Order::ByWallDown:
    set(float(row.real(6)), order_ == Order::ByWallDown);
    break;
  default:
    place.key = keyOf({row.integer(2), row.integer(5), int(row.integer(3)), 0, 0, 0});
  }
  return place;
}

} // namespace nestwright
