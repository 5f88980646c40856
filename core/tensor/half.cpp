#include "core/tensor/half.h"

#include "core/support/error.h"

#include <bit>

namespace nestwright {

std::uint16_t float16Bits(float value) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = all >> 16 & 0x8000, magnitude = all & 0x7fff'ffff;
  constexpr std::uint32_t kInfinite = 0x7f80'0000, kTooLarge = 143u << 23, kNormal = 113u << 23;
  if (magnitude > kInfinite) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (magnitude >= kTooLarge) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (magnitude < kNormal) {
    // Beside 0.5 the last digit of float32 is that of a denormal float16: the addition rounds.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f00'0000));
  }
  const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<std::uint16_t>(sign | (rounded - (112u << 23)) >> 13);
}

std::uint16_t bfloat16Bits(float value) {
  const auto all = std::bit_cast<std::uint32_t>(value);
  if (value != value) return static_cast<std::uint16_t>((all >> 16 & 0x8000) | 0x7fc0);
  return static_cast<std::uint16_t>((all + 0x7fff + (all >> 16 & 1)) >> 16);
}

float fromFloat16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = (bits & 0x7fffu) << 13;
  constexpr std::uint32_t kExponent = 0x0f80'0000;
  if ((magnitude & kExponent) == kExponent) // infinite, or no number
    return std::bit_cast<float>(sign | 0x7f80'0000 | (magnitude & ~kExponent));
  if ((magnitude & kExponent) == 0) { // denormal
    const float value = std::bit_cast<float>(magnitude + (113u << 23)) - 0x1p-14f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  return std::bit_cast<float>(sign | (magnitude + (112u << 23)));
}

float fromBFloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t halfBits(double value, DataType type) {
  NW_ASSERT(type.isHalf(), "{} has not 16 bits", toString(type));
  const auto single = static_cast<float>(value);
  return type.code == DataType::Code::BFloat ? bfloat16Bits(single) : float16Bits(single);
}

float roundedToTf32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  constexpr std::uint32_t kInfinite = 0x7f80'0000;
  if ((bits & kInfinite) == kInfinite) return value;
  return std::bit_cast<float>((bits + 0x1000) & ~0x1fffu);
}

double roundedTo(double value, DataType type) {
  if (type.bits == 64) return value;
  if (!type.isHalf()) return static_cast<float>(value);
  const std::uint16_t bits = halfBits(value, type);
  return type.code == DataType::Code::BFloat ? fromBFloat16(bits) : fromFloat16(bits);
}

} // namespace nestwright
