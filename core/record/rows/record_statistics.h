#pragma once
/// \file Figures of many records.

#include "core/result/measure_result.h"

#include <cstdint>
#include <vector>

namespace nestwright {

/// How many records ended in a verdict.
struct VerdictCount {
  Verdict verdict = Verdict::Ok;
  std::int64_t records = 0;
};

/// Figures of the records that a query asks for. Times in seconds, over the good ones.
struct RecordStatistics {
  std::int64_t records = 0;
  std::vector<VerdictCount> verdicts;                  // those that occurred
  std::int64_t measured = 0;                           // with a time
  double best = 0, worst = 0, mean = 0, deviation = 0; // deviation: of the sample, 0 for one
  double lowQuartile = 0, median = 0, highQuartile = 0;
  std::vector<std::int64_t> bins; // of equal ratio from best to worst
};

} // namespace nestwright
