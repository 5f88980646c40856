#include "core/logs/dag_text.h"

#include "core/support/error.h"
#include "core/tensor/text.h"

#include <cctype>
#include <map>

namespace nestwright {

namespace {

bool inWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Words that mean the same everywhere.
bool isFixed(const std::string& word) {
  return std::isdigit(static_cast<unsigned char>(word[0])) != 0 || word == "PLACEHOLDER" ||
         word == "max" || word == "min" || word.find('.') != std::string::npos;
}

} // namespace

std::string namelessDag(std::string_view text) {
  std::map<std::string, std::size_t> numbers;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (!inWord(text[at])) {
      if (text[at] != ' ' && text[at] != '\r') result += text[at];
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && inWord(text[end]))
      ++end;
    const std::string word(text.substr(at, end - at));
    at = end;
    if (isFixed(word))
      result += word;
    else
      result += fmt::format("${}", numbers.try_emplace(word, numbers.size()).first->second);
  }
  while (result.ends_with('\n'))
    result.pop_back();
  return result;
}

std::optional<ComputeDag> dagOfText(const std::string& text, const std::string& key,
                                    std::string& reason) {
  try {
    return parseDag(text);
  } catch (const InputError& error) {
    reason = error.what();
  }
  const std::string wanted = namelessDag(text);
  for (const TaskGuess& guess : guessTasks(key))
    if (namelessDag(print(guess.dag, DagText::Tvm)) == wanted) return guess.dag;
  return std::nullopt;
}

} // namespace nestwright
