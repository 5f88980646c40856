#pragma once
/// \file A set of hashes in 16 bytes each at most, for millions of them.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace nestwright {

class HashSet {
 public:
  /// True when it was not in the set.
  bool insert(std::uint64_t hash) {
    hash += hash == 0 ? 1 : 0; // 0 marks a free place
    if ((size_ + 1) * 4 > places_.size() * 3) grow();
    std::uint64_t& place = find(hash);
    if (place == hash) return false;
    place = hash;
    ++size_;
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  std::uint64_t& find(std::uint64_t hash) {
    const std::size_t mask = places_.size() - 1;
    std::size_t at = std::size_t(hash) & mask;
    while (places_[at] != 0 && places_[at] != hash)
      at = (at + 1) & mask;
    return places_[at];
  }
  void grow() {
    constexpr std::size_t kFirst = 64;
    std::vector<std::uint64_t> old =
        std::exchange(places_, std::vector<std::uint64_t>(std::max(kFirst, places_.size() * 2), 0));
    for (const std::uint64_t hash : old)
      if (hash != 0) find(hash) = hash;
  }

  std::vector<std::uint64_t> places_; // a power of two; linear probing
  std::size_t size_ = 0;
};

} // namespace nestwright
