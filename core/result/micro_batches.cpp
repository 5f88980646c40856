#include "core/result/micro_batches.h"

#include <algorithm>

namespace nestwright {

std::span<const double> microBatches(const MeasureResult& result) {
  const auto batches = static_cast<std::size_t>(result.evaluation->batches);
  return std::span(result.seconds).first(std::min(batches, result.seconds.size()));
}

std::vector<bool> countedBatches(SpeedEstimate speed, std::span<const double> times) {
  constexpr std::size_t kKeepsAll = 2;
  std::vector<bool> counted(times.size(), true);
  if (speed == SpeedEstimate::Cumulative || times.size() <= kKeepsAll) return counted;
  const auto [least, most] = std::ranges::minmax_element(times);
  counted[static_cast<std::size_t>(least - times.begin())] = false;
  counted[static_cast<std::size_t>(most - times.begin())] = false;
  return counted;
}

std::int64_t timedRuns(const MeasureResult& result) {
  const std::size_t times = result.evaluation ? microBatches(result).size() : result.seconds.size();
  return static_cast<std::int64_t>(times) * result.runsPerRepeat;
}

} // namespace nestwright
