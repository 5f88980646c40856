#include "core/network/graph/narrow_integers.h"

#include "core/tensor/scalar_arithmetic.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

bool isByte(DataType type) {
  return type == kInt8 || type == kUInt8;
}

std::int64_t saturatedTo(DataType type, double x) {
  if (type.bits == 64) return saturated(x);
  const bool isSigned = type.code == DataType::Code::Int;
  const double high = std::ldexp(1.0, type.bits - (isSigned ? 1 : 0)) - 1;
  return saturated(std::clamp(std::isnan(x) ? 0 : x, isSigned ? -high - 1 : 0, high));
}

Array wrappedTo(DataType type, Array result) {
  if (!wraps(type)) return result;
  for (std::int64_t& x : std::get<std::vector<std::int64_t>>(result.data))
    x = wrapped(x, type);
  return result;
}

} // namespace nestwright
