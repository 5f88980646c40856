#include "core/model/bootstrap.h"

#include "core/support/random.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

Bounds95 bounds95(std::vector<double> values) {
  if (values.empty()) return {std::nan(""), std::nan("")};
  constexpr double kTail = 0.025;
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = [&](double share) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::lround(share * last));
    std::nth_element(values.begin(), place, values.end());
    return *place;
  };
  return {at(kTail), at(1 - kTail)};
}

void forEachResample(std::size_t tasks, const BootstrapOptions& options,
                     const std::function<void(std::span<const double> counts)>& f) {
  if (tasks == 0) return;
  std::vector<double> counts(tasks);
  for (std::size_t resample = 0; resample < options.resamples; ++resample) {
    Random random = Random::stream(options.seed, "bootstrap", resample);
    std::ranges::fill(counts, 0);
    for (std::size_t draw = 0; draw < tasks; ++draw)
      counts[random.below(tasks)] += 1;
    f(counts);
  }
}

std::vector<double> drawnSeeds(std::size_t seeds, const BootstrapOptions& options,
                               std::size_t resample) {
  if (seeds == 1) return {1};
  std::vector<double> counts(seeds, 0);
  Random random = Random::stream(options.seed, "bootstrap of seeds", resample);
  for (std::size_t draw = 0; draw < seeds; ++draw)
    counts[random.below(seeds)] += 1;
  return counts;
}

} // namespace nestwright
