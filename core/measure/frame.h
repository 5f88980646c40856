#pragma once
/// \file The unit of the worker protocol: a JSON header and a binary payload.
///
/// On the wire: the four bytes "NWF1", the header's length (4 bytes) and the payload's length (8
/// bytes), both little-endian, then the header as UTF-8 JSON, then the payload.

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

/// The bytes of a frame. Invalid UTF-8 in texts of the header is replaced.
std::string encode(const Frame& frame);

/// Puts frames together from bytes as they arrive.
class FrameReader {
 public:
  void append(std::string_view bytes) { buffer_ += bytes; }
  /// The next whole frame, if there is one. Throws InputError when the bytes are no frame; what
  /// arrived instead (a login banner, say) is quoted.
  std::optional<Frame> next();

 private:
  std::string buffer_;
};

} // namespace nestwright
