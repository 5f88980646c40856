#include "core/tensor/check_bounds.h"
#include "core/tensor/text.h"
#include "core/tensor/text_stream.h"
#include "core/tensor/text_syntax.h"

#include <algorithm>

namespace nestwright {

namespace {

/// Longer than any text that is printed, and short enough that its words fit into memory.
constexpr std::size_t kLongestText = 8 << 20;

/// The extent of an axis: as written, or that of the dimensions which it indexes alone.
std::int64_t extentOf(const WrittenAxis& axis, const Expr& body, bool isReduction,
                      const TokenStream& tokens) {
  if (axis.extent) return *axis.extent;
  const InferredExtent inferred = inferExtent(body, axis.var);
  const std::string& name = axis.name.text;
  if (inferred.conflict)
    tokens.fail(axis.name,
                fmt::format("axis '{0}' indexes a dimension of extent {1} and one of extent {2}; "
                            "mend a shape, or write the extent, as in {0}={1}",
                            name, *inferred.first, *inferred.conflict));
  if (!inferred.extent)
    tokens.fail(axis.name,
                fmt::format("axis '{0}' indexes no dimension alone, so its extent is unknown; "
                            "write it, as in {1}",
                            name,
                            isReduction ? fmt::format("C(i) {{{}=16}} += ...", name)
                                        : fmt::format("{}=16", name)));
  return *inferred.extent;
}

class DagParser {
 public:
  explicit DagParser(std::string_view source) : tokens_(source) {}

  ComputeDag run() {
    while (tokens_.peek().kind != Token::Kind::End) {
      if (tokens_.peek().kind == Token::Kind::EndOfLine)
        tokens_.next();
      else
        statement();
    }
    if (ops_.empty())
      tokens_.fail(tokens_.peek(), "the text defines no operator; write, for example, A = "
                                   "PLACEHOLDER [512, 512]");
    if (std::ranges::none_of(ops_, [](const Op& op) { return op->isCompute(); }))
      tokens_.fail(tokens_.peek(), "the text computes nothing; write, for example, C(i, j) = "
                                   "A[i, j]*2f");
    return ComputeDag(ops_);
  }

 private:
  void statement() {
    const Token name = tokens_.expectName("the name of an operator");
    for (const Op& op : ops_)
      if (op->name() == name.text)
        tokens_.fail(name, fmt::format("'{}' is already defined; give this operator another name",
                                       name.text));
    if (ops_.size() == kMostOperators)
      tokens_.fail(name, fmt::format("at most {} operators are allowed", kMostOperators));
    if (tokens_.accept("="))
      ops_.push_back(tensor(name));
    else if (tokens_.peek().is("("))
      ops_.push_back(computation(name));
    else
      tokens_.fail(tokens_.peek(),
                   fmt::format("expected '= PLACEHOLDER [...]' or '(axes) = ...' after '{}', found "
                               "{}",
                               name.text, shown(tokens_.peek())));
    tokens_.checked(name, [&] { checkBounds(*ops_.back()); });
    if (tokens_.peek().kind != Token::Kind::EndOfLine)
      tokens_.fail(tokens_.peek(), fmt::format("expected an operator sign or the end of the line, "
                                               "found {}",
                                               shown(tokens_.peek())));
    tokens_.next();
  }

  Op tensor(const Token& name) {
    const Token keyword = tokens_.peek();
    const bool isConstant = keyword.text == "CONSTANT";
    if (!isConstant && keyword.text != "PLACEHOLDER")
      tokens_.fail(keyword,
                   fmt::format("expected PLACEHOLDER or CONSTANT after '{0} =', found {1}; a "
                               "computed tensor names its axes, as in {0}(i, j) = ...",
                               name.text, shown(keyword)));
    tokens_.next();
    tokens_.expect("[", "before the shape");
    std::vector<std::int64_t> shape;
    while (!tokens_.accept("]")) {
      if (!shape.empty()) tokens_.expect(",", "or ']' in the shape");
      requireFewer(shape.size());
      shape.push_back(tokens_.expectExtent("an extent"));
    }
    DataType type = kFloat32;
    if (tokens_.peek().kind == Token::Kind::Word) {
      const Token word = tokens_.next();
      type = tokens_.checked(word, [&] { return parseDataType(word.text); });
    }
    return tokens_.checked(name, [&] {
      return isConstant ? constant(name.text, shape, constantValues(), type)
                        : placeholder(name.text, shape, type);
    });
  }

  std::vector<double> constantValues() {
    tokens_.expect("{", "before the values");
    std::vector<double> values;
    AxisScope none;
    while (!tokens_.accept("}")) {
      if (!values.empty()) tokens_.expect(",", "or '}' in the values");
      const Token at = tokens_.peek();
      const Expr value = parseExpression(tokens_, {}, none);
      if (value->kind != ExprKind::FloatImm && value->kind != ExprKind::IntImm)
        tokens_.fail(at, "expected a number");
      values.push_back(value->kind == ExprKind::FloatImm ? value->real
                                                         : static_cast<double>(value->integer));
    }
    return values;
  }

  void requireFewer(std::size_t dimensions) const {
    if (dimensions == kMostDimensions)
      tokens_.fail(tokens_.peek(),
                   fmt::format("a tensor has at most {} dimensions", kMostDimensions));
  }

