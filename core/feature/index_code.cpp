#include "core/feature/index_code.h"

#include "core/support/floor_divide.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr IntRange kAnything{};

IntRange sum(const IntRange& a, const IntRange& b) {
  return {addBounds(a.low, b.low), addBounds(a.high, b.high)};
}

IntRange negated(const IntRange& a) {
  return {-a.high, -a.low};
}

IntRange product(const IntRange& a, const IntRange& b) {
  if (!a.isBounded() || !b.isBounded()) return kAnything;
  const auto [low, high] = std::minmax({scaleBound(a.low, b.low), scaleBound(a.low, b.high),
                                        scaleBound(a.high, b.low), scaleBound(a.high, b.high)});
  return {low, high};
}

IntRange quotient(const IntRange& a, std::int64_t divisor) {
  if (!a.isBounded()) return kAnything;
  return {floorDivide(a.low, divisor), floorDivide(a.high, divisor)};
}

IntRange remainder(const IntRange& a, std::int64_t divisor) {
  if (!a.isBounded() || floorDivide(a.low, divisor) != floorDivide(a.high, divisor))
    return {0, divisor - 1};
  return {floorRemainder(a.low, divisor), floorRemainder(a.high, divisor)};
}

IntRange rangeOfNode(const IndexNode& node, std::span<const IntRange> loops,
                     const std::vector<IntRange>& known) {
  using Kind = IndexNode::Kind;
  switch (node.kind) {
  case Kind::Literal:
    return {node.value, node.value};
  case Kind::Loop:
    return loops[static_cast<std::size_t>(node.value)];
  case Kind::Any:
    return kAnything;
  default:
    break;
  }
  const IntRange& a = known[static_cast<std::size_t>(node.a)];
  const IntRange& b = known[static_cast<std::size_t>(node.b)];
  const bool divides = b.low == b.high && b.low > 0;
  switch (node.kind) {
  case Kind::Add:
    return sum(a, b);
  case Kind::Sub:
    return sum(a, negated(b));
  case Kind::Mul:
    return product(a, b);
  case Kind::FloorDiv:
    return divides ? quotient(a, b.low) : kAnything;
  case Kind::FloorMod:
    return divides ? remainder(a, b.low) : kAnything;
  case Kind::Min:
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  default:
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  }
}

} // namespace

IntRange rangeOf(IndexCode index, std::span<const IntRange> loops, std::vector<IntRange>& scratch) {
  scratch.clear();
  for (const IndexNode& node : index)
    scratch.push_back(rangeOfNode(node, loops, scratch));
  return scratch.back();
}

bool usesLoop(IndexCode index, std::int64_t loop) {
  return std::any_of(index.begin(), index.end(), [&](const IndexNode& node) {
    return node.kind == IndexNode::Kind::Loop && node.value == loop;
  });
}

std::int64_t coefficientOf(IndexCode index, std::int64_t loop) {
  // After the loop, every product with a literal sets the guess, whether it holds the loop or not,
  // unless a sum came first.
  bool met = false, inProduct = false, inSum = false;
  std::int64_t coefficient = 0;
  for (const IndexNode& node : index) {
    if (node.kind == IndexNode::Kind::Loop && node.value == loop) {
      met = true;
      coefficient = 2;
    } else if (met && !inSum && node.kind == IndexNode::Kind::Mul) {
      for (const std::int32_t side : {node.b, node.a})
        if (const IndexNode& factor = index[static_cast<std::size_t>(side)];
            factor.kind == IndexNode::Kind::Literal) {
          inProduct = true;
          coefficient = factor.value;
        }
    } else if (met && !inProduct && node.kind == IndexNode::Kind::Add) {
      inSum = true;
      coefficient = 1;
    }
  }
  return met && !inProduct && !inSum ? 1 : coefficient;
}

} // namespace nestwright
