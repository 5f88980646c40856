#include "plugins/xgboost/pack_sum.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::xgboost {
namespace {

/// Rounds all values to multiples of 2^-22 of the largest one. XGBoost adds gradients up in double
/// precision, in an order that depends on the number of threads; of such values every sum is exact,
/// so that all orders give the same sum and the same trees (C35). What is rounded away is about
/// what a float does not hold anyway.
void roundForExactSums(std::vector<float>& values) {
  constexpr int kBits = 22;
  float largest = 0;
  for (const float value : values)
    largest = std::max(largest, std::abs(value));
  if (largest == 0) return;
  const float unit = std::ldexp(1.0F, std::ilogb(largest) - kBits);
  for (float& value : values)
    value = std::nearbyint(value / unit) * unit;
}

} // namespace

std::vector<double> programScores(const FeatureTable& table, const std::vector<float>& rowScores) {
  std::vector<double> scores(table.programs(), 0);
  for (std::size_t program = 0; program < table.programs(); ++program)
    for (std::size_t row = table.firstRow(program); row < table.firstRow(program + 1); ++row)
      scores[program] += static_cast<double>(rowScores[row]);
  return scores;
}

PackSum::PackSum(const FeatureTable& table, std::vector<float> labels, double eta)
    : table_(table), labels_(std::move(labels)), gradients_(table.rows()), hessians_(table.rows()) {
  for (std::size_t program = 0; program < table.programs(); ++program) {
    // All rows of a program move at once, each by about eta of its error. The reference's Hessian
    // (the weight) therefore overshoots, and diverges, from 1 / eta rows on.
    const double rows = static_cast<double>(table.rowCount(program));
    const auto hessian = static_cast<float>(labels_[program] * std::max(1.0, eta * rows));
    for (std::size_t row = table.firstRow(program); row < table.firstRow(program + 1); ++row)
      hessians_[row] = hessian;
  }
  roundForExactSums(hessians_);
}

void PackSum::update(const std::vector<double>& scores) {
  for (std::size_t program = 0; program < table_.programs(); ++program) {
    const double label = labels_[program];
    const auto gradient = static_cast<float>((scores[program] - label) * label);
    for (std::size_t row = table_.firstRow(program); row < table_.firstRow(program + 1); ++row)
      gradients_[row] = gradient;
  }
  roundForExactSums(gradients_);
}

double PackSum::weightedError(const std::vector<double>& scores) const {
  double sum = 0, weights = 0;
  for (std::size_t program = 0; program < labels_.size(); ++program) {
    const double label = labels_[program], error = scores[program] - label;
    sum += label * error * error;
    weights += label;
  }
  return weights == 0 ? 0 : std::sqrt(sum / weights);
}

} // namespace nestwright::xgboost
