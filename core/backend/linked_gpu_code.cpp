#include "core/backend/linked_gpu_code.h"

#include "core/support/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace nestwright {
namespace {

using std::string_view;

/// The number that follows these words, or nothing.
std::optional<int> numberBehind(string_view line, string_view words) {
  const std::size_t at = line.find(words);
  if (at == string_view::npos) return std::nullopt;
  const string_view rest = line.substr(at + words.size());
  int value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// The line of the IR that a .loc names: of `file` itself, or where something was inlined into it.
/// What is inlined into something inlined follows the .loc of that.
int lineOfLocation(string_view location, int file, int before) {
  const std::string own = ".loc\t" + std::to_string(file) + " ";
  const std::string inlined = "inlined_at " + std::to_string(file) + " ";
  if (const auto line = numberBehind(location, own)) return *line - 1;
  if (const auto line = numberBehind(location, inlined)) return *line - 1;
  return location.find("inlined_at ") == string_view::npos ? -1 : before;
}

bool isPtxInstruction(string_view word) {
  return !word.empty() && word.front() != '.' && !word.starts_with("//") && word.ends_with(';');
}

bool isSassInstruction(string_view word) {
  return word.starts_with("/*") && word.find(';') != string_view::npos;
}

void add(LinkedCode& code, const std::string& text, int line) {
  code.lines.push_back(text);
  code.irLine.push_back(line);
}

/// Where PTX says which file has which number.
int fileOfIr(const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    if (line.ends_with("\"/ir\""))
      if (const auto number = numberBehind(line, ".file\t")) return *number;
  return -1;
}

} // namespace

LinkedCode linkCudaC(string_view marked) {
  LinkedCode code;
  int line = -1;
  for (const std::string& text : splitLines(marked)) {
    if (text.starts_with("#line ")) {
      line = numberBehind(text, "#line ").value_or(0) - 1;
      continue;
    }
    const string_view word = withoutIndent(text);
    const bool says = !word.empty() && word != "}" && word != "{";
    if (text == "}") line = -1; // behind a kernel
    add(code, text, says ? line : -1);
  }
  return code;
}

LinkedCode linkPtx(string_view marked) {
  const std::vector<std::string> lines = splitLines(marked);
  const int file = fileOfIr(lines);
  LinkedCode code;
  int line = -1;
  for (const std::string& text : lines) {
    const string_view word = withoutIndent(text);
    if (word.starts_with(".section")) break; // names of inlined functions, at the end
    if (word.starts_with(".file\t")) continue;
    if (word.starts_with(".loc\t")) {
      line = lineOfLocation(word, file, line);
      continue;
    }
    if (word == "{" || word == "}") line = -1;
    add(code, text, isPtxInstruction(word) ? line : -1);
  }
  while (!code.lines.empty() && withoutIndent(code.lines.back()).empty()) {
    code.lines.pop_back();
    code.irLine.pop_back();
  }
  return code;
}

LinkedCode linkSass(string_view marked) {
  LinkedCode code;
  int line = -1;
  for (const std::string& text : splitLines(marked)) {
    const string_view word = withoutIndent(text);
    if (word.starts_with("//## File")) {
      line = numberBehind(word, "\"/ir\", line ").value_or(0) - 1;
      continue;
    }
    if (word.starts_with(".text.")) line = -1;
    add(code, text, isSassInstruction(word) ? line : -1);
  }
  return code;
}

std::string gpuCodeKey(const std::string& line, CodeForm form) {
  std::string text = line;
  if (form == CodeForm::Sass) { // the place before an instruction, its encoding behind it
    for (std::size_t at; (at = text.find("/*")) != std::string::npos;) {
      const std::size_t end = text.find("*/", at);
      text.erase(at, end == std::string::npos ? end : end + 2 - at);
    }
  } else {
    text.erase(std::min(text.find("//"), text.size()));
  }
  std::string key;
  bool inName = false; // of a register or label, whose number follows from what stands before
  for (const char c : text) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (form == CodeForm::Ptx && (c == '%' || c == '$'))
      inName = true;
    else if (!word)
      inName = false;
    if (!(inName && std::isdigit(static_cast<unsigned char>(c)))) key += c;
  }
  while (!key.empty() && (key.back() == ' ' || key.back() == '\t'))
    key.pop_back();
  return key;
}

} // namespace nestwright
