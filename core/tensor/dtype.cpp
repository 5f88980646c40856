#include "core/tensor/dtype.h"

#include "core/support/error.h"

#include <charconv>

namespace nestwright {

namespace {

std::string elementName(DataType type) {
  switch (type.code) {
  case DataType::Code::Int:
    return fmt::format("int{}", type.bits);
  case DataType::Code::UInt:
    return fmt::format("uint{}", type.bits);
  case DataType::Code::Float:
    return fmt::format("float{}", type.bits);
  case DataType::Code::BFloat:
    return fmt::format("bfloat{}", type.bits);
  case DataType::Code::Bool:
    return "bool";
  }
  NW_ASSERT(false, "unknown type code {}", static_cast<int>(type.code));
  return {};
}

[[noreturn]] void refuse(std::string_view text) {
  throw InputError(fmt::format(
      "'{}' is no element type; known are bool, int8 to int64, uint8 to uint64, float16, "
      "float32, float64 and bfloat16, with an optional lane count as in float32x16",
      text));
}

bool isKnown(DataType type) {
  switch (type.code) {
  case DataType::Code::Int:
  case DataType::Code::UInt:
    return type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64;
  case DataType::Code::Float:
    return type.bits == 16 || type.bits == 32 || type.bits == 64;
  case DataType::Code::BFloat:
    return type.bits == 16;
  case DataType::Code::Bool:
    return type.bits == 1;
  }
  return false;
}

} // namespace

std::string toString(DataType type) {
  std::string text = elementName(type);
  if (type.lanes != 1) text += fmt::format("x{}", type.lanes);
  return text;
}

DataType parseDataType(std::string_view text) {
  struct Prefix {
    std::string_view name;
    DataType::Code code;
  };
  static constexpr Prefix kPrefixes[] = {{"bfloat", DataType::Code::BFloat},
                                         {"float", DataType::Code::Float},
                                         {"uint", DataType::Code::UInt},
                                         {"int", DataType::Code::Int},
                                         {"bool", DataType::Code::Bool}};
  for (const Prefix& prefix : kPrefixes) {
    if (!text.starts_with(prefix.name)) continue;
    const char* at = text.data() + prefix.name.size();
    const char* end = text.data() + text.size();
    DataType type{prefix.code, 1, 1};
    if (prefix.code != DataType::Code::Bool) {
      const auto [next, error] = std::from_chars(at, end, type.bits);
      if (error != std::errc()) refuse(text);
      at = next;
    }
    if (at != end) {
      if (*at != 'x') refuse(text);
      const auto [next, error] = std::from_chars(at + 1, end, type.lanes);
      if (error != std::errc() || next != end || type.lanes == 0) refuse(text);
    }
    if (!isKnown(type)) refuse(text);
    return type;
  }
  refuse(text);
}

} // namespace nestwright
