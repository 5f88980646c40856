#include "core/tensor/text_stream.h"

#include "core/tensor/check_bounds.h"

#include <charconv>

namespace nestwright {

std::string shown(const Token& token) {
  if (token.kind == Token::Kind::EndOfLine || token.kind == Token::Kind::End)
    return "the end of the line";
  return fmt::format("'{}'", token.text);
}

bool TokenStream::accept(std::string_view symbol) {
  if (!peek().is(symbol)) return false;
  ++at_;
  return true;
}

void TokenStream::expect(std::string_view symbol, std::string_view where) {
  if (!accept(symbol))
    fail(peek(), fmt::format("expected '{}' {}, found {}", symbol, where, shown(peek())));
}

Token TokenStream::expectName(std::string_view what) {
  if (!peek().isName()) fail(peek(), fmt::format("expected {}, found {}", what, shown(peek())));
  if (peek().text.size() > kLongestName)
    fail(peek(), fmt::format("this name has {} characters; at most {} are allowed",
                             peek().text.size(), kLongestName));
  return next();
}

std::int64_t TokenStream::expectInteger(std::string_view what) {
  const Token& token = peek();
  std::int64_t value = 0;
  const char* end = token.text.data() + token.text.size();
  const auto [read, error] = std::from_chars(token.text.data(), end, value);
  if (token.kind != Token::Kind::Number || error != std::errc() || read != end)
    fail(token, fmt::format("expected {}, found {}", what, shown(token)));
  ++at_;
  return value;
}

std::int64_t TokenStream::expectExtent(std::string_view what) {
  const Token token = peek();
  const std::int64_t extent = expectInteger(what);
  if (extent < 1) fail(token, fmt::format("{} must be at least 1, not {}", what, extent));
  return extent;
}

} // namespace nestwright
