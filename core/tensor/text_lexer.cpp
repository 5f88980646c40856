#include "core/tensor/text_lexer.h"

#include "core/support/error.h"

#include <cctype>

namespace nestwright {

void failAt(std::string_view source, int line, int column, const std::string& message) {
  std::size_t begin = 0;
  for (int i = 1; i < line; ++i)
    begin = source.find('\n', begin) + 1;
  std::string_view text = source.substr(begin, source.find('\n', begin) - begin);
  // Of a long line, what is around the place.
  constexpr int kBefore = 60, kShown = 100;
  int mark = column;
  if (column > kShown) {
    text.remove_prefix(static_cast<std::size_t>(column - kBefore));
    mark = kBefore;
  }
  throw PlacedInputError(fmt::format("line {}, column {}: {}\n  {}\n  {:>{}}", line, column,
                                     message, text.substr(0, kShown), "^", mark));
}

namespace {

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size())
      step();
    emit(Token::Kind::EndOfLine, at_, at_);
    emit(Token::Kind::End, at_, at_);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  static bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
  static bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  }

  void emit(Token::Kind kind, std::size_t begin, std::size_t end) {
    tokens_.push_back({kind, std::string(source_.substr(begin, end - begin)), line_,
                       static_cast<int>(begin - lineStart_) + 1});
  }

  void step() {
    const char c = peek();
    if (c == '\n') return newline();
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      while (at_ < source_.size() && peek() != '\n')
        ++at_;
    } else if (c == '`') {
      quotedName();
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      number();
    } else if (isWord(c) && c != '.') {
      const std::size_t begin = at_;
      while (isWord(peek()))
        ++at_;
      emit(Token::Kind::Word, begin, at_);
    } else {
      symbol();
    }
  }

  void newline() {
    if (depth_ == 0) emit(Token::Kind::EndOfLine, at_, at_);
    ++at_;
    ++line_;
    lineStart_ = at_;
  }

  void quotedName() {
    const std::size_t end = source_.find_first_of("`\n", at_ + 1);
    if (end == std::string_view::npos || source_[end] == '\n')
      failAt(source_, line_, column(), "a name in backquotes must end on its line; add a `");
    emit(Token::Kind::Quoted, at_ + 1, end);
    at_ = end + 1;
  }

  void number() {
    const std::size_t begin = at_;
    while (isDigit(peek()) || peek() == '.')
      ++at_;
    const char next = peek(1) == '+' || peek(1) == '-' ? peek(2) : peek(1);
    if ((peek() == 'e' || peek() == 'E') && isDigit(next)) {
      at_ += 2;
      while (isDigit(peek()))
        ++at_;
    }
    if (peek() == 'f' || peek() == 'h') ++at_;
    if (isWord(peek())) failAt(source_, line_, column(), "a number ends here, but a word goes on");
    emit(Token::Kind::Number, begin, at_);
  }

  void symbol() {
    static constexpr std::string_view kSymbols[] = {
        "&&", "||", "==", "!=", "<=", ">=", "+=", "*=", "//", "(", ")", "[", "]",
        "{",  "}",  ",",  "=",  "+",  "-",  "*",  "/",  "%",  "<", ">", "!", "@"};
    for (const std::string_view text : kSymbols) {
      if (!source_.substr(at_).starts_with(text)) continue;
      if (text == "(" || text == "[" || text == "{") ++depth_;
      if (text == ")" || text == "]" || text == "}") depth_ = std::max(0, depth_ - 1);
      emit(Token::Kind::Symbol, at_, at_ + text.size());
      at_ += text.size();
      return;
    }
    failAt(source_, line_, column(), fmt::format("the character '{}' has no meaning here", peek()));
  }

  int column() const { return static_cast<int>(at_ - lineStart_) + 1; }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0, lineStart_ = 0;
  int line_ = 1, depth_ = 0;
};

} // namespace

std::vector<Token> tokenize(std::string_view source) {
  return Lexer(source).run();
}

} // namespace nestwright
