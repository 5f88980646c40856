#pragma once
/// \file A set of record ids that knows at once which member is the n-th: a bit for each id between
/// the first and the last, so 50 million take 7 MB.

#include <cstdint>
#include <vector>

namespace nestwright {

class IdSet {
 public:
  IdSet() = default;
  /// An empty set that may hold the ids from `first` to `last`.
  IdSet(std::int64_t first, std::int64_t last);

  // Changes. Ids outside of the range are left out. Call finish() after the last one.
  void add(std::int64_t id);
  void remove(std::int64_t id);
  void addRange(std::int64_t first, std::int64_t last);
  /// Removes all ids above this one.
  void cutAbove(std::int64_t last);
  /// Keeps what the other set of the same range has, too.
  void intersect(const IdSet& other);
  void finish();

  bool contains(std::int64_t id) const;
  std::int64_t size() const { return size_; }
  std::int64_t first() const { return first_; } // of the range, not of the members
  std::int64_t last() const { return last_; }
  /// The n-th smallest, from 0.
  std::int64_t at(std::int64_t n) const;
  /// Members below the id.
  std::int64_t countBelow(std::int64_t id) const;
  /// The smallest member from `id` on; above last() when there is none.
  std::int64_t next(std::int64_t id) const;

 private:
  bool isInside(std::int64_t id) const { return id >= first_ && id <= last_; }

  std::int64_t first_ = 1, last_ = 0, size_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::int64_t> before_; // members before each run of kRun words
};

} // namespace nestwright
