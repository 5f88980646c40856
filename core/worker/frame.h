#pragma once
/// \file The unit of the worker protocol: a JSON header and a binary payload.
///
/// On the wire: the four bytes "NWF1", the header's length (4 bytes) and the payload's length (8
/// bytes), both little-endian, then the header as UTF-8 JSON, then the payload.

#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct Frame {
  nlohmann::json header;
  std::vector<std::uint8_t> payload;
};

/// Bytes that are no frame, or a frame that says what cannot be.
class BadFrame : public InputError {
 public:
  using InputError::InputError;
};

/// What a frame may take at most, in bytes.
struct FrameLimits {
  std::uint64_t header = 0, payload = 0;
};

/// The bytes of a frame. Invalid UTF-8 in texts of the header is replaced.
std::string encode(const Frame& frame);

/// Puts frames together from bytes as they arrive.
class FrameReader {
 public:
  explicit FrameReader(FrameLimits limits) : limits_(limits) {}

  /// From the next frame on.
  void allow(FrameLimits limits) { limits_ = limits; }
  void append(std::string_view bytes) { buffer_ += bytes; }
  /// The next whole frame, if there is one. Throws BadFrame when the bytes are no frame, of which
  /// the first are quoted (a login banner, say), or when it is larger than allowed, which its first
  /// bytes tell.
  std::optional<Frame> next();
  /// Whether more has arrived than was taken.
  bool hasUnread() const { return !buffer_.empty(); }
  /// Whether next() has something to say, however much more arrives.
  bool isFull() const;

 private:
  FrameLimits limits_;
  std::string buffer_;
};

} // namespace nestwright
