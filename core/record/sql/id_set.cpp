#include "core/record/sql/id_set.h"

#include "core/support/error.h"

#include <algorithm>
#include <bit>

namespace nestwright {

namespace {

constexpr std::size_t kRun = 8; // words that are counted together
constexpr int kBits = 64;

std::uint64_t bitOf(std::uint64_t place) {
  return std::uint64_t(1) << (place % kBits);
}
/// The bits below a place of a word.
std::uint64_t below(std::uint64_t place) {
  return bitOf(place) - 1;
}

} // namespace

IdSet::IdSet(std::int64_t first, std::int64_t last) : first_(first), last_(last) {
  if (last_ < first_) last_ = first_ - 1;
  words_.assign((std::size_t(last_ - first_ + 1) + kBits - 1) / kBits, 0);
  finish();
}

void IdSet::add(std::int64_t id) {
  if (isInside(id)) words_[std::size_t(id - first_) / kBits] |= bitOf(std::uint64_t(id - first_));
}

void IdSet::remove(std::int64_t id) {
  if (isInside(id)) words_[std::size_t(id - first_) / kBits] &= ~bitOf(std::uint64_t(id - first_));
}

void IdSet::addRange(std::int64_t first, std::int64_t last) {
  first = std::max(first, first_), last = std::min(last, last_);
  while (first <= last) {
    const auto place = std::uint64_t(first - first_);
    if (place % kBits == 0 && last - first >= kBits - 1) {
      words_[std::size_t(place) / kBits] = ~std::uint64_t(0);
      first += kBits;
    } else {
      words_[std::size_t(place) / kBits] |= bitOf(place);
      ++first;
    }
  }
}

void IdSet::cutAbove(std::int64_t last) {
  const auto keep = std::uint64_t(std::clamp(last - first_ + 1, std::int64_t(0),
                                             last_ - first_ + 1)); // so many places stay
  for (std::size_t i = std::size_t(keep) / kBits; i < words_.size(); ++i)
    words_[i] &= i == std::size_t(keep) / kBits ? below(keep) : 0;
}

void IdSet::intersect(const IdSet& other) {
  NW_ASSERT(first_ == other.first_ && last_ == other.last_, "sets of different ranges");
  for (std::size_t i = 0; i < words_.size(); ++i)
    words_[i] &= other.words_[i];
}

void IdSet::finish() {
  before_.clear();
  size_ = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (i % kRun == 0) before_.push_back(size_);
    size_ += std::popcount(words_[i]);
  }
}

bool IdSet::contains(std::int64_t id) const {
  return isInside(id) &&
         (words_[std::size_t(id - first_) / kBits] & bitOf(std::uint64_t(id - first_))) != 0;
}

std::int64_t IdSet::at(std::int64_t n) const {
  NW_ASSERT(n >= 0 && n < size_, "there is no member {} of {}", n, size_);
  const auto run = std::upper_bound(before_.begin(), before_.end(), n) - before_.begin() - 1;
  std::int64_t left = n - before_[std::size_t(run)];
  std::size_t i = std::size_t(run) * kRun;
  for (; left >= std::popcount(words_[i]); ++i)
    left -= std::popcount(words_[i]);
  std::uint64_t word = words_[i];
  for (; left > 0; --left)
    word &= word - 1; // without its lowest bit
  return first_ + std::int64_t(i) * kBits + std::countr_zero(word);
}

std::int64_t IdSet::countBelow(std::int64_t id) const {
  if (id <= first_) return 0;
  if (id > last_) return size_;
  const auto place = std::uint64_t(id - first_);
  const std::size_t word = std::size_t(place) / kBits;
  std::int64_t count = before_[word / kRun];
  for (std::size_t i = word / kRun * kRun; i < word; ++i)
    count += std::popcount(words_[i]);
  return count + std::popcount(words_[word] & below(place));
}

std::int64_t IdSet::next(std::int64_t id) const {
  auto place = std::uint64_t(std::max(id, first_) - first_);
  std::size_t i = std::size_t(place) / kBits;
  if (i >= words_.size()) return last_ + 1;
  std::uint64_t word = words_[i] & ~below(place);
  while (word == 0) {
    if (++i >= words_.size()) return last_ + 1;
    word = words_[i];
  }
  return first_ + std::int64_t(i) * kBits + std::countr_zero(word);
}

} // namespace nestwright
