#include "core/emit/c_type.h"

#include "core/support/error.h"

namespace nestwright {

std::string cType(DataType type) {
  if (type == kFloat32) return "float";
  if (type == kFloat64) return "double";
  if (type.isHalf()) return "uint16_t";
  if (type.isBool()) return "uint8_t";
  const bool whole = type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64;
  if (!type.isInt() || !whole || !type.isScalar())
    throw InputError(fmt::format("C has no type {}", toString(type)));
  return fmt::format("{}int{}_t", type.code == DataType::Code::Int ? "" : "u", type.bits);
}

} // namespace nestwright
