#include "core/network/array.h"

#include "core/support/error.h"

#include <cmath>

namespace nestwright {

namespace {

/// Steele, Lea and Flood's splitmix64: a good hash of a counter in a few instructions.
std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

} // namespace

std::int64_t elementCount(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape)
    count *= extent;
  return count;
}

std::int64_t saturated(double x) {
  constexpr double kLimit = 9223372036854775808.0;
  if (std::isnan(x)) return 0;
  if (x >= kLimit) return std::numeric_limits<std::int64_t>::max();
  return x <= -kLimit ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(x);
}

Constant Constant::of(Array value) {
  Constant constant;
  constant.held_ = std::make_shared<const Array>(std::move(value));
  return constant;
}

Constant Constant::lazy(std::function<Array()> make) {
  Constant constant;
  constant.make_ = std::move(make);
  return constant;
}

ArrayPtr Constant::materialise() const {
  if (held_) return held_;
  NW_ASSERT(make_, "the tensor is no constant");
  return std::make_shared<const Array>(make_());
}

Constant uniformConstant(const Shape& shape, double low, double high, std::uint64_t seed) {
  return Constant::lazy([=] {
    std::vector<float> values(static_cast<std::size_t>(elementCount(shape)));
    const std::uint64_t start = mix(seed);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double unit = static_cast<double>(mix(start + i) >> 11) * 0x1p-53;
      values[i] = static_cast<float>(low + (high - low) * unit);
    }
    return Array{shape, std::move(values)};
  });
}

Constant scaledConstant(const Shape& shape, std::int64_t fanIn, double gain, std::uint64_t seed) {
  const double bound = std::sqrt(3 * gain / static_cast<double>(std::max<std::int64_t>(fanIn, 1)));
  return uniformConstant(shape, -bound, bound, seed);
}

Constant filledConstant(const Shape& shape, float value) {
  return Constant::lazy([=] {
    return Array{shape, std::vector<float>(static_cast<std::size_t>(elementCount(shape)), value)};
  });
}

Constant floatConstant(const Shape& shape, std::vector<float> values) {
  NW_ASSERT(elementCount(shape) == static_cast<std::int64_t>(values.size()), "{} values for [{}]",
            values.size(), fmt::join(shape, ", "));
  return Constant::of({shape, std::move(values)});
}

Constant intConstant(const Shape& shape, std::vector<std::int64_t> values) {
  NW_ASSERT(elementCount(shape) == static_cast<std::int64_t>(values.size()), "{} values for [{}]",
            values.size(), fmt::join(shape, ", "));
  return Constant::of({shape, std::move(values)});
}

Array transposed(const Array& a, const std::vector<int>& permutation) {
  const std::size_t rank = a.shape.size();
  NW_ASSERT(permutation.size() == rank, "a permutation of {} of {} dimensions", permutation.size(),
            rank);
  Shape shape(rank), strides(rank), steps(rank);
  std::int64_t stride = 1;
  for (std::size_t d = rank; d-- > 0; stride *= a.shape[d])
    strides[d] = stride;
  for (std::size_t d = 0; d < rank; ++d) {
    shape[d] = a.shape[static_cast<std::size_t>(permutation[d])];
    steps[d] = strides[static_cast<std::size_t>(permutation[d])];
  }
  const auto permute = [&](const auto& from) {
    std::decay_t<decltype(from)> to(from.size());
    Shape index(rank, 0);
    std::int64_t at = 0;
    for (auto& element : to) {
      element = from[static_cast<std::size_t>(at)];
      for (std::size_t d = rank; d-- > 0;) {
        at += steps[d];
        if (++index[d] < shape[d]) break;
        at -= steps[d] * shape[d];
        index[d] = 0;
      }
    }
    return Array{shape, std::move(to)};
  };
  return std::visit(permute, a.data);
}

Array reshaped(Array a, Shape shape) {
  NW_ASSERT(elementCount(a.shape) == elementCount(shape), "[{}] has not the elements of [{}]",
            fmt::join(a.shape, ", "), fmt::join(shape, ", "));
  a.shape = std::move(shape);
  return a;
}

} // namespace nestwright
