#pragma once
/// \file Reading the words of a compute DAG text one by one. Private to this room.

#include "core/support/error.h"
#include "core/tensor/compute_dag.h"
#include "core/tensor/text_lexer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

class TokenStream {
 public:
  /// `source` must outlive the stream.
  explicit TokenStream(std::string_view source) : source_(source), tokens_(tokenize(source)) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token next() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_.back(); }
  /// Steps over the symbol if it is next.
  bool accept(std::string_view symbol);

  /// Stop with an InputError at the place of `at`.
  [[noreturn]] void fail(const Token& at, const std::string& message) const {
    failAt(source_, at.line, at.column, message);
  }
  void expect(std::string_view symbol, std::string_view where);
  Token expectName(std::string_view what);
  std::int64_t expectInteger(std::string_view what);
  std::int64_t expectExtent(std::string_view what);

  /// Runs a maker; what it has against its arguments is told at `at`.
  template <class F>
  auto checked(const Token& at, const F& maker) const -> decltype(maker()) {
    try {
      return maker();
    } catch (const PlacedInputError&) {
      throw;
    } catch (const InputError& error) {
      fail(at, error.what());
    }
  }

 private:
  std::string_view source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

/// The word as an error message names it.
std::string shown(const Token& token);

/// An axis as it is written, or as it comes up in the body of a reduction.
struct WrittenAxis {
  Token name;
  std::optional<std::int64_t> extent;
  Var var;
};

/// The axes of the operator that is being read; free names of a reduction join `reduceAxes`.
struct AxisScope {
  std::vector<WrittenAxis> axes, reduceAxes;
  bool mayReduce = false;
};

/// Reads one expression. Throws InputError with the place.
Expr parseExpression(TokenStream& tokens, const std::vector<Op>& ops, AxisScope& scope);

} // namespace nestwright
