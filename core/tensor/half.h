#pragma once
/// \file Floating-point numbers of 16 bits: float16 (11 digits, up to 65504) and bfloat16 (8
/// digits, the range of float32). C++ does not compute with them; everywhere in this project an
/// operation on them is that of float32, rounded to the nearest, halves to even.

#include "core/tensor/dtype.h"

#include <cstdint>

namespace nestwright {

/// The nearest one; what is too large becomes infinite, what is too small denormal or zero, and
/// what is no number the quiet NaN.
std::uint16_t float16Bits(float value);
std::uint16_t bfloat16Bits(float value);

/// Exactly.
float fromFloat16(std::uint16_t bits);
float fromBFloat16(std::uint16_t bits);

/// The 16 bits of a value of this half type, which is rounded to float32 first.
std::uint16_t halfBits(double value, DataType type);

/// The nearest number of TF32, which has the range of float32 and 10 digits behind the point;
/// halves away from zero, as cvt.rna.tf32 rounds.
float roundedToTf32(float value);

/// What an element of a floating-point type of 16, 32 or 64 bits holds of the value.
double roundedTo(double value, DataType type);

} // namespace nestwright
