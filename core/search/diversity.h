#pragma once
/// \file Picking configurations that are good and differ from one another (handbook/cost-models.md
/// 3.5).

#include <cstddef>
#include <span>
#include <vector>

namespace nestwright {

/// Up to `count` of the configurations, one after another that with the highest sum of its score
/// and `weight` times the number of knobs of which no configuration before it has the same value;
/// of equal ones the first. `digits`: of each configuration the places of its knobs' values.
std::vector<std::size_t> pickDiverse(const std::vector<std::vector<std::size_t>>& digits,
                                     std::span<const double> scores, std::size_t count,
                                     double weight);

} // namespace nestwright
