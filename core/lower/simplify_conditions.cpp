#include "core/lower/index_simplifier.h"
#include "core/support/error.h"

#include <numeric>

namespace nestwright {
namespace {

bool isComparison(ExprKind kind) {
  return kind >= ExprKind::Eq && kind <= ExprKind::Ge;
}

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  return q * b < a ? q + 1 : q;
}

LinearForm negated(LinearForm form) {
  for (auto& term : form.terms)
    term.coefficient = -term.coefficient;
  form.constant = -form.constant;
  return form;
}

/// `form` compared with zero, as positive terms on the left and the others on the right.
Expr balanced(ExprKind kind, const LinearForm& form) {
  LinearForm left, right;
  left.type = right.type = form.type;
  for (const auto& term : form.terms)
    (term.coefficient > 0 ? left : right).terms.push_back({term.atom, std::abs(term.coefficient)});
  right.constant = -form.constant;
  if (!left.terms.empty()) return binary(kind, toExpr(left), toExpr(right));
  left.constant = -right.constant;
  right.constant = 0;
  if (kind != ExprKind::Lt) return binary(kind, toExpr(right), toExpr(left));
  // -constant < terms reads better as terms >= 1 - constant
  left.constant += 1;
  return binary(ExprKind::Ge, toExpr(right), toExpr(left));
}

std::int64_t commonFactor(const LinearForm& form) {
  std::int64_t factor = 0;
  for (const auto& term : form.terms)
    factor = std::gcd(factor, term.coefficient);
  return factor;
}

} // namespace

Expr IndexSimplifier::condition(const Expr& e) {
  if (isComparison(e->kind)) return comparison(e);
  Expr simple = mapOperands(e, [this](const Expr& operand) { return (*this)(operand); });
  auto constant = [&](int operand) { return asInt((*simple)[operand]); };
  switch (simple->kind) {
  case ExprKind::And:
  case ExprKind::Or: {
    const std::int64_t neutral = simple->kind == ExprKind::And ? 1 : 0;
    for (int side : {0, 1})
      if (const std::int64_t* value = constant(side))
        return *value == neutral ? (*simple)[1 - side] : (*simple)[side];
    return equalStructure((*simple)[0], (*simple)[1]) ? (*simple)[0] : simple;
  }
  case ExprKind::Not:
    if (const std::int64_t* value = constant(0)) return boolImm(*value == 0);
    return simple;
  case ExprKind::Select:
  case ExprKind::IfThenElse:
    if (const std::int64_t* value = constant(0)) return (*simple)[*value ? 1 : 2];
    return simple;
  default:
    return simple;
  }
}

Expr IndexSimplifier::comparison(const Expr& e) {
  const Expr &a = (*e)[0], &b = (*e)[1];
  std::optional<LinearForm> apart;
  if (isIndex(a) && isIndex(b) && !readsMemory(e)) apart = difference(linear(a), linear(b));
  if (!apart) // of what wraps around a - b says nothing of a < b
    return mapOperands(e, [this](const Expr& operand) { return (*this)(operand); });
  LinearForm form = std::move(*apart);
  switch (e->kind) {
  case ExprKind::Lt:
    break;
  case ExprKind::Le:
    form.constant -= 1;
    break;
  case ExprKind::Gt:
    form = negated(form);
    break;
  case ExprKind::Ge:
    form = negated(form);
    form.constant -= 1;
    break;
  default: {
    bool equal = e->kind == ExprKind::Eq;
    ValueRange r = range(form);
    if (!r.contains(0)) return boolImm(!equal);
    if (form.isConstant()) return boolImm(equal);
    if (form.constant % commonFactor(form) != 0) return boolImm(!equal);
    Expr simple = balanced(e->kind, form);
    return equalStructure(simple, e) ? e : simple;
  }
  }
  Expr simple = lessThanZero(std::move(form));
  return equalStructure(simple, e) ? e : simple;
}

