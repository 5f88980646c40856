#pragma once
/// \file The "pack sum" objective (handbook/ansor.md 7.2): a program's score is the sum of its
/// rows' scores, its loss weight * (score - label)^2. With the label itself as the weight it is the
/// reference's; with 1 all programs count alike.

#include "core/model/feature_table.h"

#include <cstddef>
#include <vector>

namespace nestwright::xgboost {

/// Sums of the rows' scores, one a program.
std::vector<double> programScores(const FeatureTable& table, const std::vector<float>& rowScores);

/// Gradients of the programs of a table with these labels and weights.
class PackSum {
 public:
  PackSum(const FeatureTable& table, std::vector<float> labels, std::vector<float> weights,
          double eta);

  /// Sets the gradients from the programs' scores.
  void update(const std::vector<double>& scores);
  std::vector<float>& gradients() { return gradients_; }
  std::vector<float>& hessians() { return hessians_; }

  /// Root of the mean weighted squared error over the programs.
  double weightedError(const std::vector<double>& scores) const;

 private:
  const FeatureTable& table_;
  std::vector<float> labels_, weights_;
  std::vector<float> gradients_, hessians_; // one a row
};

} // namespace nestwright::xgboost
