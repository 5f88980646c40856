#include "core/support/infinity.h"
#include "core/support/quantity.h"
#include "core/tensor/operators.h"
#include "core/tensor/text_stream.h"
#include "core/tensor/text_syntax.h"

#include <charconv>
#include <limits>

namespace nestwright {

namespace {

constexpr Intrinsic kIntrinsics[] = {
    Intrinsic::Exp,  Intrinsic::Log,     Intrinsic::Sqrt, Intrinsic::Rsqrt, Intrinsic::Tanh,
    Intrinsic::Erf,  Intrinsic::Sigmoid, Intrinsic::Pow,  Intrinsic::Abs,   Intrinsic::Floor,
    Intrinsic::Ceil, Intrinsic::Round,   Intrinsic::Sin,  Intrinsic::Cos,   Intrinsic::Fmod};

/// Written between their operands although they are printed as functions.
constexpr BinaryOperator kShorthands[] = {{"//", ExprKind::FloorDiv, Binding::Product},
                                          {"%", ExprKind::FloorMod, Binding::Product}};
/// More than any formula needs, and few enough for every recursion over expressions.
constexpr int kMaxDepth = 250;
constexpr int kMaxOperators = 240;

const BinaryOperator* infixOperator(const Token& token) {
  for (const BinaryOperator& candidate : kBinaryOperators)
    if (candidate.binding != Binding::Function && token.is(candidate.symbol)) return &candidate;
  for (const BinaryOperator& candidate : kShorthands)
    if (token.is(candidate.symbol)) return &candidate;
  return nullptr;
}

class ExprParser {
 public:
  ExprParser(TokenStream& tokens, const std::vector<Op>& ops, AxisScope& scope)
      : tokens_(tokens), ops_(ops), scope_(scope) {}

  /// Reads operators that bind at least as tightly as `loosest`.
  Expr expression(Binding loosest = Binding::Or) {
    Expr left = unary();
    while (const BinaryOperator* infix = infixOperator(tokens_.peek())) {
      if (infix->binding < loosest) break;
      const Token sign = tokens_.next();
      if (++operators_ > kMaxOperators)
        tokens_.fail(sign, "the expression is too long; split it over several operators");
      // All associate to the left.
      const auto tighter = static_cast<Binding>(static_cast<int>(infix->binding) + 1);
      const Expr right = expression(tighter);
      left = tokens_.checked(sign, [&] { return binary(infix->kind, left, right); });
    }
    return left;
  }

 private:
  Expr unary() {
    if (++depth_ > kMaxDepth)
      tokens_.fail(tokens_.peek(),
                   "the expression is nested too deeply; split it over several operators");
    Expr result;
    const Token sign = tokens_.peek();
    if (tokens_.accept("-")) {
      if (tokens_.peek().kind == Token::Kind::Number) {
        result = number(true);
      } else {
        const Expr operand = unary();
        // The literal itself, so that -0 and -inf keep their sign.
        if (operand->kind == ExprKind::FloatImm)
          result = floatImm(-operand->real, operand->type);
        else
          result = tokens_.checked(sign, [&] { return -operand; });
      }
    } else if (tokens_.accept("!")) {
      const Expr operand = unary();
      result = tokens_.checked(sign, [&] { return logicalNot(operand); });
    } else {
      result = primary();
    }
    --depth_;
    return result;
  }

  Expr primary() {
    const Token token = tokens_.peek();
    if (tokens_.accept("(")) {
      Expr inner = expression();
      tokens_.expect(")", "to close the parenthesis");
      return inner;
    }
    if (token.kind == Token::Kind::Number) return number(false);
    if (!token.isName())
      tokens_.fail(token, fmt::format("expected a value, found {}", shown(token)));
    tokens_.next();
    if (token.kind == Token::Kind::Word && tokens_.peek().is("(")) return function(token);
    if (tokens_.peek().is("[")) return element(token);
    if (token.kind == Token::Kind::Word && isReservedWord(token.text))
      return namedValue(token.text);
    return variable(token);
  }

  /// Its sign is part of it: the lowest integer has no positive counterpart, and -0 is not 0.
  Expr number(bool negative) {
    const Token token = tokens_.next();
    const std::string text = (negative ? "-" : "") + token.text;
    const char* end = text.data() + text.size();
    std::int64_t integer = 0;
    if (const auto [read, error] = std::from_chars(text.data(), end, integer); read == end) {
      if (error != std::errc())
        tokens_.fail(token,
                     fmt::format("{0} is beyond integers of 64 bits; as a real number it has "
                                 "a point or a suffix: {0}.0, {0}f",
                                 text));
      return intImm(integer);
    }
    double real = 0;
    const auto [read, error] = std::from_chars(text.data(), end, real);
    const bool hasSuffix = read + 1 == end && (*read == 'f' || *read == 'h');
    if (error != std::errc() || (read != end && !hasSuffix))
      tokens_.fail(token, fmt::format("'{}' is no number", text));
    return floatImm(real, !hasSuffix ? kFloat64 : *read == 'f' ? kFloat32 : kFloat16);
  }

