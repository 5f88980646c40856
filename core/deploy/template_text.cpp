#include "core/deploy/template_text.h"

#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

std::string filled(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find('@');
    result += text.substr(0, begin);
    if (begin == std::string_view::npos) return result;
    const std::size_t end = text.find('@', begin + 1);
    NW_ASSERT(end != std::string_view::npos, "a @ of the template is not closed");
    const std::string key(text.substr(begin + 1, end - begin - 1));
    const auto value = values.find(key);
    NW_ASSERT(value != values.end(), "the template has a place for {}, which has no value", key);
    result += value->second;
    text.remove_prefix(end + 1);
  }
}

std::string cString(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      literal += {'\\', c};
    else if (c >= ' ' && c <= '~')
      literal += c;
    else // always three digits, so that none that follows belongs to it
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  return literal + '"';
}

} // namespace nestwright
