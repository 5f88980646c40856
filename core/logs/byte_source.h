#pragma once
/// \file The bytes of a file, unpacked when it is compressed with gzip, zstd or xz (known by its
/// first bytes, not by its name), from the beginning to the end.

#include <cstdint>
#include <memory>
#include <string>

namespace nestwright {

/// Thread-compatible.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Up to `size` bytes into `out`; 0 only at the end. Throws InputError when the file cannot be
  /// read or its compression is damaged or cut off.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  /// How many bytes of the file itself were taken so far.
  virtual std::int64_t position() const = 0;
};

/// Throws InputError when the file cannot be opened.
std::unique_ptr<ByteSource> openBytes(const std::string& path);

} // namespace nestwright