  static Expr namedValue(std::string_view word) {
    if (word == "true" || word == "false") return boolImm(word == "true");
    const double value =
        word.starts_with("inf") ? kInfinity : std::numeric_limits<double>::quiet_NaN();
    return floatImm(value, word.size() == 3 ? kFloat64 : word[3] == 'f' ? kFloat32 : kFloat16);
  }

  Expr element(const Token& name) {
    const auto op = std::find_if(ops_.begin(), ops_.end(), [&](const Op& candidate) {
      return candidate->name() == name.text;
    });
    if (op == ops_.end())
      tokens_.fail(name, fmt::format("no tensor '{0}' is defined above; define it first, as in "
                                     "{0} = PLACEHOLDER [512, 512]",
                                     name.text));
    tokens_.expect("[", "before the indices");
    std::vector<Expr> indices;
    while (!tokens_.accept("]")) {
      if (!indices.empty()) tokens_.expect(",", "or ']' in the indices");
      indices.push_back(expression());
    }
    return tokens_.checked(name, [&] { return read(*op, std::move(indices)); });
  }

  Expr variable(const Token& name) {
    for (const auto* axes : {&scope_.axes, &scope_.reduceAxes})
      for (const WrittenAxis& axis : *axes)
        if (axis.name.text == name.text) return axis.var;
    for (const Op& op : ops_)
      if (op->name() == name.text)
        tokens_.fail(name, fmt::format("'{0}' is a tensor; read one element of it, as in {0}[i, j]",
                                       name.text));
    if (!scope_.mayReduce)
      tokens_.fail(name, fmt::format("'{}' is no axis of this operator; a reduction over it needs "
                                     "+=, *=, max= or min=",
                                     name.text));
    scope_.reduceAxes.push_back({name, {}, makeVar(name.text)});
    return scope_.reduceAxes.back().var;
  }

  std::vector<Expr> arguments() {
    std::vector<Expr> result;
    tokens_.expect("(", "before the arguments");
    while (!tokens_.accept(")")) {
      if (!result.empty()) tokens_.expect(",", "or ')' in the arguments");
      result.push_back(expression());
    }
    return result;
  }

  Expr function(const Token& token) {
    std::string_view callee = token.text;
    if (callee.starts_with("tir.")) callee.remove_prefix(4);
    std::vector<Expr> values = arguments();
    const auto require = [&](std::size_t count) {
      if (values.size() != count)
        tokens_.fail(token, fmt::format("{} takes {}, not {}", callee,
                                        quantity(std::int64_t(count), "argument"), values.size()));
    };
    return tokens_.checked(token, [&]() -> Expr {
      if (const std::optional<ExprKind> kind = binaryFunction(callee)) {
        require(2);
        return binary(*kind, values[0], values[1]);
      }
      if (callee == "select" || callee == "if_then_else") {
        require(3);
        return callee == "select" ? select(values[0], values[1], values[2])
                                  : ifThenElse(values[0], values[1], values[2]);
      }
      if (callee == "fabs") callee = "abs";
      for (const Intrinsic intrinsic : kIntrinsics)
        if (callee == name(intrinsic)) return call(intrinsic, std::move(values));
      if (const std::optional<DataType> type = typeNamed(callee)) {
        require(1);
        return cast(*type, values[0]);
      }
      tokens_.fail(token, fmt::format("unknown function '{}'; known are min, max, select, "
                                      "if_then_else, floordiv, floormod, exp, log, sqrt, rsqrt, "
                                      "tanh, erf, sigmoid, pow, abs, floor, ceil, round, sin, cos, "
                                      "and conversions such as float32(x)",
                                      callee));
    });
  }

  static std::optional<ExprKind> binaryFunction(std::string_view callee) {
    for (const BinaryOperator& candidate : kBinaryOperators)
      if (candidate.binding == Binding::Function && candidate.symbol == callee)
        return candidate.kind;
    return std::nullopt;
  }

  static std::optional<DataType> typeNamed(std::string_view word) {
    try {
      return parseDataType(word);
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  TokenStream& tokens_;
  const std::vector<Op>& ops_;
  AxisScope& scope_;
  int depth_ = 0, operators_ = 0;
};

} // namespace

Expr parseExpression(TokenStream& tokens, const std::vector<Op>& ops, AxisScope& scope) {
  return ExprParser(tokens, ops, scope).expression();
}

} // namespace nestwright
