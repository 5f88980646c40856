#include "core/support/printable.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace nestwright {

namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0; // 0: the text does not begin with a whole character
};

/// The first character of a text that is not empty.
Character firstOf(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t code = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes};
}

/// Steers the terminal, or the direction in which what follows is written.
bool steers(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
         code == 0x200F || code == 0x2028 || code == 0x2029 || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = firstOf(text);
    const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    if (character.bytes == 0)
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<std::uint8_t>(text[0]));
    else if (steers(character.code) && kept.find(text[0]) == std::string_view::npos)
      fmt::format_to(std::back_inserter(result), "\\u{:04x}",
                     static_cast<std::uint32_t>(character.code));
    else
      result += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return result;
}

} // namespace

std::string printable(std::string_view text) {
  return escaped(text, "\n\t");
}

std::string printableLine(std::string_view text) {
  return escaped(text, "");
}

} // namespace nestwright
