#pragma once
/// \file Packing numbers into few bytes, for what a file holds tens of millions of.

#include <cstdint>
#include <string>
#include <string_view>

namespace nestwright {

/// A number as digits * 10^exponent.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};
/// The positive number exactly, when it has at most 14 digits and a usual magnitude; zero digits
/// otherwise.
Decimal shortDecimal(double value);
double valueOf(Decimal decimal);

class ByteWriter {
 public:
  /// 7 bits a byte, the lowest first.
  void natural(std::uint64_t value);
  /// Small magnitudes of either sign take few bytes.
  void integer(std::int64_t value);
  /// Exact. A number of few decimal digits takes 2 to 8 bytes, any other 9.
  void real(double value);
  /// The length, then the bytes.
  void text(std::string_view bytes);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads what ByteWriter wrote. Every call throws InputError when the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t natural();
  std::int64_t integer();
  double real();
  std::string text();
  /// The next `size` bytes.
  std::string raw(std::size_t size);
  /// A natural number that counts things of at least one byte each in what follows, so that damaged
  /// bytes cannot ask for the memory of the machine.
  std::size_t count();

  bool atEnd() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// A zstd frame with its size and a checksum, so that damage is seen when it is unpacked.
std::string compress(std::string_view plain, int level);
/// The inverse. Throws InputError, which calls it `what` ("a packed text"), for what is damaged or
/// says that it is larger than `largest`.
std::string decompress(std::string_view frame, std::size_t largest, std::string_view what);

/// The text as it is, or zstd-compressed when that is smaller; `packed` says which.
struct PackedText {
  std::string bytes;
  bool packed = false;
};
PackedText pack(std::string_view text);
/// The inverse for packed bytes. Throws InputError when they are damaged.
std::string unpack(std::string_view bytes);

} // namespace nestwright
