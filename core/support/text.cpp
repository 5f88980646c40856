#include "core/support/text.h"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace nestwright {

std::vector<std::string> splitLines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string firstLineOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string_view withoutIndent(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

std::string lowerCase(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return small;
}

std::string shellWord(const std::string& text) {
  const auto isPlain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./:=,+@%").find(char(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, isPlain)) return text;
  std::string word = "'";
  for (const char c : text)
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + '\'';
}

} // namespace nestwright
