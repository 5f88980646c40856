#pragma once
/// \file Index arithmetic: sums of integer multiples of atoms. An atom is a variable, a floor
/// division or remainder of one, or anything that this arithmetic does not look into. Terms stay in
/// the order in which they came, so that text comes out as people and TVM write it.

#include "core/tensor/expr.h"

#include <cstdint>
#include <vector>

namespace nestwright {

/// Bounds beyond this are unknown; arithmetic on bounds saturates here.
inline constexpr std::int64_t kUnbounded = std::int64_t{1} << 60;

/// All integers from `low` to `high`.
struct IntRange {
  std::int64_t low = -kUnbounded;
  std::int64_t high = kUnbounded;
  bool isBounded() const { return low > -kUnbounded && high < kUnbounded; }
};

struct Term {
  Expr atom;
  std::int64_t factor = 1;
  IntRange range; // of the atom
};

struct Affine {
  std::vector<Term> terms;
  std::int64_t constant = 0;

  Affine() = default;
  Affine(std::int64_t value) : constant(value) {}
  Affine(Expr atom, IntRange range) { terms.push_back({std::move(atom), 1, range}); }
  bool isConstant() const { return terms.empty(); }
  bool isConstant(std::int64_t value) const { return terms.empty() && constant == value; }
};

std::int64_t addBounds(std::int64_t a, std::int64_t b);
std::int64_t scaleBound(std::int64_t bound, std::int64_t factor);

/// a += b * factor
void add(Affine& a, const Affine& b, std::int64_t factor = 1);
Affine scaled(Affine a, std::int64_t factor);

/// Whether a remainder may be dropped because its operand is small enough. TVM does not know the
/// range of a fused loop's variable when it takes the variable apart, and its text shows that.
enum class FusedVariable : std::uint8_t { KnownRange, UnknownRange };

Affine floorDiv(const Affine& a, std::int64_t divisor);
Affine floorMod(const Affine& a, std::int64_t divisor,
                FusedVariable knowledge = FusedVariable::KnownRange);

/// The parts of `a` modulo the divisor: a = divisor * quotient + remainder, where the terms of the
/// remainder have factors that the divisor does not divide.
struct Divided {
  Affine quotient;
  Affine remainder;
};
Divided divideTerms(const Affine& a, std::int64_t divisor);

/// Values that the sum can take, if its atoms are independent.
IntRange rangeOf(const Affine& a);

/// Merges floor divisions with their remainders: (x / 4) * 4 + x % 4 is x, and
/// (x / 12) * 3 + (x % 12) / 4 is x / 4.
Affine recombined(Affine a);

Expr toExpr(const Affine& a);

} // namespace nestwright
