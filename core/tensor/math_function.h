#pragma once
/// \file The functions of C's mathematical library that intrinsics are.

#include "core/tensor/expr.h"

namespace nestwright {

/// The name of the function of double: "exp"; that of float has an f behind it. Null for what is no
/// single function of C: reciprocal square root and sigmoid.
const char* mathFunction(Intrinsic intrinsic);

} // namespace nestwright
