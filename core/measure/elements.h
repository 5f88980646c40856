#pragma once
/// \file Elements of tensors in memory: random inputs and the comparison of outputs.

#include "core/tensor/dtype.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// Fills a tensor of `type`: floats uniform in [-1, 1], signed integers in [-4, 4], unsigned ones
/// in [0, 8], bools. Element n of tensor `index` under `seed` is always the same. Throws InputError
/// for a type that has no form in memory here.
void fillRandom(std::span<std::uint8_t> bytes, DataType type, std::uint64_t seed,
                std::uint64_t index);

/// Element `n` as a number.
double elementAt(std::span<const std::uint8_t> bytes, DataType type, std::size_t n);

struct Tolerance {
  double relative = 1e-3, absolute = 1e-4; // see MeasureOptions
};

/// What is asked of a tensor of this type: float16 and bfloat16 round each result, so less cannot
/// be asked than their last digit (handbook/cuda.md 10).
Tolerance toleranceFor(DataType type, const Tolerance& wanted);

/// Of a program whose factors are rounded to TF32.
Tolerance toleranceOfTf32(const Tolerance& wanted);

struct Difference {
  std::int64_t elements = 0;   // how many are outside the tolerance; 0: the tensors agree
  std::int64_t worst = -1;     // index of the element with the largest error, if any differs at all
  double maxRelativeError = 0; // see MeasureResult
  double actual = 0, expected = 0; // at `worst`
};

/// Compares element by element; a NaN differs unless the reference is NaN too.
Difference compareElements(std::span<const std::uint8_t> actual,
                           std::span<const std::uint8_t> expected, DataType type,
                           const Tolerance& tolerance);

/// "output C differs from the naive program at [3, 7]: ..."; `shape` turns the index into one per
/// dimension.
std::string inWords(const Difference& difference, const std::string& output,
                    const std::vector<std::int64_t>& shape, const Tolerance& tolerance);

} // namespace nestwright
