#include "core/worker/frame.h"

#include "core/support/text_limit.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr std::string_view kMagic = "NWF1";
constexpr std::size_t kPrefixBytes = 4 + 4 + 8;

void appendLittleEndian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t littleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

[[noreturn]] void throwNoFrame(const std::string& buffer) {
  throw BadFrame(
      fmt::format("expected a frame of the worker protocol, got '{}'", boundedText(buffer, 200)));
}

} // namespace

std::string encode(const Frame& frame) {
  using nlohmann::json;
  const std::string header = frame.header.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string out;
  out.reserve(kPrefixBytes + header.size() + frame.payload.size());
  out += kMagic;
  appendLittleEndian(out, header.size(), 4);
  appendLittleEndian(out, frame.payload.size(), 8);
  out += header;
  out.append(reinterpret_cast<const char*>(frame.payload.data()), frame.payload.size());
  return out;
}

std::optional<Frame> FrameReader::next() {
  const std::string_view view = buffer_;
  const std::size_t known = std::min(view.size(), kMagic.size());
  if (view.substr(0, known) != kMagic.substr(0, known)) throwNoFrame(buffer_);
  if (view.size() < kPrefixBytes) return std::nullopt;
  const std::uint64_t headerBytes = littleEndian(view.substr(4, 4));
  const std::uint64_t payloadBytes = littleEndian(view.substr(8, 8));
  // A number that lies may be more than quantity() takes.
  if (headerBytes > limits_.header || payloadBytes > limits_.payload)
    throw BadFrame(fmt::format("a frame with a header of {} and a payload of {} byte{}, where at "
                               "most {} and {} can be meant",
                               headerBytes, payloadBytes, payloadBytes == 1 ? "" : "s",
                               limits_.header, limits_.payload));
  const std::uint64_t total = kPrefixBytes + headerBytes + payloadBytes;
  if (view.size() < total) return std::nullopt;
  Frame frame;
  frame.header = nlohmann::json::parse(view.substr(kPrefixBytes, headerBytes), nullptr, false);
  if (!frame.header.is_object()) throwNoFrame(buffer_);
  const std::string_view payload = view.substr(kPrefixBytes + headerBytes, payloadBytes);
  frame.payload.assign(payload.begin(), payload.end());
  buffer_.erase(0, total);
  return frame;
}

bool FrameReader::isFull() const {
  return buffer_.size() > kPrefixBytes + limits_.header + limits_.payload;
}

} // namespace nestwright
