#include "core/network/graph/array.h"

#include "core/support/error.h"

#include <cmath>
#include <mutex>
#include <unordered_map>
#include <utility>

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

std::int64_t arrayBytes(const Shape& shape, bool isFloat) {
  return elementCount(shape) *
         static_cast<std::int64_t>(isFloat ? sizeof(float) : sizeof(std::int64_t));
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

struct Constant::Recipe {
  std::vector<Constant> operands;
  std::function<Array(const std::vector<ArrayPtr>&)> make;
  mutable std::mutex mutex;
  mutable ArrayPtr kept; // of a small derived value, guarded by `mutex`

  Recipe(std::vector<Constant> from, std::function<Array(const std::vector<ArrayPtr>&)> how)
      : operands(std::move(from)), make(std::move(how)) {}
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;

  /// Chains of recipes may be long, so they are taken apart one by one and not from within.
  ~Recipe() {
    std::vector<Constant> rest = std::move(operands);
    while (!rest.empty()) {
      const Constant last = std::move(rest.back());
      rest.pop_back();
      if (last.recipe_.use_count() != 1) continue;
      auto& inner = const_cast<Recipe&>(*last.recipe_).operands; // nobody else sees it any more
      rest.insert(rest.end(), std::make_move_iterator(inner.begin()),
                  std::make_move_iterator(inner.end()));
      inner.clear();
    }
  }

  ArrayPtr known() const {
    const std::scoped_lock lock(mutex);
    return kept;
  }

  ArrayPtr from(const std::vector<ArrayPtr>& values) const {
    auto value = std::make_shared<const Array>(make(values));
    if (!operands.empty() && elementCount(value->shape) <= kSmallArray) {
      const std::scoped_lock lock(mutex);
      kept = value;
    }
    return value;
  }
};

Constant Constant::lazy(std::function<Array()> make) {
  return derived({}, [make = std::move(make)](const std::vector<ArrayPtr>&) { return make(); });
}

Constant Constant::derived(std::vector<Constant> operands,
                           std::function<Array(const std::vector<ArrayPtr>&)> make) {
  Constant constant;
  constant.recipe_ = std::make_shared<const Recipe>(std::move(operands), std::move(make));
  return constant;
}

ArrayPtr Constant::materialise() const {
  if (held_) return held_;
  NW_ASSERT(recipe_, "the tensor is no constant");
  std::unordered_map<const Recipe*, ArrayPtr> made;
  std::vector<const Recipe*> open{recipe_.get()}; // each waits for those behind it
  const auto valueOf = [&made](const Constant& constant) -> ArrayPtr {
    if (constant.held_) return constant.held_;
    const auto found = made.find(constant.recipe_.get());
    return found == made.end() ? nullptr : found->second;
  };
  while (!open.empty()) {
    const Recipe* recipe = open.back();
    ArrayPtr& value = made[recipe];
    if (!value) value = recipe->known();
    if (value) {
      open.pop_back();
      continue;
    }
    std::vector<ArrayPtr> values;
    bool complete = true;
    for (const Constant& operand : recipe->operands) {
      values.push_back(valueOf(operand));
      if (values.back()) continue;
      complete = false;
      open.push_back(operand.recipe_.get());
    }
    if (complete) made[recipe] = recipe->from(values);
  }
  return made.at(recipe_.get());
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
