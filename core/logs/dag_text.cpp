#include "core/logs/dag_text.h"

#include "core/support/error.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <sstream>

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

namespace {

using Extents = std::map<std::string, std::vector<std::int64_t>>; // of tensors, by name

std::vector<std::string> separated(const std::string& list) {
  static const std::regex kComma(R"(\s*,\s*)");
  return {std::sregex_token_iterator(list.begin(), list.end(), kComma, -1), {}};
}

/// "i1" of "i1=114".
std::string axisName(const std::string& axis) {
  return axis.substr(0, axis.find('='));
}

/// The axes of a tensor that pads another: where a condition says which part of an axis is the
/// other tensor, as much as before it is taken to come behind it.
bool completePadding(std::vector<std::string>& axes, const std::string& condition) {
  bool changed = false;
  for (std::string& axis : axes) {
    if (axis.find('=') != std::string::npos) continue;
    std::smatch from, to;
    if (!std::regex_search(condition, from, std::regex("\\b" + axis + R"( >= (\d+)\))")) ||
        !std::regex_search(condition, to, std::regex("\\b" + axis + R"( < (\d+)\))")))
      continue;
    axis += fmt::format("={}", std::stoll(to[1]) + std::stoll(from[1]));
    changed = true;
  }
  return changed;
}

/// The axes of a sum over windows of a tensor: read at (i*stride) + k, where another tensor has k
/// as an axis of its own.
bool completeWindows(std::vector<std::string>& axes, const std::string& body,
                     const Extents& extents) {
  static const std::regex kRead(R"((\w+)\[([^\]]*)\])");
  static const std::regex kWindow(R"(\(*(\w+)(?:\*(\d+)\))? \+ (\w+)\))");
  std::map<std::string, std::int64_t> own; // extents of axes that index a dimension alone
  struct Window {
    std::string axis, inner;
    std::int64_t stride, extent;
  };
  std::vector<Window> windows;
  for (std::sregex_iterator read(body.begin(), body.end(), kRead), end; read != end; ++read) {
    const auto tensor = extents.find((*read)[1]);
    if (tensor == extents.end()) continue;
    const std::vector<std::string> indices = separated((*read)[2]);
    for (std::size_t i = 0; i < std::min(indices.size(), tensor->second.size()); ++i) {
      if (tensor->second[i] <= 0) continue;
      own.try_emplace(indices[i], tensor->second[i]);
      if (std::smatch found; std::regex_match(indices[i], found, kWindow))
        windows.push_back(
            {found[1], found[3], found[2].matched ? std::stoll(found[2]) : 1, tensor->second[i]});
    }
  }
  bool changed = false;
  for (std::string& axis : axes) {
    if (axis.find('=') != std::string::npos || own.contains(axis)) continue;
    for (const Window& window : windows) {
      const auto inner = own.find(window.inner);
      if (window.axis != axis || inner == own.end() || window.extent < inner->second) continue;
      axis += fmt::format("={}", (window.extent - inner->second) / window.stride + 1);
      changed = true;
      break;
    }
  }
  return changed;
}

/// Extents as far as the axes say them; -1 elsewhere.
std::vector<std::int64_t> extentsOf(const std::vector<std::string>& axes) {
  std::vector<std::int64_t> extents;
  for (const std::string& axis : axes) {
    const std::size_t sign = axis.find('=');
    extents.push_back(sign == std::string::npos ? -1 : std::stoll(axis.substr(sign + 1)));
  }
  return extents;
}

/// The text with the extents that a padding and the windows over what it pads give. Empty where
/// there is no padding whose input has the extents that the task's key tells: another task may have
/// the same text.
std::string withPaddedExtents(const std::string& text, const std::string& key) {
  static const std::regex kInput(R"((\w+) = PLACEHOLDER \[([^\]]*)\].*)");
  static const std::regex kStage(R"((\w+)\(([^)]*)\) (\+?=) (.*))");
  static const std::regex kPadded(R"(.*if_then_else\((.*), (\w+)\[.*\], .*\))");
  const std::vector<std::int64_t> told = keyNumbers(key);
  Extents extents;
  std::string result;
  bool padded = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); result += line + "\n") {
    std::smatch found;
    if (std::regex_match(line, found, kInput)) {
      for (const std::string& extent : separated(found[2]))
        extents[found[1]].push_back(std::stoll(extent));
      continue;
    }
    if (!std::regex_match(line, found, kStage)) continue;
    const std::string name = found[1], sign = found[3], body = found[4];
    std::vector<std::string> axes = separated(found[2]);
    bool changed = false;
    std::smatch padding;
    if (std::regex_match(body, padding, kPadded)) {
      const auto input = extents.find(padding[2]);
      const bool isTold =
          input != extents.end() && std::ranges::all_of(input->second, [&](std::int64_t extent) {
            return extent == 1 || std::ranges::find(told, extent) != told.end();
          });
      changed = isTold && completePadding(axes, padding[1]);
      padded |= changed;
    } else if (padded) {
      changed = completeWindows(axes, body, extents);
    }
    if (changed) line = fmt::format("{}({}) {} {}", name, fmt::join(axes, ", "), sign, body);
    extents[name] = extentsOf(axes);
    // What an axis alone has is that of the dimension that it indexes.
    static const std::regex kRead(R"((\w+)\[([^\]]*)\])");
    for (std::sregex_iterator read(body.begin(), body.end(), kRead), end; read != end; ++read) {
      const auto tensor = extents.find((*read)[1]);
      if (tensor == extents.end() || (*read)[1] == name) continue;
      const std::vector<std::string> indices = separated((*read)[2]);
      for (std::size_t i = 0; i < std::min(indices.size(), tensor->second.size()); ++i)
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
          if (axisName(axes[axis]) == indices[i] && extents[name][axis] < 0)
            extents[name][axis] = tensor->second[i];
    }
  }
  return padded ? result : std::string();
}

} // namespace

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
  try {
    if (const std::string completed = withPaddedExtents(text, key); !completed.empty())
      return parseDag(completed);
  } catch (const std::exception&) {
    // The reason is that of the text as it was given.
  }
  return std::nullopt;
}

} // namespace nestwright
