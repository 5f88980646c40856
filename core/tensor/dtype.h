#pragma once
/// \file Element types, and vectors of them once a loop is vectorised.

#include <cstdint>
#include <string>
#include <string_view>

namespace nestwright {

/// A scalar or short-vector type. Value type, 4 bytes.
struct DataType {
  enum class Code : std::uint8_t { Int, UInt, Float, BFloat, Bool };

  Code code = Code::Float;
  std::uint8_t bits = 32;
  std::uint16_t lanes = 1;

  friend bool operator==(const DataType&, const DataType&) = default;

  bool isFloat() const { return code == Code::Float || code == Code::BFloat; }
  /// float16 or bfloat16, whose operations are those of float32, rounded (core/tensor/half.h).
  bool isHalf() const { return isFloat() && bits == 16; }
  bool isInt() const { return code == Code::Int || code == Code::UInt; }
  bool isBool() const { return code == Code::Bool; }
  bool isScalar() const { return lanes == 1; }
  /// Bytes of one element in memory; a bool takes one byte.
  int elementBytes() const { return bits < 8 ? 1 : bits / 8; }
  DataType withLanes(int n) const { return {code, bits, static_cast<std::uint16_t>(n)}; }
  DataType element() const { return withLanes(1); }
};

inline constexpr DataType kFloat32{DataType::Code::Float, 32, 1};
inline constexpr DataType kFloat64{DataType::Code::Float, 64, 1};
inline constexpr DataType kFloat16{DataType::Code::Float, 16, 1};
inline constexpr DataType kBFloat16{DataType::Code::BFloat, 16, 1};
inline constexpr DataType kInt32{DataType::Code::Int, 32, 1};
inline constexpr DataType kInt64{DataType::Code::Int, 64, 1};
inline constexpr DataType kInt8{DataType::Code::Int, 8, 1};
inline constexpr DataType kUInt8{DataType::Code::UInt, 8, 1};
inline constexpr DataType kUInt32{DataType::Code::UInt, 32, 1};
inline constexpr DataType kBool{DataType::Code::Bool, 1, 1};

/// "float32", "int64", "bool", "float32x16".
std::string toString(DataType type);

/// The inverse of `toString`. Throws InputError naming the text when it is no type.
DataType parseDataType(std::string_view text);

} // namespace nestwright