  std::vector<WrittenAxis> axisList(std::string_view open, std::string_view close) {
    tokens_.expect(open, "before the axes");
    std::vector<WrittenAxis> axes;
    while (!tokens_.accept(close)) {
      if (!axes.empty()) tokens_.expect(",", fmt::format("or '{}' in the axes", close));
      requireFewer(axes.size());
      WrittenAxis axis;
      axis.name = tokens_.expectName("the name of an axis");
      axis.var = makeVar(axis.name.text);
      if (tokens_.accept("=")) axis.extent = tokens_.expectExtent("the extent of an axis");
      axes.push_back(std::move(axis));
    }
    return axes;
  }

  std::optional<Reducer> reducer() {
    const Token token = tokens_.next();
    if (token.is("=")) return std::nullopt;
    if (token.is("+=")) return Reducer::Sum;
    if (token.is("*=")) return Reducer::Product;
    const bool isWord = token.kind == Token::Kind::Word && tokens_.accept("=");
    if (isWord && token.text == "max") return Reducer::Max;
    if (isWord && token.text == "min") return Reducer::Min;
    tokens_.fail(token,
                 fmt::format("expected '=', '+=', '*=', 'max=' or 'min=', found {}", shown(token)));
  }

  Op computation(const Token& name) {
    AxisScope scope;
    scope.axes = axisList("(", ")");
    if (tokens_.peek().is("{")) scope.reduceAxes = axisList("{", "}");
    const Token sign = tokens_.peek();
    const std::optional<Reducer> how = reducer();
    if (!how && !scope.reduceAxes.empty())
      tokens_.fail(sign, "axes in braces belong to a reduction; write +=, *=, max= or min=");
    requireDistinct(name, scope);
    scope.mayReduce = how.has_value();
    const Expr body = parseExpression(tokens_, ops_, scope);
    OpAttributes attributes;
    while (tokens_.accept("@"))
      attribute(attributes);
    return make(name, scope, how, body, std::move(attributes));
  }

  void requireDistinct(const Token& name, const AxisScope& scope) const {
    std::vector<std::string_view> seen;
    for (const auto* axes : {&scope.axes, &scope.reduceAxes})
      for (const WrittenAxis& axis : *axes) {
        if (std::find(seen.begin(), seen.end(), axis.name.text) != seen.end())
          tokens_.fail(axis.name, fmt::format("operator '{}' has two axes named '{}'; rename one",
                                              name.text, axis.name.text));
        seen.push_back(axis.name.text);
      }
  }

  Op make(const Token& name, const AxisScope& scope, std::optional<Reducer> how, const Expr& body,
          OpAttributes attributes) const {
    std::vector<std::int64_t> shape;
    std::vector<std::string> names;
    for (const WrittenAxis& axis : scope.axes) {
      shape.push_back(extentOf(axis, body, false, tokens_));
      names.push_back(axis.name.text);
    }
    std::vector<NamedExtent> reduction;
    for (const WrittenAxis& axis : scope.reduceAxes)
      reduction.push_back({axis.name.text, extentOf(axis, body, true, tokens_)});
    const auto withAxes = [&](const std::vector<Expr>& spatial, const std::vector<Expr>& reduced) {
      return substitute(body, [&](const Var& var) -> Expr {
        for (std::size_t i = 0; i < spatial.size(); ++i)
          if (scope.axes[i].var == var) return spatial[i];
        for (std::size_t i = 0; i < reduced.size(); ++i)
          if (scope.reduceAxes[i].var == var) return reduced[i];
        return {};
      });
    };
    return tokens_.checked(name, [&] {
      if (how)
        return reduce(name.text, *how, shape, reduction, withAxes, names, std::move(attributes));
      return compute(
          name.text, shape, [&](const std::vector<Expr>& spatial) { return withAxes(spatial, {}); },
          names, std::move(attributes));
    });
  }

  void attribute(OpAttributes& attributes) {
    const Token key = tokens_.expectName("the name of an attribute");
    tokens_.expect("(", "after the attribute");
    if (key.text == kFlopsAttribute) {
      attributes.flops = tokens_.expectInteger("a number of operations");
      return tokens_.expect(")", "after the number");
    }
    std::vector<std::string> names;
    while (!tokens_.accept(")")) {
      if (!names.empty()) tokens_.expect(",", "or ')' in the names");
      names.push_back(tokens_.expectName("a name").text);
    }
    for (const auto& [name, member] : kListAttributes)
      if (key.text == name) {
        attributes.*member = std::move(names);
        return;
      }
    if (key.text == kAlternativeAttribute && names.size() == 2) {
      attributes.alternative = AlternativeOf{names[0], names[1]};
      return;
    }
    if (key.text != kSimilarityAttribute || names.size() != 1)
      tokens_.fail(key, fmt::format("unknown attribute '{}'; known are always_unroll_inner, "
                                    "no_split_at_inner, simplify_const_tensor_indices, "
                                    "layout_free_placeholders, flop, similarity (one name) and "
                                    "alternative (its name, the hash of what it is one of)",
                                    key.text));
    attributes.similarityTag = names[0];
  }

  TokenStream tokens_;
  std::vector<Op> ops_;
};

} // namespace

ComputeDag parseDag(std::string_view text) {
  if (text.size() > kLongestText)
    throw InputError(fmt::format("the text of a compute DAG has at most {} bytes; this one has {}",
                                 kLongestText, text.size()));
  return DagParser(text).run();
}

} // namespace nestwright
