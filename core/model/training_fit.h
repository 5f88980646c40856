#pragma once
/// \file How well a model knows what it has learned from.

#include "core/model/cost_model.h"

#include <cstddef>
#include <string>

namespace nestwright {

/// Sets the report's error and peak: averages over tasks of how good the scores of the programs
/// learned from are. `labels` and `scores` are parallel to the set.
void measureFit(const DataSet& set, const std::vector<float>& labels,
                const std::vector<double>& scores, UpdateReport& report);

/// How many programs of the set ran.
std::size_t countUsable(const DataSet& set);

/// Why a model with such a warm-up learns nothing of the set yet, in a clause; empty: it does.
std::string whyTooFew(const DataSet& set, std::size_t warmup);

} // namespace nestwright
