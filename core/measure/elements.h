#pragma once
/// \file Elements of tensors in memory: random inputs and the comparison of outputs.

#include "core/tensor/dtype.h"

#include <algorithm>
#include <cmath>
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

/// The rule by which a tensor is compared, element by element (MeasureOptions): every comparison
/// of answers asks here.
class AnswerComparison {
 public:
  /// Of a tensor with so many elements, of which `expectedAt` gives the one at an index. Those that
  /// are not finite say nothing of the tensor's size.
  template <class ExpectedAt>
  AnswerComparison(std::size_t elements, const ExpectedAt& expectedAt, const Tolerance& tolerance)
      : relative_(tolerance.relative) {
    double squares = 0;
    std::size_t finite = 0;
    for (std::size_t i = 0; i < elements; ++i) {
      const double value = expectedAt(i);
      if (!std::isfinite(value)) continue;
      squares += value * value;
      ++finite;
    }
    const double mean = finite == 0 ? 0 : squares / static_cast<double>(finite);
    constexpr double kTiny = 1e-300; // tolerances of 0 are no division by it
    floor_ = std::max(1.0, std::sqrt(mean)) * tolerance.absolute / std::max(relative_, kTiny);
  }

  /// Of one element: 0 where both are the same or NaN, infinity where one is NaN; to be compared
  /// with the relative tolerance.
  double error(double actual, double expected) const;
  bool allows(double actual, double expected) const { return error(actual, expected) <= relative_; }

 private:
  double relative_ = 0;
  double floor_ = 0; // added to the expected element's size
};

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
