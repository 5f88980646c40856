#pragma once
/// \file Random numbers whose state is a counter: draw number n of stream s under seed x is a pure
/// function of (x, s, n), so results do not depend on the thread count, and "restoring the random
/// state" after a crash means knowing how many draws were made (C25, C35). Numbers are derived from
/// the engine here and not by std's distributions, whose results every library may choose.

#include "core/support/error.h"
#include "core/support/hash.h"

#include <cstdint>
#include <random>
#include <string_view>

namespace nestwright {

/// A generator of uniform integers and reals. Thread-compatible.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Independent generator number `index` of the stream `stream` under `seed`.
  static Random stream(std::uint64_t seed, std::string_view stream, std::uint64_t index) {
    return Random(
        hash64(stream, hash64(std::string_view(reinterpret_cast<const char*>(&index), sizeof index),
                              seed)));
  }

  /// Uniform integer in [0, bound).
  std::uint64_t below(std::uint64_t bound) {
    NW_ASSERT(bound > 0, "an empty range has no random element");
    // The part of the range that does not hold a whole number of bounds would favour small results.
    const std::uint64_t excess = (0 - bound) % bound;
    std::uint64_t value = engine_();
    while (value < excess)
      value = engine_();
    return value % bound;
  }

  /// Uniform real in [0, 1).
  double unit() {
    constexpr int kMantissaBits = 53;
    return static_cast<double>(engine_() >> (64 - kMantissaBits)) * 0x1p-53;
  }

  /// A uniformly chosen element of a non-empty range.
  template <class Range>
  const auto& pick(const Range& range) {
    return range[below(range.size())];
  }

  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

} // namespace nestwright
