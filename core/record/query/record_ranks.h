#pragma once
/// \file The records that a query asks for, by their rank in its order: row 25,000,000 is looked
/// up, not counted to. An id takes a bit in orders by age, four bytes in the others.

#include "core/record/sql/id_set.h"

#include <cstdint>
#include <vector>

namespace nestwright {

/// A value of one moment: records that came later are not in it. Any thread may read it.
class RecordRanks {
 public:
  RecordRanks() = default;
  /// In the order of their ids, or against it.
  RecordRanks(IdSet members, bool newestFirst)
      : members_(std::move(members)), newestFirst_(newestFirst) {}
  /// In the order of `list` (ids less members.first()), or against it; then the members that are
  /// not in it, the oldest first.
  RecordRanks(IdSet members, std::vector<std::uint32_t> list, bool reversed, IdSet rest)
      : members_(std::move(members)), rest_(std::move(rest)), list_(std::move(list)), listed_(true),
        reversed_(reversed) {}

  std::int64_t size() const { return members_.size(); }
  /// The record of the rank, from 0.
  std::int64_t at(std::int64_t rank) const;
  /// Those of the ranks `first` to `last`, in their order: much quicker than one by one.
  std::vector<std::int64_t> collect(std::int64_t first, std::int64_t last) const;
  /// The rank of the record; -1 when it is not among them. In other orders than those by age it
  /// looks through the list: milliseconds for tens of millions.
  std::int64_t rankOf(std::int64_t record) const;
  bool contains(std::int64_t record) const { return members_.contains(record); }
  /// The records in the order of their ids.
  const IdSet& members() const { return members_; }

 private:
  IdSet members_, rest_;
  std::vector<std::uint32_t> list_;
  bool listed_ = false, reversed_ = false, newestFirst_ = false;
};

} // namespace nestwright
