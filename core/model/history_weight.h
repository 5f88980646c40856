#pragma once
/// \file What other tasks' records count beside a task's own (handbook/cost-models.md 3.6).

#include <cmath>
#include <cstddef>

namespace nestwright {

/// The factor on a history model's scores once the task itself has `programs` records: a half after
/// every 64 of them.
inline double historyWeight(std::size_t programs) {
  constexpr double kHalf = 64;
  return std::exp2(-static_cast<double>(programs) / kHalf);
}

/// Below this factor the history is dropped: from 277 records on.
inline constexpr double kLeastHistoryWeight = 0.05;

/// From fewer records of other tasks nothing is learned.
inline constexpr std::size_t kLeastHistory = 500;

} // namespace nestwright
