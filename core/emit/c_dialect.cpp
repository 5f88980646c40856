#include "core/emit/c_dialect.h"

#include <fmt/format.h>

namespace nestwright {
namespace {

template <class T>
std::string withPoint(T value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

} // namespace

std::string floatDigits(double value, DataType type) {
  return type.bits == 64 ? withPoint(value) : withPoint(static_cast<float>(value)) + "f";
}

} // namespace nestwright
