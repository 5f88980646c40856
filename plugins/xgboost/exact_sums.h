#pragma once
/// \file Gradients whose sums do not depend on the order of adding.

#include <vector>

namespace nestwright::xgboost {

/// Rounds all values to multiples of 2^-22 of the largest one. XGBoost adds gradients up in double
/// precision, in an order that depends on the number of threads; of such values every sum is exact,
/// so that all orders give the same sum and the same trees (C35). What is rounded away is about
/// what a float does not hold anyway.
void roundForExactSums(std::vector<float>& values);

} // namespace nestwright::xgboost
