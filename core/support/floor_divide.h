#pragma once
/// \file Division that rounds down, where the language rounds towards zero.

#include <type_traits>

namespace nestwright {

/// The largest integer not above a / b, for any signs; b must not be 0, nor the quotient outside
/// of the type.
template <class Integer>
constexpr Integer floorDivide(Integer a, std::type_identity_t<Integer> b) {
  const Integer quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// What floorDivide() leaves: between 0 and b, without b.
template <class Integer>
constexpr Integer floorRemainder(Integer a, std::type_identity_t<Integer> b) {
  return a - floorDivide(a, b) * b;
}

} // namespace nestwright
