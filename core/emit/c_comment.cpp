#include "core/emit/c_comment.h"

#include <algorithm>

namespace nestwright {

std::string commentLines(const std::string& text, const std::string& prefix) {
  constexpr std::size_t kWidth = 92;
  std::string lines, line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > kWidth) {
      lines.append(line).append("\n").append(prefix);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    begin = end + 1;
  }
  return lines + line;
}

std::string commented(std::string text) {
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
    text.replace(at, 2, "* /");
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\\'; }, ' ');
  return text;
}

} // namespace nestwright
