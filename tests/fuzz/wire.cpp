#include "tests/fuzz/wire.h"

#include <cstring>

namespace nestwright::fuzz {

std::optional<Frame> takeFrame(std::string& bytes) {
  constexpr std::size_t kPrefixBytes = 16; // magic, length of the header, length of the payload
  if (bytes.size() < kPrefixBytes) return std::nullopt;
  std::uint32_t headerBytes = 0;
  std::uint64_t payloadBytes = 0;
  std::memcpy(&headerBytes, bytes.data() + 4, sizeof headerBytes);
  std::memcpy(&payloadBytes, bytes.data() + 8, sizeof payloadBytes);
  const std::size_t total = kPrefixBytes + headerBytes + payloadBytes;
  if (bytes.size() < total) return std::nullopt;
  const std::string payload = bytes.substr(kPrefixBytes + headerBytes, payloadBytes);
  Frame frame{nlohmann::json::parse(bytes.substr(kPrefixBytes, headerBytes)),
              {payload.begin(), payload.end()}};
  bytes.erase(0, total);
  return frame;
}

} // namespace nestwright::fuzz
