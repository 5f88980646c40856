#include "core/record/sql/id_set.h"

#include "core/support/error.h"

#include <algorithm>
#include <limits>

namespace nestwright {

IdSet::IdSet(std::int64_t first, std::int64_t last)
    : first_(first), last_(std::max(last, first - 1)) {
  NW_ASSERT(last_ - first_ <= std::int64_t(std::numeric_limits<std::uint32_t>::max()),
            "ids from {} to {} are too far apart", first, last);
}

void IdSet::add(std::int64_t id) {
  if (isInside(id)) members_.add(placeOf(id));
}

void IdSet::addRange(std::int64_t first, std::int64_t last) {
  first = std::max(first, first_), last = std::min(last, last_);
  if (first <= last) members_.addRange(placeOf(first), std::uint64_t(placeOf(last)) + 1);
}

void IdSet::cutAbove(std::int64_t last) {
  IdSet kept(first_, last_);
  kept.addRange(first_, last);
  intersect(kept);
}

void IdSet::add(const IdSet& other) {
  requireSameRange(other);
  members_ |= other.members_;
}

void IdSet::remove(const IdSet& other) {
  requireSameRange(other);
  members_ -= other.members_;
}

void IdSet::intersect(const IdSet& other) {
  requireSameRange(other);
  members_ &= other.members_;
}

bool IdSet::contains(std::int64_t id) const {
  return isInside(id) && members_.contains(placeOf(id));
}

std::int64_t IdSet::at(std::int64_t n) const {
  std::uint32_t place = 0;
  const bool found = n >= 0 && n < size() && members_.select(std::uint32_t(n), &place);
  NW_ASSERT(found, "there is no member {} of {}", n, size());
  return first_ + place;
}

std::vector<std::int64_t> IdSet::collect(std::int64_t n, std::int64_t count) const {
  NW_ASSERT(n >= 0 && count >= 0 && n + count <= size(), "there are no members {} to {} of {}", n,
            n + count - 1, size());
  std::vector<std::uint32_t> places(static_cast<std::size_t>(count));
  if (count > 0) members_.rangeUint32Array(places.data(), std::size_t(n), std::size_t(count));
  std::vector<std::int64_t> ids(places.begin(), places.end());
  for (std::int64_t& id : ids)
    id += first_;
  return ids;
}

std::int64_t IdSet::countBelow(std::int64_t id) const {
  if (id <= first_) return 0;
  return std::int64_t(members_.rank(placeOf(std::min(id - 1, last_))));
}

std::int64_t IdSet::next(std::int64_t id) const {
  if (id > last_) return last_ + 1;
  Roaring::const_iterator member = members_.begin();
  member.equalorlarger(placeOf(std::max(id, first_)));
  return member < members_.end() ? first_ + *member : last_ + 1;
}

void IdSet::requireSameRange(const IdSet& other) const {
  NW_ASSERT(first_ == other.first_ && last_ == other.last_, "sets of different ranges");
}

} // namespace nestwright
