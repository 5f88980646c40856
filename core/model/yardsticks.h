#pragma once
/// \file What every cost model is to be held against: the scores of one that knows nothing, and of
/// one that knows all. They need names and times of programs and no features, so that they are
/// functions and no models.

#include "core/model/data_set.h"

#include <cstdint>
#include <vector>

namespace nestwright {

/// Uniform in [0, 1), by the seed, the task and the program alone: not by what else is in the set.
std::vector<double> randomScores(const DataSet& set, std::uint64_t seed);

/// The labels themselves (normalisedThroughput).
std::vector<double> oracleScores(const DataSet& set);

} // namespace nestwright
