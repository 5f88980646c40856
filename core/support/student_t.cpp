#include "core/support/student_t.h"

#include <array>
#include <cmath>
#include <utility>

namespace nestwright {

double criticalT(double degrees) {
  static constexpr std::array<std::pair<double, double>, 16> kTable{{{1, 12.706},
                                                                     {2, 4.303},
                                                                     {3, 3.182},
                                                                     {4, 2.776},
                                                                     {5, 2.571},
                                                                     {6, 2.447},
                                                                     {7, 2.365},
                                                                     {8, 2.306},
                                                                     {9, 2.262},
                                                                     {10, 2.228},
                                                                     {12, 2.179},
                                                                     {15, 2.131},
                                                                     {20, 2.086},
                                                                     {30, 2.042},
                                                                     {60, 2.000},
                                                                     {1000, 1.962}}};
  double t = kTable.front().second;
  for (const auto& [from, value] : kTable)
    if (degrees >= from) t = value;
  return t;
}

MeanInterval meanInterval(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  MeanInterval of;
  for (const double value : values)
    of.mean += value / n;
  if (values.size() < 2) return of;
  double squares = 0;
  for (const double value : values)
    squares += (value - of.mean) * (value - of.mean);
  of.half = criticalT(n - 1) * std::sqrt(squares / (n - 1) / n);
  return of;
}

} // namespace nestwright
