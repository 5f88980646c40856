#include "core/tensor/definition.h"

#include "core/support/hash.h"
#include "core/support/text.h"
#include "core/tensor/text.h"
#include "core/tensor/text_syntax.h"

#include <cctype>
#include <map>

namespace nestwright {

namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// The end of the word or quoted name that begins at `at`; `at` itself where none does.
std::size_t wordEnd(const std::string& text, std::size_t at) {
  if (text[at] == '`') {
    const std::size_t quote = text.find('`', at + 1);
    return quote == std::string::npos ? text.size() : quote + 1;
  }
  std::size_t end = at;
  while (end < text.size() && isWordCharacter(text[end]))
    ++end;
  return end;
}

/// The line of an operator up to its attributes, with other names in place of these; without
/// `numbers` there is a sign in the place of each of them.
std::string renamed(const std::string& line, const std::map<std::string, std::string>& names,
                    bool numbers) {
  std::string text;
  for (std::size_t at = 0; at < line.size() && line[at] != '@';) {
    const std::size_t end = wordEnd(line, at);
    if (end == at) {
      text += line[at++];
      continue;
    }
    const std::string word = line.substr(at, end - at);
    const auto found = names.find(word);
    const bool isNumber = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    text += isNumber && !numbers ? "#" : found == names.end() ? word : found->second;
    at = end;
  }
  return text;
}

/// Of the DAG with names of its own for all tensors and axes.
std::string hashOf(const ComputeDag& dag, bool numbers) {
  std::map<std::string, std::string> tensors;
  for (std::size_t i = 0; i < dag.size(); ++i)
    tensors[quoted(dag[i]->name())] = fmt::format("t{}", i);
  std::string text;
  const std::vector<std::string> lines = splitLines(print(dag));
  for (std::size_t i = 0; i < dag.size(); ++i) { // one line each
    std::map<std::string, std::string> names = tensors;
    std::size_t axes = 0;
    for (const std::vector<Axis>* list : {&dag[i]->axes, &dag[i]->reduceAxes})
      for (const Axis& axis : *list)
        names[quoted(axis.name())] = fmt::format("a{}", axes++);
    text += renamed(lines.at(i), names, numbers) + '\n';
  }
  return hashHex(text);
}

} // namespace

std::string definitionHash(const ComputeDag& dag) {
  return hashOf(dag, true);
}

std::string kindHash(const ComputeDag& dag) {
  return hashOf(dag, false);
}

} // namespace nestwright
