#include "plugins/cuda/text/type_text.h"

#include "core/emit/c_dialect.h"
#include "core/support/error.h"

#include <bit>
#include <cmath>
#include <limits>

namespace nestwright::cuda {
std::string typeText(DataType type) {
  switch (type.code) {
  case DataType::Code::Bool:
    return "bool";
  case DataType::Code::BFloat:
    if (type.bits == 16) return "nw_bf16";
    break;
  case DataType::Code::Float:
    if (type.bits == 16) return "nw_f16";
    if (type.bits == 32) return "float";
    if (type.bits == 64) return "double";
    break;
  case DataType::Code::Int:
  case DataType::Code::UInt: {
    const bool isSigned = type.code == DataType::Code::Int;
    const std::string prefix = isSigned ? "" : "unsigned ";
    if (type.bits == 8) return isSigned ? "signed char" : "unsigned char";
    if (type.bits == 16) return prefix + "short";
    if (type.bits == 32) return prefix + "int";
    if (type.bits == 64) return prefix + "long long";
    break;
  }
  }
  throw Error(fmt::format("CUDA C has no type {}", toString(type)));
}

std::string intText(std::int64_t value, DataType type) {
  if (type.isBool()) return value != 0 ? "true" : "false";
  if (type.code == DataType::Code::UInt) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (type.bits == 64) return fmt::format("{}ull", bits);
    const std::uint64_t mask = (std::uint64_t{1} << type.bits) - 1;
    return type.bits == 32 ? fmt::format("{}u", bits & mask)
                           : fmt::format("({}){}", typeText(type), bits & mask);
  }
  if (type.bits < 32) return fmt::format("({})({})", typeText(type), value);
  const char* suffix = type.bits == 64 ? "ll" : "";
  const std::int64_t lowest = type.bits == 64 ? std::numeric_limits<std::int64_t>::min()
                                              : std::numeric_limits<std::int32_t>::min();
  // C has no negative literals: the lowest value's opposite does not fit.
  if (value == lowest)
    return fmt::format("(-{}{} - 1)", std::numeric_limits<std::int64_t>::max() >> (64 - type.bits),
                       suffix);
  return value < 0 ? fmt::format("({}{})", value, suffix) : fmt::format("{}{}", value, suffix);
}

std::string floatText(double value, DataType type) {
  if (type.bits == 64) {
    if (!std::isfinite(value))
      return fmt::format("nw_bits<double>({:#x}ull)", std::bit_cast<std::uint64_t>(value));
    const std::string text = floatDigits(value, type);
    return std::signbit(value) ? fmt::format("({})", text) : text;
  }
  const auto narrow = static_cast<float>(value);
  std::string text = floatDigits(narrow, kFloat32);
  if (!std::isfinite(narrow))
    text = fmt::format("nw_bits<float>({:#x}u)", std::bit_cast<std::uint32_t>(narrow));
  else if (std::signbit(narrow))
    text = fmt::format("({})", text);
  if (!type.isHalf()) return text;
  return fmt::format("nw_to_{}({})", type.code == DataType::Code::BFloat ? "bf16" : "f16", text);
}

} // namespace nestwright::cuda
