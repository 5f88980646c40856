#include "core/support/command_words.h"

#include "core/support/error.h"

#include <utility>

namespace nestwright {

namespace {

constexpr std::string_view kBlanks = " \t\n\r";

} // namespace

std::vector<std::string> commandWords(std::string_view line, std::string_view owner) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool blank = kBlanks.find(c) != std::string_view::npos;
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      inWord = true;
    } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
      inWord = true;
    } else if (quote != 0 || !blank) {
      word += c;
      inWord = true;
    } else if (inWord) {
      words.push_back(std::move(word));
      word.clear();
      inWord = false;
    }
  }
  if (quote != 0)
    throw UsageError(fmt::format("the {}'s command \"{}\" has a quote that is not closed; add "
                                 "{} at the end, or a backslash before it",
                                 owner, line, quote));
  if (inWord) words.push_back(std::move(word));
  return words;
}

} // namespace nestwright
