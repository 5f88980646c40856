#include "core/feature/index_form.h"

#include "core/support/error.h"

#include <algorithm>
#include <optional>

namespace nestwright {

namespace {

class IndexWriter {
 public:
  IndexWriter(const std::vector<EnclosingLoop>& loops, IndexCode& code, OperationCounts* counts,
              std::vector<Expr>* opaque)
      : loops_(loops), code_(code), counts_(counts), opaque_(opaque) {}

  int write(Affine a) {
    std::stable_sort(a.terms.begin(), a.terms.end(),
                     [](const Term& x, const Term& y) { return x.factor > y.factor; });
    int sum = -1;
    for (const Term& term : a.terms)
      if (term.factor > 0) sum = joined(IndexNode::Kind::Add, sum, product(term, term.factor));
    if (a.constant > 0 || a.terms.empty())
      sum = joined(IndexNode::Kind::Add, sum, literal(a.constant));
    for (const Term& term : a.terms) {
      if (term.factor > 0) continue;
      sum = sum < 0 ? product(term, term.factor)
                    : joined(IndexNode::Kind::Sub, sum, product(term, -term.factor));
    }
    if (a.constant < 0 && !a.terms.empty())
      sum = joined(IndexNode::Kind::Sub, sum, literal(-a.constant));
    return sum;
  }

 private:
  int push(IndexNode node) {
    code_.push_back(node);
    return static_cast<int>(code_.size()) - 1;
  }
  int literal(std::int64_t value) { return push({IndexNode::Kind::Literal, 0, 0, value}); }

  int joined(IndexNode::Kind kind, int a, int b) {
    if (a < 0) return b;
    count(kind);
    return push({kind, a, b, 0});
  }

  int product(const Term& term, std::int64_t factor) {
    const int atom = write(term.atom);
    return factor == 1 ? atom : joined(IndexNode::Kind::Mul, atom, literal(factor));
  }

  int write(const Expr& e) {
    switch (e->kind) {
    case ExprKind::IntImm:
      return literal(e->integer);
    case ExprKind::Var:
      return loop(e->var.get());
    case ExprKind::Add:
      return binary(IndexNode::Kind::Add, e);
    case ExprKind::Sub:
      return binary(IndexNode::Kind::Sub, e);
    case ExprKind::Mul:
      return binary(IndexNode::Kind::Mul, e);
    case ExprKind::FloorDiv:
      return binary(IndexNode::Kind::FloorDiv, e);
    case ExprKind::FloorMod:
      return binary(IndexNode::Kind::FloorMod, e);
    case ExprKind::Min:
      return binary(IndexNode::Kind::Min, e);
    case ExprKind::Max:
      return binary(IndexNode::Kind::Max, e);
    default:
      if (opaque_ != nullptr) opaque_->push_back(e);
      return push({IndexNode::Kind::Any, 0, 0, 0});
    }
  }

  int binary(IndexNode::Kind kind, const Expr& e) {
    const int a = write((*e)[0]);
    return joined(kind, a, write((*e)[1]));
  }

  int loop(const VarNode* variable) {
    for (std::size_t i = loops_.size(); i-- > 0;)
      if (loops_[i].variable == variable)
        return push({IndexNode::Kind::Loop, 0, 0, static_cast<std::int64_t>(i)});
    NW_ASSERT(false, "an index uses {}, which is no loop around it", variable->name);
  }

  void count(IndexNode::Kind kind) {
    if (counts_ == nullptr) return;
    switch (kind) {
    case IndexNode::Kind::Mul:
      counts_->mul += 1;
      break;
    case IndexNode::Kind::FloorDiv:
    case IndexNode::Kind::FloorMod:
      counts_->divMod += 1;
      break;
    case IndexNode::Kind::Min:
    case IndexNode::Kind::Max:
      counts_->compare += 1;
      break;
    default:
      counts_->addSub += 1;
    }
  }

