#include "core/schedule/index_interval.h"

#include "core/support/floor_divide.h"
#include "core/tensor/wide_sum.h"

#include <algorithm>
#include <numeric>

namespace nestwright {

namespace {

/// The largest remainder modulo the divisor that `rest`, a sum of terms that the divisor does not
/// divide, can have.
std::int64_t largestRemainder(const Affine& rest, std::int64_t divisor) {
  std::int64_t unit = divisor;
  for (const Term& term : rest.terms)
    unit = std::gcd(unit, term.factor);
  const std::int64_t aligned = divisor - unit + floorRemainder(rest.constant, unit);
  const IntRange range = rangeOf(rest);
  return range.low >= 0 ? std::min(aligned, range.high) : aligned;
}

/// Values as a type holds them: unknown where they may wrap around in it.
Interval held(Interval values, DataType type) {
  if (type == kInt64 || values.isUnknown()) return values;
  const IntRange range = rangeOf(values.min);
  const ValueBounds needed{range.low, WideInt(range.high) + values.extent - 1};
  return needed.isInside(boundsOf(type)) ? values : unknownInterval();
}

} // namespace

Interval floorDiv(const Interval& a, std::int64_t divisor) {
  if (divisor == 1 || a.isUnknown()) return a;
  const Affine rest = divideTerms(a.min, divisor).remainder;
  const std::int64_t last = largestRemainder(rest, divisor) + a.extent - 1;
  const std::int64_t first = rest.isConstant() ? rest.constant / divisor : 0;
  return {floorDiv(a.min, divisor), floorDivide(last, divisor) - first + 1};
}

Interval floorMod(const Interval& a, std::int64_t divisor, FusedVariable knowledge) {
  if (divisor == 1) return {0, 1};
  Interval everything{0, divisor};
  if (a.isUnknown() || a.extent >= divisor) return everything;
  if (a.extent > 1 &&
      largestRemainder(divideTerms(a.min, divisor).remainder, divisor) + a.extent > divisor)
    return everything;
  return {floorMod(a.min, divisor, knowledge), a.extent};
}

Interval hull(const Interval& a, const Interval& b) {
  if (a.isUnknown() || b.isUnknown()) return unknownInterval();
  Affine difference = b.min;
  add(difference, a.min, -1);
  if (!difference.isConstant()) return unknownInterval();
  const std::int64_t distance = difference.constant;
  const std::int64_t low = std::min<std::int64_t>(0, distance);
  const std::int64_t high = std::max(a.extent, distance + b.extent);
  Interval result{a.min, high - low};
  result.min.constant += low;
  return result;
}

namespace {

Interval sum(Interval a, const Interval& b, std::int64_t factor) {
  if (a.isUnknown() || b.isUnknown()) return unknownInterval();
  add(a.min, b.min, factor);
  const std::int64_t width = (b.extent - 1) * factor;
  if (width < 0) a.min.constant += width;
  a.extent += width < 0 ? -width : width;
  return a;
}

Interval product(const Interval& a, const Interval& b) {
  if (a.isUnknown() || b.isUnknown()) return unknownInterval();
  const bool constantRight = b.extent == 1 && b.min.isConstant();
  const Interval& varying = constantRight ? a : b;
  const Interval& factor = constantRight ? b : a;
  if (factor.extent != 1 || !factor.min.isConstant()) return unknownInterval();
  return sum({0, 1}, varying, factor.min.constant);
}

Interval divided(const Expr& e, const Environment& environment) {
  const std::int64_t* divisor = asInt((*e)[1]);
  if (divisor == nullptr || *divisor <= 0) return unknownInterval();
  const Interval operand = evaluate((*e)[0], environment);
  return e->kind == ExprKind::FloorDiv ? floorDiv(operand, *divisor) : floorMod(operand, *divisor);
}

IntRange rangeOf(const Interval& a) {
  if (a.isUnknown()) return {};
  IntRange range = rangeOf(a.min);
  range.high = addBounds(range.high, a.extent - 1);
  return range;
}

Interval constantInterval(IntRange range) {
  if (!range.isBounded()) return unknownInterval();
  return {range.low, range.high - range.low + 1};
}

Interval leastOrGreatest(const Expr& e, const Environment& environment) {
  const Interval a = evaluate((*e)[0], environment);
  const Interval b = evaluate((*e)[1], environment);
  const IntRange x = rangeOf(a);
  const IntRange y = rangeOf(b);
  const bool least = e->kind == ExprKind::Min;
  if (x.high <= y.low) return least ? a : b;
  if (y.high <= x.low) return least ? b : a;
  return constantInterval(least ? IntRange{std::min(x.low, y.low), std::min(x.high, y.high)}
                                : IntRange{std::max(x.low, y.low), std::max(x.high, y.high)});
}

} // namespace

Interval evaluate(const Expr& index, const Environment& environment) {
  const ExprNode& node = *index;
  switch (node.kind) {
  case ExprKind::IntImm:
    return {node.integer, 1};
  case ExprKind::Var:
    for (const auto& [var, interval] : environment)
      if (var == node.var.get()) return interval;
    return unknownInterval();
  case ExprKind::Add:
    return held(sum(evaluate(node[0], environment), evaluate(node[1], environment), 1), node.type);
  case ExprKind::Sub:
    return held(sum(evaluate(node[0], environment), evaluate(node[1], environment), -1), node.type);
  case ExprKind::Mul:
    return held(product(evaluate(node[0], environment), evaluate(node[1], environment)), node.type);
  case ExprKind::FloorDiv:
  case ExprKind::FloorMod:
    return divided(index, environment);
  case ExprKind::Min:
  case ExprKind::Max:
    return leastOrGreatest(index, environment);
  case ExprKind::Cast:
    if (node.type.isInt() && node[0]->type.isInt())
      return held(evaluate(node[0], environment), node.type);
    return unknownInterval();
  case ExprKind::Select:
  case ExprKind::IfThenElse:
    return hull(evaluate(node[1], environment), evaluate(node[2], environment));
  default:
    return unknownInterval();
  }
}

namespace {

bool usesOnly(const Expr& e, const std::vector<const VarNode*>& kept) {
  if (e->kind == ExprKind::Var)
    return std::find(kept.begin(), kept.end(), e->var.get()) != kept.end();
  return std::all_of(e->operands.begin(), e->operands.end(),
                     [&](const Expr& operand) { return usesOnly(operand, kept); });
}

} // namespace

Interval relaxed(const Interval& a, const std::vector<const VarNode*>& kept) {
  if (a.isUnknown()) return a;
  Interval result{a.min.constant, a.extent};
  for (const Term& term : a.min.terms) {
    if (usesOnly(term.atom, kept)) {
      result.min.terms.push_back(term);
      continue;
    }
    if (!term.range.isBounded()) return unknownInterval();
    const std::int64_t least = term.factor > 0 ? term.range.low : term.range.high;
    result.min.constant += term.factor * least;
    result.extent += std::abs(term.factor) * (term.range.high - term.range.low);
  }
  return result;
}

} // namespace nestwright