Expr IndexSimplifier::lessThanZero(LinearForm form) {
  ValueRange r = range(form);
  if (r.high < 0) return boolImm(true);
  if (r.low >= 0) return boolImm(false);
  // c*x + k < 0 is x < ceil(-k / c)
  std::int64_t factor = commonFactor(form);
  for (auto& term : form.terms)
    term.coefficient /= factor;
  std::int64_t limit = ceilDivide(-form.constant, factor);
  form.constant = -limit;
  // A quotient compared with a literal is its numerator compared with a multiple: the guard of a
  // fused loop becomes one of the loop itself.
  if (form.terms.size() == 1 && form.terms[0].atom->kind == ExprKind::FloorDiv) {
    const Expr& quotient = form.terms[0].atom;
    const std::int64_t* divisor = asInt((*quotient)[1]);
    if (divisor && *divisor > 0 && std::abs(limit) < ValueRange::kUnbounded / *divisor) {
      LinearForm numerator = linear((*quotient)[0]);
      bool positive = form.terms[0].coefficient > 0;
      if (!positive) numerator = negated(numerator);
      numerator.constant -= positive ? limit * *divisor : (limit - 1) * *divisor + 1;
      return lessThanZero(std::move(numerator));
    }
  }
  return balanced(ExprKind::Lt, form);
}

bool IndexSimplifier::proves(const Expr& condition) {
  return isConst((*this)(condition), 1);
}

void IndexSimplifier::narrow(const Expr& conjunct,
                             std::vector<std::pair<const VarNode*, ValueRange>>& saved) {
  if (conjunct->kind == ExprKind::And) {
    narrow((*conjunct)[0], saved);
    narrow((*conjunct)[1], saved);
    return;
  }
  if (conjunct->kind != ExprKind::Lt && conjunct->kind != ExprKind::Ge) return;
  const Expr &a = (*conjunct)[0], &b = (*conjunct)[1];
  if (a->type != kInt64) return;
  // Lt: form < 0; Ge: -form <= 0
  const std::optional<LinearForm> apart = difference(linear(a), linear(b));
  if (!apart) return;
  const LinearForm& form = *apart;
  for (const auto& term : form.terms) {
    if (term.atom->kind != ExprKind::Var) continue;
    auto known = ranges_.find(term.atom->var.get());
    if (known == ranges_.end()) continue;
    LinearForm rest = form;
    std::erase_if(rest.terms, [&](const auto& t) { return t.atom.sameAs(term.atom); });
    ValueRange r = range(rest);
    ValueRange before = known->second, after = before;
    // coefficient * v < -rest, or coefficient * v >= -rest; `bound` is the loosest right side
    bool less = conjunct->kind == ExprKind::Lt;
    std::int64_t bound = less ? -r.low : -r.high;
    if (bound <= -ValueRange::kUnbounded || bound >= ValueRange::kUnbounded) continue;
    std::int64_t c = std::abs(term.coefficient);
    if (less == (term.coefficient > 0)) {
      std::int64_t limit = less ? ceilDivide(bound, c) - 1 : -ceilDivide(bound, c);
      after.high = std::min(after.high, limit);
    } else {
      std::int64_t limit = less ? 1 - ceilDivide(bound, c) : ceilDivide(bound, c);
      after.low = std::max(after.low, limit);
    }
    if (after.low > after.high) continue;
    saved.emplace_back(term.atom->var.get(), before);
    known->second = after;
    forget();
  }
}

void IndexSimplifier::remember(const Expr& conjunct) {
  if (conjunct->kind == ExprKind::And) {
    remember((*conjunct)[0]);
    remember((*conjunct)[1]);
    return;
  }
  if (conjunct->kind != ExprKind::Lt && conjunct->kind != ExprKind::Ge) return;
  const Expr &a = (*conjunct)[0], &b = (*conjunct)[1];
  if (a->type != kInt64) return;
  // a - b < 0, or b - a - 1 < 0
  const bool less = conjunct->kind == ExprKind::Lt;
  std::optional<LinearForm> form = difference(linear(less ? a : b), linear(less ? b : a));
  if (!form) return;
  if (!less) form->constant -= 1;
  // A variable's range is narrowed anyway.
  const bool isVariable = form->terms.size() == 1 && form->terms[0].atom->kind == ExprKind::Var;
  if (isVariable) return;
  belowZero_.push_back(std::move(*form));
  forget();
}

void IndexSimplifier::assuming(const Expr& condition, const std::function<void()>& f) {
  std::vector<std::pair<const VarNode*, ValueRange>> saved;
  const std::size_t known = belowZero_.size();
  if (remembersSums_) remember(condition);
  narrow(condition, saved);
  f();
  if (belowZero_.size() == known && saved.empty()) return;
  belowZero_.resize(known);
  for (auto it = saved.rbegin(); it != saved.rend(); ++it)
    ranges_[it->first] = it->second;
  forget();
}

} // namespace nestwright