  const std::vector<EnclosingLoop>& loops_;
  IndexCode& code_;
  OperationCounts* counts_;
  std::vector<Expr>* opaque_;
};

Affine extremum(ExprKind kind, const Affine& a, const Affine& b) {
  Affine difference = a;
  add(difference, b, -1);
  const IntRange range = rangeOf(difference);
  const bool least = kind == ExprKind::Min;
  if (range.high <= 0) return least ? a : b;
  if (range.low >= 0) return least ? b : a;
  const IntRange x = rangeOf(a);
  const IntRange y = rangeOf(b);
  return {binary(kind, toExpr(a), toExpr(b)),
          least ? IntRange{std::min(x.low, y.low), std::min(x.high, y.high)}
                : IntRange{std::max(x.low, y.low), std::max(x.high, y.high)}};
}

Affine variableValue(const Expr& e, const AxisValues& values,
                     const std::vector<EnclosingLoop>& loops) {
  for (const auto& [variable, value] : values)
    if (variable == e->var.get()) return value;
  for (std::size_t i = loops.size(); i-- > 0;)
    if (loops[i].variable == e->var.get()) return {e, IntRange{0, loops[i].extent - 1}};
  NW_ASSERT(false, "an index uses {}, which is no loop around it", e->var->name);
}

/// An atom as some digits of a value: (whole mod upper) div lower.
struct Digits {
  Expr whole;
  std::int64_t lower = 1, upper = kUnbounded;
};

Digits digitsOf(const Expr& atom) {
  Digits digits{atom, 1, kUnbounded};
  const auto literal = [&] { return asInt((*digits.whole)[1]); };
  if (digits.whole->kind == ExprKind::FloorDiv && literal() != nullptr) {
    digits.lower = *literal();
    digits.whole = Expr((*digits.whole)[0]);
  }
  if (digits.whole->kind == ExprKind::FloorMod && literal() != nullptr) {
    digits.upper = *literal();
    digits.whole = Expr((*digits.whole)[0]);
  }
  return digits;
}

bool sameWhole(const Expr& a, const Expr& b) {
  if (a.sameAs(b)) return true;
  if (a->kind != b->kind) return false;
  return a->kind == ExprKind::Var ? a->var == b->var : equalStructure(a, b);
}

/// The term that neighbouring digits of one value are together: 4 * (x div 8) + (x mod 8) div 2 is
/// x div 2. Nothing when they do not fit.
std::optional<Term> joined(const Term& high, const Term& low) {
  const Digits upper = digitsOf(high.atom);
  const Digits lower = digitsOf(low.atom);
  if (upper.lower != lower.upper || upper.lower % lower.lower != 0) return std::nullopt;
  const std::int64_t base = upper.lower / lower.lower;
  if (high.factor != low.factor * base || !sameWhole(upper.whole, lower.whole)) return std::nullopt;
  Expr atom = upper.whole;
  if (upper.upper != kUnbounded) atom = floorMod(atom, intImm(upper.upper));
  if (lower.lower != 1) atom = floorDiv(atom, intImm(lower.lower));
  const auto bound = [&](std::int64_t digit, std::int64_t rest) {
    return addBounds(scaleBound(digit, base), rest);
  };
  return Term{atom, low.factor, {bound(high.range.low, 0), bound(high.range.high, base - 1)}};
}

/// The sum with the digits of each value put together, which undoes the fusing of loops.
Affine withJoinedDigits(Affine a) {
  for (std::size_t i = 0; i < a.terms.size(); ++i) {
    if (a.terms[i].atom->kind != ExprKind::FloorDiv) continue;
    for (std::size_t j = 0; j < a.terms.size(); ++j) {
      const std::optional<Term> term = joined(a.terms[i], a.terms[j]);
      if (!term) continue;
      Affine rest = std::move(a);
      rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
      add(rest, Affine(term->atom, term->range), term->factor);
      return withJoinedDigits(std::move(rest));
    }
  }
  return a;
}

Affine product(const Affine& a, const Affine& b) {
  if (a.isConstant()) return scaled(b, a.constant);
  if (b.isConstant()) return scaled(a, b.constant);
  return {toExpr(a) * toExpr(b), IntRange{}};
}

Affine division(ExprKind kind, const Affine& a, const Affine& b) {
  if (!b.isConstant() || b.constant <= 0) return {binary(kind, toExpr(a), toExpr(b)), IntRange{}};
  return kind == ExprKind::FloorDiv ? floorDiv(a, b.constant) : floorMod(a, b.constant);
}

} // namespace

Affine indexValue(const Expr& index, const AxisValues& values,
                  const std::vector<EnclosingLoop>& loops) {
  const ExprNode& node = *index;
  const auto operand = [&](std::size_t i) { return indexValue(node[i], values, loops); };
  switch (node.kind) {
  case ExprKind::IntImm:
    return node.integer;
  case ExprKind::Var:
    return variableValue(index, values, loops);
  case ExprKind::Add:
  case ExprKind::Sub: {
    Affine sum = operand(0);
    add(sum, operand(1), node.kind == ExprKind::Add ? 1 : -1);
    return withJoinedDigits(std::move(sum));
  }
  case ExprKind::Mul:
    return product(operand(0), operand(1));
  case ExprKind::FloorDiv:
  case ExprKind::FloorMod:
    return division(node.kind, operand(0), operand(1));
  case ExprKind::Min:
  case ExprKind::Max:
    return extremum(node.kind, operand(0), operand(1));
  case ExprKind::Cast:
    if (node.type.isInt() && node[0]->type.isInt()) return operand(0);
    break;
  default:
    break;
  }
  return {substitute(index,
                     [&](const Var& v) { return toExpr(variableValue(Expr(v), values, loops)); }),
          IntRange{}};
}

void writeIndex(Affine index, const std::vector<EnclosingLoop>& loops, IndexCode& code,
                OperationCounts* counts, std::vector<Expr>* opaque) {
  IndexWriter(loops, code, counts, opaque).write(std::move(index));
}

} // namespace nestwright
