#include "core/feature/intensity.h"

namespace nestwright {

std::array<double, kIntensitySamples> intensityCurve(double perIteration,
                                                     const std::vector<EnclosingLoop>& loops,
                                                     const std::vector<double>& memory) {
  std::array<double, kIntensitySamples> curve{};
  if (loops.empty() || perIteration <= 0) return curve;
  std::vector<double> operations;
  double total = perIteration;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
    operations.push_back(total *= static_cast<double>(loop->extent));
  const auto intensity = [&](std::size_t level) { return operations[level] / memory[level]; };
  std::size_t level = 0;
  for (std::size_t i = 0; i < kIntensitySamples; ++i) {
    const double x = total * static_cast<double>(i + 1) / kIntensitySamples;
    while (operations[level] < x - 1e-4)
      ++level;
    if (level == 0) {
      curve[i] = intensity(0);
      continue;
    }
    const double slope =
        (intensity(level) - intensity(level - 1)) / (operations[level] - operations[level - 1]);
    curve[i] = intensity(level - 1) + slope * (x - operations[level - 1]);
  }
  return curve;
}

} // namespace nestwright
