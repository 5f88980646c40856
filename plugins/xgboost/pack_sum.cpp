#include "plugins/xgboost/pack_sum.h"

#include "plugins/xgboost/exact_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::xgboost {
std::vector<double> programScores(const FeatureTable& table, const std::vector<float>& rowScores) {
  std::vector<double> scores(table.programs(), 0);
  for (std::size_t program = 0; program < table.programs(); ++program)
    for (std::size_t row = table.firstRow(program); row < table.firstRow(program + 1); ++row)
      scores[program] += static_cast<double>(rowScores[row]);
  return scores;
}

PackSum::PackSum(const FeatureTable& table, std::vector<float> labels, std::vector<float> weights,
                 double eta)
    : table_(table), labels_(std::move(labels)), weights_(std::move(weights)),
      gradients_(table.rows()), hessians_(table.rows()) {
  for (std::size_t program = 0; program < table.programs(); ++program) {
    // All rows of a program move at once, each by about eta of its error. The reference's Hessian
    // (the weight) therefore overshoots, and diverges, from 1 / eta rows on.
    const double rows = static_cast<double>(table.rowCount(program));
    const auto hessian = static_cast<float>(weights_[program] * std::max(1.0, eta * rows));
    for (std::size_t row = table.firstRow(program); row < table.firstRow(program + 1); ++row)
      hessians_[row] = hessian;
  }
  roundForExactSums(hessians_);
}

void PackSum::update(const std::vector<double>& scores) {
  for (std::size_t program = 0; program < table_.programs(); ++program) {
    const double label = labels_[program], weight = weights_[program];
    const auto gradient = static_cast<float>((scores[program] - label) * weight);
    for (std::size_t row = table_.firstRow(program); row < table_.firstRow(program + 1); ++row)
      gradients_[row] = gradient;
  }
  roundForExactSums(gradients_);
}

double PackSum::weightedError(const std::vector<double>& scores) const {
  double sum = 0, weights = 0;
  for (std::size_t program = 0; program < labels_.size(); ++program) {
    const double weight = weights_[program], error = scores[program] - labels_[program];
    sum += weight * error * error;
    weights += weight;
  }
  return weights == 0 ? 0 : std::sqrt(sum / weights);
}

} // namespace nestwright::xgboost
