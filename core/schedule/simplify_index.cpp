/// \file Simplification of index expressions and of the conditions in guards.

#include "core/schedule/affine.h"
#include "core/schedule/bounds.h"

namespace nestwright {

namespace {

class IndexSimplifier {
 public:
  explicit IndexSimplifier(const std::function<std::int64_t(const Var&)>& extentOf)
      : extentOf_(extentOf) {}

  Expr simplify(const Expr& e) const {
    if (e->type.isInt() && e->type.isScalar()) return integer(e);
    switch (e->kind) {
    case ExprKind::Lt:
      return strictly((*e)[0], (*e)[1], e);
    case ExprKind::Gt:
      return strictly((*e)[1], (*e)[0], e);
    case ExprKind::Le:
      return negated(strictly((*e)[1], (*e)[0], {}), e);
    case ExprKind::Ge:
      return negated(strictly((*e)[0], (*e)[1], {}), e);
    case ExprKind::Eq:
    case ExprKind::Ne:
      return equality(e);
    case ExprKind::And:
    case ExprKind::Or:
      return connective(e);
    case ExprKind::Select:
    case ExprKind::IfThenElse:
      return choice(e);
    default:
      return operandsSimplified(e);
    }
  }

 private:
  Expr operandsSimplified(const Expr& e) const {
    return mapOperands(e, [this](const Expr& operand) { return simplify(operand); });
  }

  static bool isIndex(const Expr& e) { return e->type.isInt() && e->type.isScalar(); }

  Expr integer(const Expr& e) const {
    const Affine sum = affine(e);
    Affine joined = recombined(sum);
    const bool changed = joined.terms.size() != sum.terms.size();
    const Expr result = typed(toExpr(joined), e->type);
    if (changed) return integer(result);
    return equalStructure(result, e) ? e : result;
  }

  static Expr typed(const Expr& e, DataType type) {
    if (const std::int64_t* value = asInt(e); value != nullptr && e->type != type)
      return intImm(*value, type);
    return e;
  }

  Affine affine(const Expr& e) const {
    const ExprNode& node = *e;
    switch (node.kind) {
    case ExprKind::IntImm:
      return node.integer;
    case ExprKind::Var:
      return variable(node.var, e);
    case ExprKind::Add:
    case ExprKind::Sub: {
      Affine sum = affine(node[0]);
      add(sum, affine(node[1]), node.kind == ExprKind::Add ? 1 : -1);
      return sum;
    }
    case ExprKind::Mul:
      return product(e);
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
      return division(e);
    case ExprKind::Min:
    case ExprKind::Max:
      return extremum(e);
    case ExprKind::Select:
    case ExprKind::IfThenElse: {
      const Expr chosen = choice(e);
      return chosen->kind == node.kind ? Affine(chosen, IntRange{}) : affine(chosen);
    }
    default:
      return {operandsSimplified(e), IntRange{}};
    }
  }

  Affine variable(const Var& var, const Expr& e) const {
    const std::int64_t extent = extentOf_(var);
    if (extent == 1) return 0;
    return {e, extent > 0 ? IntRange{0, extent - 1} : IntRange{}};
  }

  Affine product(const Expr& e) const {
    const Affine a = affine((*e)[0]);
    const Affine b = affine((*e)[1]);
    if (b.isConstant()) return scaled(a, b.constant);
    if (a.isConstant()) return scaled(b, a.constant);
    return {toExpr(a) * toExpr(b), IntRange{}};
  }

  Affine division(const Expr& e) const {
    const bool quotient = e->kind == ExprKind::FloorDiv;
    const Affine a = affine((*e)[0]);
    const Affine b = affine((*e)[1]);
    if (b.isConstant() && b.constant > 0)
      return quotient ? floorDiv(recombined(a), b.constant) : floorMod(recombined(a), b.constant);
    return {binary(e->kind, typed(toExpr(a), e->type), typed(toExpr(b), e->type)), IntRange{}};
  }

  Affine extremum(const Expr& e) const {
    const Affine a = affine((*e)[0]);
    const Affine b = affine((*e)[1]);
    Affine difference = a;
    add(difference, b, -1);
    const IntRange range = rangeOf(difference);
    const bool least = e->kind == ExprKind::Min;
    if (range.high <= 0) return least ? a : b;
    if (range.low >= 0) return least ? b : a;
    const IntRange x = rangeOf(a);
    const IntRange y = rangeOf(b);
    const Expr simplified = binary(e->kind, typed(toExpr(a), e->type), typed(toExpr(b), e->type));
    if (least) return {simplified, {std::min(x.low, y.low), std::min(x.high, y.high)}};
    return {simplified, {std::max(x.low, y.low), std::max(x.high, y.high)}};
  }

  /// `a` < `b`: a literal when the ranges decide it, else `original` with simplified sides (null
  /// when that is null).
  Expr strictly(const Expr& a, const Expr& b, const Expr& original) const {
    if (isIndex(a) && isIndex(b)) {
      Affine difference = affine(a);
      add(difference, affine(b), -1);
      const IntRange range = rangeOf(recombined(difference));
      if (range.high < 0) return boolImm(true);
      if (range.low >= 0) return boolImm(false);
    }
    return original ? operandsSimplified(original) : Expr();
  }

  /// The opposite of a decided comparison; `original` simplified when it is not decided.
  Expr negated(const Expr& decided, const Expr& original) const {
    return decided ? boolImm(decided->integer == 0) : operandsSimplified(original);
  }

  Expr equality(const Expr& e) const {
    if (isIndex((*e)[0])) {
      Affine difference = affine((*e)[0]);
      add(difference, affine((*e)[1]), -1);
      const Affine joined = recombined(difference);
      const IntRange range = rangeOf(joined);
      const bool equal = e->kind == ExprKind::Eq;
      if (joined.isConstant(0)) return boolImm(equal);
      if (range.low > 0 || range.high < 0) return boolImm(!equal);
    }
    return operandsSimplified(e);
  }

  Expr connective(const Expr& e) const {
    const Expr a = simplify((*e)[0]);
    const Expr b = simplify((*e)[1]);
    const std::int64_t absorbing = e->kind == ExprKind::And ? 0 : 1;
    for (const auto& [literal, other] : {std::pair(a, b), std::pair(b, a)})
      if (const std::int64_t* value = asInt(literal))
        return *value == absorbing ? boolImm(absorbing != 0) : other;
    return a.sameAs((*e)[0]) && b.sameAs((*e)[1]) ? e : binary(e->kind, a, b);
  }

  Expr choice(const Expr& e) const {
    const Expr condition = simplify((*e)[0]);
    if (const std::int64_t* value = asInt(condition))
      return simplify(*value != 0 ? (*e)[1] : (*e)[2]);
    return operandsSimplified(e);
  }

  const std::function<std::int64_t(const Var&)>& extentOf_;
};

} // namespace

Expr simplifyIndex(const Expr& e, const std::function<std::int64_t(const Var&)>& extentOf) {
  return IndexSimplifier(extentOf).simplify(e);
}

} // namespace nestwright
