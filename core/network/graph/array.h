#pragma once
/// \file Tensors in host memory: the constants of a network and what is folded from them.

#include "core/network/graph/window.h"
#include "core/tensor/dtype.h"

#include <functional>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace nestwright {

/// More elements than any tensor may have; products of extents below it do not overflow.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

/// More dimensions than any tensor may have; what files ask for beyond is a mistake.
inline constexpr std::size_t kMaxDimensions = 32;

/// Product of the extents; 1 for a scalar.
std::int64_t elementCount(const Shape& shape);

/// A real as an integer, cut towards zero: beyond the limits it saturates as in a kernel; NaN is 0.
std::int64_t saturated(double x);

/// A dense row-major tensor of float32, or of int64, which also holds the elements of bool and of
/// all narrower integers.
struct Array {
  Shape shape;
  std::variant<std::vector<float>, std::vector<std::int64_t>> data;

  bool isFloat() const { return data.index() == 0; }
  const std::vector<float>& floats() const { return std::get<0>(data); }
  const std::vector<std::int64_t>& ints() const { return std::get<1>(data); }
};
using ArrayPtr = std::shared_ptr<const Array>;

/// Bytes of an array's elements.
std::int64_t arrayBytes(const Shape& shape, bool isFloat);

/// Arrays of up to this many elements are kept once they are known; larger ones are made when they
/// are asked for.
inline constexpr std::int64_t kSmallArray = 1 << 14;

/// The value of a constant tensor: held in memory, or made when it is asked for, since the weights
/// of a network are large and most uses never look at them. Immutable, cheap to copy.
class Constant {
 public:
  Constant() = default;
  static Constant of(Array value);
  /// `make` must give the same array each time.
  static Constant lazy(std::function<Array()> make);
  /// What `make` gives for the operands' values.
  static Constant derived(std::vector<Constant> operands,
                          std::function<Array(const std::vector<ArrayPtr>&)> make);

  explicit operator bool() const { return held_ || recipe_; }
  /// True when `materialise` only returns what is held.
  bool isHeld() const { return held_ != nullptr; }
  /// The value; made anew at each call unless held, or small and derived. Within a call each value
  /// is made once, however many others are derived from it.
  ArrayPtr materialise() const;

 private:
  struct Recipe;

  ArrayPtr held_;
  std::shared_ptr<const Recipe> recipe_;
};

/// Uniformly distributed floats in [low, high); element i is a function of (seed, i) alone.
Constant uniformConstant(const Shape& shape, double low, double high, std::uint64_t seed);
/// Uniform with mean 0 and variance gain / fanIn: gain 2 keeps activations in scale through a layer
/// with ReLU (He et al. 2015), gain 1 through a linear one.
Constant scaledConstant(const Shape& shape, std::int64_t fanIn, double gain, std::uint64_t seed);
Constant filledConstant(const Shape& shape, float value);
Constant floatConstant(const Shape& shape, std::vector<float> values);
Constant intConstant(const Shape& shape, std::vector<std::int64_t> values);

/// Result dimension d is dimension permutation[d] of `a`.
Array transposed(const Array& a, const std::vector<int>& permutation);
Array reshaped(Array a, Shape shape);

} // namespace nestwright
