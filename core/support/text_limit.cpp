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
  std::size_t end = std::min(valid.size(), limit > note.size() ? limit - note.size() : 0);
  while (end > 0 && end < valid.size() && continuesCharacter(valid[end]))
    --end;
  return valid.substr(0, end) + note;
}

} // namespace nestwright
