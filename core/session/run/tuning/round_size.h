#pragma once
/// \file How many programs a round measures, and in words why not as many as it may.

#include <cstddef>
#include <cstdint>
#include <string>

namespace nestwright {

/// What a round's size follows from, in trials.
struct RoundLimits {
  std::int64_t budget = 0, used = 0;
  std::size_t tasks = 1;
  int largest = 1;       // SessionConfig::trialsPerRound
  std::int64_t room = 0; // that the task still takes
};

struct RoundSize {
  int trials = 0;
  std::string whyFewer; // empty where it is the largest
};

/// See roundTrials().
RoundSize roundSize(const RoundLimits& limits);

/// Why the rounds of a polish are small.
inline constexpr const char* kPolishIsSmall =
    "a polish measures a few neighbours of the best at a time, since the next ones are those of a "
    "better program";

} // namespace nestwright
