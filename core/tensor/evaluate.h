#pragma once
/// \file A slow and simple interpreter of compute DAGs: the independent witness that every backend
/// and every schedule is tested against.

#include "core/tensor/compute_dag.h"

#include <map>
#include <string>
#include <vector>

namespace nestwright {

/// Row-major elements in double precision.
using TensorValues = std::vector<double>;

/// Evaluates every operator; inputs by placeholder name, results by operator name (inputs and
/// constants included). float32 operators are rounded to float32 after each store, operations on
/// float16 and bfloat16 each to their type; sums accumulate in double precision.
std::map<std::string, TensorValues> evaluate(const ComputeDag& dag,
                                             const std::map<std::string, TensorValues>& inputs);

} // namespace nestwright
