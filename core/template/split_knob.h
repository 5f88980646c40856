#pragma once
/// \file Knobs that say how a loop is split.

#include "core/template/config_space.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace nestwright {

/// Which sizes the parts may have.
enum class SplitPolicy : std::uint8_t {
  Factors, // divisors of the extent
  Power2,  // powers of two, up to the extent: the last part may be cut off
  Verbose  // both, in the order that Python 3 gives the union of two sets of numbers
};

struct SplitRule {
  std::int64_t extent = 1;
  int parts = 2;
  SplitPolicy policy = SplitPolicy::Factors;
  std::int64_t maxFactor = std::int64_t(1) << 31;
  /// Whether the sizes have to divide the extent; Factors always do.
  bool noTail = false;
  /// Only entities for which it says so; null: all.
  std::function<bool(const SplitEntity&)> filter = nullptr;
};

/// All sizes of the inner parts out of the list of the policy, the innermost varying slowest, whose
/// product fits. Throws InputError for an extent below 1 or above 2^24, no parts, and
/// more values than can be listed.
Knob splitKnob(std::string name, const SplitRule& rule);

} // namespace nestwright
