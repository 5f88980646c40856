#pragma once
/// \file Words of the compute DAG text. Private to this room.

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct Token {
  enum class Kind { Word, Quoted, Number, Symbol, EndOfLine, End };

  Kind kind = Kind::End;
  std::string text; // without backquotes
  int line = 1, column = 1;

  bool is(std::string_view symbol) const { return kind == Kind::Symbol && text == symbol; }
  bool isName() const { return kind == Kind::Word || kind == Kind::Quoted; }
};

/// Where and why a text is no compute DAG: throws InputError with the place, the message, and the
/// line with a mark under the place.
[[noreturn]] void failAt(std::string_view source, int line, int column, const std::string& message);

/// Splits the text into words. A line ends a statement unless a bracket is open; `#` starts a
/// comment. Throws InputError at a character that starts no word.
std::vector<Token> tokenize(std::string_view source);

} // namespace nestwright
