#pragma once
/// \file The C++ type in which elements of a type lie in memory.

#include "core/support/error.h"
#include "core/tensor/dtype.h"

#include <cstdint>

namespace nestwright {

/// Calls `f` with a value of it, and gives what that gives. Halves have none: they are bits
/// (core/tensor/half.h).
template <class F>
auto withStoredType(DataType type, const F& f) {
  NW_ASSERT(!type.isHalf(), "{} has no type of its own in C++", toString(type));
  if (type.isFloat()) return type.bits == 64 ? f(double{}) : f(float{});
  const bool isSigned = type.code == DataType::Code::Int;
  switch (type.elementBytes()) {
  case 1:
    return isSigned ? f(std::int8_t{}) : f(std::uint8_t{});
  case 2:
    return isSigned ? f(std::int16_t{}) : f(std::uint16_t{});
  case 4:
    return isSigned ? f(std::int32_t{}) : f(std::uint32_t{});
  default:
    return isSigned ? f(std::int64_t{}) : f(std::uint64_t{});
  }
}

} // namespace nestwright
