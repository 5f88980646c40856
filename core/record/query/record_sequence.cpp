#include "core/record/query/record_sequence.h"

#include <algorithm>
#include <utility>

namespace nestwright {

void RecordSequence::append(std::span<const std::int64_t> records) {
  if (!ranks_) head_.insert(head_.end(), records.begin(), records.end());
}

void RecordSequence::guess(std::int64_t first, std::int64_t count,
                           std::span<const std::int64_t> records) {
  if (ranks_) return;
  for (std::int64_t i = 0; i < count; ++i)
    guesses_[first + i] = i < std::ssize(records) ? records[std::size_t(i)] : 0;
}

void RecordSequence::setRanks(Ranks ranks) {
  ranks_ = std::move(ranks);
  head_.clear();
  guesses_.clear();
}

std::int64_t RecordSequence::at(std::int64_t row) const {
  if (row < 0) return 0;
  if (ranks_) return row < ranks_->size() ? ranks_->at(row) : 0;
  if (row < std::ssize(head_)) return head_[std::size_t(row)];
  const auto guess = guesses_.find(row);
  return guess == guesses_.end() ? 0 : guess->second;
}

std::int64_t RecordSequence::rowOf(std::int64_t record) const {
  if (ranks_) return ranks_->rankOf(record);
  const auto found = std::ranges::find(head_, record);
  return found == head_.end() ? -1 : found - head_.begin();
}

bool RecordSequence::isVoid(std::int64_t row) const {
  const auto guess = guesses_.find(row);
  return guess != guesses_.end() && guess->second == 0;
}

bool RecordSequence::beginsAlike(const RecordRanks& ranks) const {
  if (ranks.size() < std::ssize(head_)) return false;
  for (std::int64_t row = 0; row < std::ssize(head_); ++row)
    if (ranks.at(row) != head_[std::size_t(row)]) return false;
  return true;
}

} // namespace nestwright
