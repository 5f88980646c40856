#pragma once
/// \file Sums and ranges of integers that nobody vouches for: in 128 bits, so that whatever 64 bits
/// cannot hold is seen instead of wrapping around.

#include "core/tensor/expr.h"

#include <vector>

namespace nestwright {

using WideInt = __int128;

/// All integers from `low` to `high`; empty when `low` is above `high`.
struct ValueBounds {
  WideInt low = 0, high = 0;
  bool isEmpty() const { return low > high; }
  bool isInside(const ValueBounds& other) const { return low >= other.low && high <= other.high; }
};

/// What an element type can hold.
ValueBounds boundsOf(DataType type);

/// constant + sum of factor * atom. An atom is an axis, or an expression that is no sum. No atom
/// occurs twice, no factor is zero.
struct WideSum {
  struct Term {
    Expr atom;
    WideInt factor;
  };
  std::vector<Term> terms;
  WideInt constant = 0;
  bool isConstant() const { return terms.empty(); }
};

/// The bounds of values within these bounds that are multiplied, divided, or lose their sign.
ValueBounds product(const ValueBounds& a, const ValueBounds& b);
ValueBounds product(const ValueBounds& a, WideInt factor);
ValueBounds quotientOf(const ValueBounds& a, std::int64_t divisor);
ValueBounds remainderOf(const ValueBounds& a, std::int64_t divisor);
ValueBounds absoluteOf(const ValueBounds& a);
/// The smallest bounds around both.
ValueBounds hull(const ValueBounds& a, const ValueBounds& b);

WideInt magnitude(WideInt value);

/// sum += atom * factor, and sum += other * factor.
void add(WideSum& sum, const Expr& atom, WideInt factor);
void add(WideSum& sum, const WideSum& other, WideInt factor);
WideSum single(const Expr& atom);
/// The factor of an atom; 0 where it does not occur.
WideInt factorOf(const WideSum& sum, const Expr& atom);

/// Whether all numbers of the sum are small enough that sums of their products with a value of 64
/// bits and a multiplier up to `kLargestMultiplier` stay within 128 bits. Larger factors lead out
/// of every tensor anyway (check_bounds.h).
bool isSmall(const WideSum& sum);
inline constexpr WideInt kLargestMultiplier = WideInt(1) << 14;

/// Takes out of the sum what is a multiple of the divisor, divided by it.
WideSum takeMultiples(WideSum& sum, std::int64_t divisor);

/// The sum, which must be small and whose constant fits into 64 bits, as an expression of this
/// type.
Expr expression(const WideSum& sum, DataType type);

} // namespace nestwright
