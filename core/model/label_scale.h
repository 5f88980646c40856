#pragma once
/// \file From the scores of a model that was trained on orders alone to normalised throughputs.

#include "core/model/data_set.h"

#include <span>

namespace nestwright {

/// throughput = slope x score + offset
struct LabelScale {
  double slope = 1, offset = 0;
};

/// The scale that fits scores of the set's programs best, by least squares. The slope is that
/// within tasks, for scores of two tasks need not be comparable; while programs are few it is drawn
/// to the ratio of the two spreads, and it is never below 0: that a handful of programs disagrees
/// is no reason to turn a trained model upside down. Programs with scores that are not finite do
/// not count; without any other the scale is 1.
LabelScale fitLabelScale(const DataSet& set, std::span<const double> scores,
                         std::span<const float> labels);

} // namespace nestwright
