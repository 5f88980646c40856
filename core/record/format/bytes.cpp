#include "core/record/format/bytes.h"

#include "core/support/error.h"

#include <fmt/format.h>
#include <zstd.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>

namespace nestwright {

namespace {

constexpr int kExponentBits = 6;
constexpr int kExponentBias = 32;
constexpr std::uint64_t kLargestDigits = 99'999'999'999'999; // 14 digits: at most 8 bytes in all
constexpr std::size_t kLargestText = 64 << 20;               // no text of ours comes near

} // namespace

double valueOf(Decimal decimal) {
  // Both operands are exact, so the quotient is the correctly rounded number.
  constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (decimal.digits <= kLargestDigits && decimal.exponent <= 0 &&
      decimal.exponent > -int(std::size(kPowers)))
    return double(decimal.digits) / kPowers[-decimal.exponent];
  char text[48];
  const auto end = fmt::format_to(text, "{}e{}", decimal.digits, decimal.exponent);
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

Decimal shortDecimal(double value) {
  if (!(value > 0) || !std::isfinite(value)) return {};
  char text[48];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  Decimal decimal;
  const char* at = text;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') continue;
    decimal.digits = decimal.digits * 10 + std::uint64_t(*at - '0');
    if (at != text) --decimal.exponent;
  }
  if (decimal.digits > kLargestDigits) return {};
  int exponent = 0;
  at += at + 1 < end && at[1] == '+' ? 2 : 1; // from_chars takes no plus sign
  std::from_chars(at, end, exponent);
  decimal.exponent += exponent;
  if (decimal.exponent < -kExponentBias || decimal.exponent >= kExponentBias) return {};
  return valueOf(decimal) == value ? decimal : Decimal{};
}

void ByteWriter::natural(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes_ += char(value | 0x80);
  bytes_ += char(value);
}

void ByteWriter::integer(std::int64_t value) {
  natural((std::uint64_t(value) << 1) ^ std::uint64_t(value >> 63));
}

void ByteWriter::real(double value) {
  const Decimal decimal = shortDecimal(value);
  if (decimal.digits != 0) { // never zero as a whole, which marks the other form
    natural(decimal.digits << kExponentBits | std::uint64_t(decimal.exponent + kExponentBias));
    return;
  }
  natural(0);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8)
    bytes_ += char(bits >> shift);
}

void ByteWriter::text(std::string_view bytes) {
  natural(bytes.size());
  bytes_ += bytes;
}

std::uint64_t ByteReader::natural() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = std::uint8_t(rest_.front());
    rest_.remove_prefix(1);
    value |= std::uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw InputError("damaged record: a number does not end");
}

std::int64_t ByteReader::integer() {
  const std::uint64_t value = natural();
  return std::int64_t(value >> 1) ^ -std::int64_t(value & 1);
}

double ByteReader::real() {
  const std::uint64_t value = natural();
  if (value != 0) {
    const int exponent = int(value & ((1u << kExponentBits) - 1)) - kExponentBias;
    return valueOf({value >> kExponentBits, exponent});
  }
  if (rest_.size() < 8) throw InputError("damaged record: a number is cut off");
  std::uint64_t bits = 0;
  for (int i = 0; i < 8; ++i)
    bits |= std::uint64_t(std::uint8_t(rest_[std::size_t(i)])) << (8 * i);
  rest_.remove_prefix(8);
  return std::bit_cast<double>(bits);
}

std::string ByteReader::text() {
  return raw(count());
}

std::string ByteReader::raw(std::size_t size) {
  if (size > rest_.size()) throw InputError("damaged record: a length is impossible");
  std::string text(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return text;
}

std::size_t ByteReader::count() {
  const std::uint64_t value = natural();
  if (value > rest_.size()) throw InputError("damaged record: a length is impossible");
  return std::size_t(value);
}

std::string compress(std::string_view plain, int level) {
  thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                                  &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string frame(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), plain.data(), plain.size());
  NW_ASSERT(ZSTD_isError(size) == 0, "zstd: {}", ZSTD_getErrorName(size));
  frame.resize(size);
  return frame;
}

std::string decompress(std::string_view frame, std::size_t largest, std::string_view what) {
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size > largest)
    throw InputError(fmt::format("damaged record: {} has no readable head", what));
  std::string plain(std::size_t(size), '\0');
  if (ZSTD_decompress(plain.data(), plain.size(), frame.data(), frame.size()) != size)
    throw InputError(fmt::format("damaged record: {} cannot be unpacked", what));
  return plain;
}

PackedText pack(std::string_view text) {
  constexpr std::size_t kWorthwhile = 96; // shorter texts rarely shrink
  constexpr int kLevel = 3;
  if (text.size() < kWorthwhile) return {std::string(text), false};
  std::string frame = compress(text, kLevel);
  if (frame.size() >= text.size()) return {std::string(text), false};
  return {std::move(frame), true};
}

std::string unpack(std::string_view bytes) {
  return decompress(bytes, kLargestText, "a packed text");
}

} // namespace nestwright
