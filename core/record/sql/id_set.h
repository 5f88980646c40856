#pragma once
/// \file A set of record ids that knows quickly which member is the n-th. Stretches of ids take
/// nearly nothing, others at most a bit for each id of the range, so 50 million take 7 MB.

#include <roaring/roaring.hh>

#include <cstdint>
#include <vector>

namespace nestwright {

/// A value; any thread may read it.
class IdSet {
 public:
  IdSet() = default;
  /// An empty set that may hold the ids from `first` to `last`, which are less than 2^32 apart.
  IdSet(std::int64_t first, std::int64_t last);

  // Changes. Ids outside of the range are left out.
  void add(std::int64_t id);
  void addRange(std::int64_t first, std::int64_t last);
  /// Removes all ids above this one.
  void cutAbove(std::int64_t last);
  // With another set of the same range.
  void add(const IdSet& other);
  void remove(const IdSet& other);
  void intersect(const IdSet& other);

  bool contains(std::int64_t id) const;
  std::int64_t size() const { return std::int64_t(members_.cardinality()); }
  std::int64_t first() const { return first_; } // of the range, not of the members
  std::int64_t last() const { return last_; }
  /// The n-th smallest, from 0.
  std::int64_t at(std::int64_t n) const;
  /// From the n-th smallest on, so many: much quicker than one by one.
  std::vector<std::int64_t> collect(std::int64_t n, std::int64_t count) const;
  /// Members below the id.
  std::int64_t countBelow(std::int64_t id) const;
  /// The smallest member from `id` on; above last() when there is none.
  std::int64_t next(std::int64_t id) const;

 private:
  bool isInside(std::int64_t id) const { return id >= first_ && id <= last_; }
  std::uint32_t placeOf(std::int64_t id) const { return std::uint32_t(id - first_); }
  void requireSameRange(const IdSet& other) const;

  std::int64_t first_ = 1, last_ = 0;
  Roaring members_; // ids less first_
};

} // namespace nestwright
