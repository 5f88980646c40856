#include "core/emit/line_breaks.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace nestwright {
namespace {

constexpr std::size_t kWidth = 100, kFurther = 4;

bool opens(char c) {
  return c == '(' || c == '[' || c == '{';
}
bool closes(char c) {
  return c == ')' || c == ']' || c == '}';
}

/// Operators where a line may break, loosest first. A choice's stand at the beginning of a line.
const std::vector<std::vector<std::string_view>> kOperators = {
    {"; "}, {" = ", " += "}, {", "}, {" ? ", " : "}, {" || "}, {" && "}, {" + ", " - "}, {" * "}};

/// The text cut behind each of these operators that is outside of all brackets, or before it.
std::vector<std::string_view> cut(std::string_view text,
                                  const std::vector<std::string_view>& operators, bool before) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += opens(text[at]) ? 1 : closes(text[at]) ? -1 : 0;
    if (depth != 0) continue;
    for (const std::string_view one : operators)
      if (text.substr(at, one.size()) == one) {
        const std::size_t end = before ? at : at + one.size() - 1;
        parts.push_back(text.substr(begin, end - begin));
        begin = before ? at + 1 : at + one.size();
        at += one.size() - 1;
        break;
      }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

class Layout {
 public:
  explicit Layout(const std::string& indent) : lines_(indent), column_(indent.size()) {}

  /// The text in the line that is begun and in further ones, which begin at `indent`, or with
  /// `inside` where it is what stands in brackets that is broken; `tail` characters have to follow
  /// in the last line.
  void place(std::string_view text, std::size_t indent, std::size_t tail, std::size_t inside = 0) {
    if (column_ + text.size() + tail <= kWidth) return append(text);
    for (const auto& operators : kOperators) {
      const Kind kind = operators.front() == " ? "   ? Kind::Choice
                        : operators.front() == " = " ? Kind::Assignment
                                                     : Kind::Chain;
      const auto parts = cut(text, operators, kind == Kind::Choice);
      if (parts.size() > 1) return placeParts(parts, kind, indent, tail);
    }
    placeBrackets(text, indent + inside, tail);
  }

  std::string take() && { return std::move(lines_); }

 private:
  enum class Kind : std::uint8_t { Assignment, Choice, Chain };

  void append(std::string_view text) {
    lines_ += text;
    column_ += text.size();
  }

  void breakLine(std::size_t indent) {
    lines_ += "\n" + std::string(indent, ' ');
    column_ = indent;
  }

  /// What is assigned goes on where its first line begins; the sides of a choice stand in lines of
  /// their own, deeper than its condition.
  void placeParts(const std::vector<std::string_view>& parts, Kind kind, std::size_t indent,
                  std::size_t tail) {
    const bool choice = kind == Kind::Choice;
    const std::size_t first = choice ? indent : indent + kFurther;
    const std::size_t begin = choice ? indent + kFurther : indent;
    const std::size_t further = kind == Kind::Assignment ? begin : begin + kFurther;
    place(parts[0], first, 0);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::size_t after = i + 1 < parts.size() ? 0 : tail;
      if (choice || column_ + 1 + parts[i].size() + after > kWidth)
        breakLine(begin);
      else
        append(" ");
      place(parts[i], further, after, kind == Kind::Assignment ? kFurther : 0);
    }
  }

  /// What stands in the brackets that end last is broken, if anything stands in brackets.
  void placeBrackets(std::string_view text, std::size_t indent, std::size_t tail) {
    std::size_t begin = 0, end = 0, opened = 0;
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (opens(text[at]) && depth++ == 0) opened = at + 1;
      if (closes(text[at]) && --depth == 0) {
        begin = opened;
        end = at;
      }
    }
    if (end <= begin) return append(text);
    append(text.substr(0, begin));
    place(text.substr(begin, end - begin), indent, text.size() - end + tail);
    append(text.substr(end));
  }

  std::string lines_;
  std::size_t column_;
};

} // namespace

std::string brokenLines(const std::string& indent, const std::string& statement) {
  Layout layout(indent);
  layout.place(statement, indent.size() + kFurther, 0);
  return std::move(layout).take() + "\n";
}

} // namespace nestwright
