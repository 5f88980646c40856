#pragma once
/// \file How good predictions are (handbook/cost-models.md 1). Labels are normalised throughputs of
/// one task unless said otherwise; predictions and labels have the same length.

#include <cstddef>
#include <span>
#include <vector>

namespace nestwright {

/// Root mean square of (prediction - label); 0 without programs.
double rmse(std::span<const double> predictions, std::span<const double> labels);

/// Coefficient of determination; 1 when all labels are equal.
double rSquared(std::span<const double> predictions, std::span<const double> labels);

/// Mean of |prediction - label| / label over the programs that ran, whose labels are not 0; 0
/// without such. The reference takes failed programs in, whose share of it has no bounds.
double mape(std::span<const double> predictions, std::span<const double> labels);

/// Share of the pairs of programs that are ordered alike by prediction and label. A pair tied in
/// one of the two counts one half, tied in both one: the mean of the reference's definition over
/// all orders of the programs. 0.5 without pairs. O(n log n).
double pairwiseAccuracy(std::span<const double> predictions, std::span<const double> labels);

/// Kendall's tau-b: rank correlation in [-1, 1]; 0 when one side is constant. O(n log n).
double rankCorrelation(std::span<const double> predictions, std::span<const double> labels);

/// Share of the k best programs that are among the k best predicted; k is cut to the number of
/// programs. 1 without programs. Ties: the earlier program is better.
double recallAt(std::size_t k, std::span<const double> predictions, std::span<const double> labels);

/// Ranks of the values, 0 the highest; of equal ones the earlier is higher.
std::vector<std::size_t> descendingRanks(std::span<const double> values);

/// Mean of f(0) to f(k - 1), where f(n) is the number of the n best predicted programs whose rank
/// by label is at most n, divided by n + 1: "average recall", by which AutoTVM's model stops. It
/// stays below 1. k is cut to the number of programs; 0 without programs. O(n + k log k).
double averageRecallAt(std::size_t k, std::span<const double> predictions,
                       std::span<const std::size_t> labelRanks);

/// Best label among the k best predicted divided by the best label: how much of the best a search
/// gets that measures the model's k favourites. 1 when no label is positive.
double peakAt(std::size_t k, std::span<const double> predictions, std::span<const double> labels);

/// Mean of peakAt(1) ... peakAt(k): the "average peak score at k" that the reference reports.
double averagePeakAt(std::size_t k, std::span<const double> predictions,
                     std::span<const double> labels);

/// Predictions and labels of one task.
struct TaskScores {
  double bestSeconds = 0; // time of label 1
  std::vector<double> predictions, labels;
};

/// The task's time that measuring the model's k favourites gives, in seconds; where all of them
/// failed, 1e5 times the best.
double pickedSeconds(std::size_t k, const TaskScores& task);

/// The share of the model's k favourites that failed; k is cut to the number of programs. 0 without
/// programs.
double failedPicks(std::size_t k, const TaskScores& task);

} // namespace nestwright
