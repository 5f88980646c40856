#pragma once
/// \file Element types and literals as CUDA C.

#include "core/tensor/expr.h"

#include <string>

namespace nestwright::cuda {

/// "float", "long long", "nw_bf16". Throws Error for a type that CUDA C does not have.
std::string typeText(DataType type);

std::string intText(std::int64_t value, DataType type);
std::string floatText(double value, DataType type);

} // namespace nestwright::cuda
