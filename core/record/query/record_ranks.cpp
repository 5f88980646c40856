#include "core/record/query/record_ranks.h"

#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

std::int64_t RecordRanks::at(std::int64_t rank) const {
  NW_ASSERT(rank >= 0 && rank < size(), "there is no rank {} of {}", rank, size());
  if (!listed_) return members_.at(newestFirst_ ? size() - 1 - rank : rank);
  const auto listed = std::int64_t(list_.size());
  if (rank >= listed) return rest_.at(rank - listed);
  return members_.first() + list_[std::size_t(reversed_ ? listed - 1 - rank : rank)];
}

std::vector<std::int64_t> RecordRanks::collect(std::int64_t first, std::int64_t last) const {
  NW_ASSERT(first >= 0 && last < size(), "there are no ranks {} to {} of {}", first, last, size());
  const std::int64_t count = std::max<std::int64_t>(0, last - first + 1);
  if (!listed_ && !newestFirst_) return members_.collect(first, count);
  std::vector<std::int64_t> records;
  if (!listed_) {
    records = members_.collect(size() - first - count, count);
    std::ranges::reverse(records);
    return records;
  }
  const auto listed = std::int64_t(list_.size());
  for (std::int64_t rank = first; rank <= std::min(last, listed - 1); ++rank)
    records.push_back(at(rank));
  const std::int64_t rest = std::max(first, listed); // the first of those that are not in the list
  if (rest <= last)
    for (const std::int64_t record : rest_.collect(rest - listed, last - rest + 1))
      records.push_back(record);
  return records;
}

std::int64_t RecordRanks::rankOf(std::int64_t record) const {
  if (!members_.contains(record)) return -1;
  if (!listed_) {
    const std::int64_t older = members_.countBelow(record);
    return newestFirst_ ? size() - 1 - older : older;
  }
  const auto listed = std::int64_t(list_.size());
  if (rest_.contains(record)) return listed + rest_.countBelow(record);
  const auto found =
      std::find(list_.begin(), list_.end(), static_cast<std::uint32_t>(record - members_.first()));
  if (found == list_.end()) return -1;
  const std::int64_t place = found - list_.begin();
  return reversed_ ? listed - 1 - place : place;
}

} // namespace nestwright
