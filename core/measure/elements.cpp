#include "core/measure/elements.h"

#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/tensor/half.h"
#include "core/tensor/stored_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace nestwright {

namespace {

struct Half {
  std::uint16_t bits;
};
struct BFloat {
  std::uint16_t bits;
};
struct Bool {
  std::uint8_t byte;
};

double toDouble(Half h) {
  return fromFloat16(h.bits);
}
double toDouble(BFloat b) {
  return fromBFloat16(b.bits);
}
double toDouble(Bool b) {
  return b.byte != 0;
}
template <class T>
double toDouble(T value) {
  return static_cast<double>(value);
}

/// Calls `f` with a value of the C++ type that stands for `type` in memory.
template <class F>
void withElementType(DataType type, const F& f) {
  using Code = DataType::Code;
  if (type == kFloat32 || type == kFloat64) return withStoredType(type, f);
  if (type == kFloat16) return f(Half{});
  if (type.code == Code::BFloat && type.bits == 16) return f(BFloat{});
  if (type.isBool()) return f(Bool{});
  if (type.isInt() && type.bits >= 8 && type.bits <= 64 && std::has_single_bit(type.bits))
    return withStoredType(type, f);
  throw InputError(
      fmt::format("tensors of type {} cannot be measured; use float16/32/64, bfloat16, "
                  "int8/16/32/64, uint8/16/32/64 or bool",
                  toString(type)));
}

/// A pure function of the counter (the finaliser of SplitMix64): weights have millions of elements,
/// and this takes a nanosecond for each.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Uniform in [-1, 1), with 24 bits, so that it is exact in float32.
double unitFrom(std::uint64_t random) {
  return static_cast<double>(random >> 40) * 0x1p-23 - 1.0;
}

void setFrom(float& element, std::uint64_t random) {
  element = static_cast<float>(unitFrom(random));
}
void setFrom(double& element, std::uint64_t random) {
  element = unitFrom(random);
}
void setFrom(Half& element, std::uint64_t random) {
  element.bits = halfBits(unitFrom(random), kFloat16);
}
void setFrom(BFloat& element, std::uint64_t random) {
  element.bits = halfBits(unitFrom(random), kBFloat16);
}
void setFrom(Bool& element, std::uint64_t random) {
  element.byte = random & 1;
}
template <class T>
void setFrom(T& element, std::uint64_t random) {
  const int value = static_cast<int>(random % 9);
  element = static_cast<T>(std::numeric_limits<T>::is_signed ? value - 4 : value);
}

template <class T>
double elementOf(std::span<const std::uint8_t> bytes, std::size_t n) {
  T element;
  std::memcpy(&element, bytes.data() + n * sizeof(T), sizeof(T));
  return toDouble(element);
}

template <class T>
Difference compareAs(std::span<const std::uint8_t> actual, std::span<const std::uint8_t> expected,
                     const Tolerance& tolerance) {
  const std::size_t elements = expected.size() / sizeof(T);
  const AnswerComparison comparison(
      elements, [&](std::size_t n) { return elementOf<T>(expected, n); }, tolerance);
  Difference result;
  for (std::size_t i = 0; i < elements; ++i) {
    const double a = elementOf<T>(actual, i), e = elementOf<T>(expected, i);
    const double error = comparison.error(a, e);
    if (error > tolerance.relative) ++result.elements;
    if (error <= result.maxRelativeError) continue;
    result.maxRelativeError = error;
    result.worst = static_cast<std::int64_t>(i);
    result.actual = a;
    result.expected = e;
  }
  return result;
}

} // namespace

void fillRandom(std::span<std::uint8_t> bytes, DataType type, std::uint64_t seed,
                std::uint64_t index) {
  const std::uint64_t stream = mix(seed ^ mix(index));
  withElementType(type, [&](auto element) {
    for (std::size_t i = 0; i < bytes.size() / sizeof element; ++i) {
      setFrom(element, mix(stream + i));
      std::memcpy(bytes.data() + i * sizeof element, &element, sizeof element);
    }
  });
}

double AnswerComparison::error(double actual, double expected) const {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;
  const double error = std::abs(actual - expected) / (std::abs(expected) + floor_);
  return std::isnan(error) ? kInfinity : error;
}

Tolerance toleranceFor(DataType type, const Tolerance& wanted) {
  if (!type.isHalf()) return wanted;
  const double digit = type.code == DataType::Code::BFloat ? 0x1p-7 : 0x1p-10;
  return {std::max(wanted.relative, digit), std::max(wanted.absolute, digit)};
}

double elementAt(std::span<const std::uint8_t> bytes, DataType type, std::size_t n) {
  double value = 0;
  withElementType(type, [&](auto element) {
    NW_ASSERT((n + 1) * sizeof element <= bytes.size(), "there is no element {}", n);
    std::memcpy(&element, bytes.data() + n * sizeof element, sizeof element);
    value = toDouble(element);
  });
  return value;
}

Tolerance toleranceOfTf32(const Tolerance& wanted) {
  return {std::max(wanted.relative, 1e-2), std::max(wanted.absolute, 5e-3)};
}

Difference compareElements(std::span<const std::uint8_t> actual,
                           std::span<const std::uint8_t> expected, DataType type,
                           const Tolerance& tolerance) {
  NW_ASSERT(actual.size() == expected.size(), "outputs of {} and {} bytes", actual.size(),
            expected.size());
  Difference result;
  withElementType(type, [&](auto element) {
    result = compareAs<decltype(element)>(actual, expected, tolerance);
  });
  return result;
}

std::string inWords(const Difference& difference, const std::string& output,
                    const std::vector<std::int64_t>& shape, const Tolerance& tolerance) {
  std::vector<std::int64_t> indices(shape.size());
  std::int64_t rest = difference.worst, total = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    indices[d] = rest % shape[d];
    rest /= shape[d];
    total *= shape[d];
  }
  return fmt::format("output {} differs from the naive program at [{}]: {:.9g} instead of {:.9g} "
                     "(relative error {:.3g}, tolerance {:.3g}); {} of {} elements differ",
                     output, fmt::join(indices, ", "), difference.actual, difference.expected,
                     difference.maxRelativeError, tolerance.relative, difference.elements, total);
}

} // namespace nestwright
