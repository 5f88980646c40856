#include "core/support/text_limit.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

/// JSON's writer is the one UTF-8 decoder that we have: through it and back replaces bad bytes.
std::string validUtf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace))
      .get<std::string>();
}

bool continuesCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

} // namespace

std::string boundedText(const std::string& text, std::size_t limit) {
  std::string valid = validUtf8(text.substr(0, limit + 4));
  if (text.size() <= limit && valid.size() <= limit) return valid;
  const std::string note = "\n[cut off here]";
  return std::string(beginning(valid, limit > note.size() ? limit - note.size() : 0)) + note;
}

std::string_view beginning(std::string_view text, std::size_t bytes) {
  std::size_t end = std::min(text.size(), bytes);
  while (end > 0 && end < text.size() && continuesCharacter(text[end]))
    --end;
  return text.substr(0, end);
}

} // namespace nestwright
