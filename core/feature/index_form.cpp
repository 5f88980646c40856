#include "core/feature/index_form.h"

#include "core/support/error.h"

#include <algorithm>
#include <optional>

namespace nestwright {

namespace {

class IndexWriter {
 public:
  IndexWriter(const std::vector<EnclosingLoop>& loops, std::vector<IndexNode>& nodes,
              OperationCounts* counts, std::vector<Expr>* opaque)
      : loops_(loops), nodes_(nodes), first_(static_cast<int>(nodes.size())), counts_(counts),
        opaque_(opaque) {}

  int write(const Affine& a) {
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
    nodes_.push_back(node);
    return static_cast<int>(nodes_.size()) - 1 - first_;
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
  std::vector<IndexNode>& nodes_;
  int first_; // operands are counted from here
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

/// An atom as some digits of a value: (whole mod upper) div lower.
struct Digits {
  const Expr* whole = nullptr;
  std::int64_t lower = 1, upper = kUnbounded;
};

Digits digitsOf(const Expr& atom) {
  Digits digits{&atom, 1, kUnbounded};
  const auto strip = [&](ExprKind kind, std::int64_t& literal) {
    const ExprNode& node = **digits.whole;
    if (node.kind != kind) return;
    const std::int64_t* value = asInt(node[1]);
    if (value == nullptr) return;
    literal = *value;
    digits.whole = &node[0];
  };
  strip(ExprKind::FloorDiv, digits.lower);
  strip(ExprKind::FloorMod, digits.upper);
  return digits;
}

/// The term that neighbouring digits of one value are together: 4 * (x div 8) + (x mod 8) div 2 is
/// x div 2. Nothing when they do not fit.
std::optional<Term> joined(const Term& high, const Term& low) {
  const Digits upper = digitsOf(high.atom);
  const Digits lower = digitsOf(low.atom);
  if (upper.lower != lower.upper || upper.lower % lower.lower != 0) return std::nullopt;
  const std::int64_t base = upper.lower / lower.lower;
  if (high.factor != low.factor * base || !sameAtom(*upper.whole, *lower.whole))
    return std::nullopt;
  Expr atom = *upper.whole;
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

class IndexReader {
 public:
  IndexReader(const AxisValues& values, const std::vector<EnclosingLoop>& loops)
      : values_(values), loops_(loops) {}

  Affine read(const Expr& index) const {
    Affine sum;
    sum.terms.reserve(6);
    accumulate(index, 1, sum);
    sum = withJoinedDigits(std::move(sum));
    sortTerms(sum);
    return sum;
  }

 private:
  /// sum += index * factor
  void accumulate(const Expr& index, std::int64_t factor, Affine& sum) const {
    const ExprNode& node = *index;
    switch (node.kind) {
    case ExprKind::IntImm:
      sum.constant += node.integer * factor;
      return;
    case ExprKind::Var:
      addVariable(index, factor, sum);
      return;
    case ExprKind::Add:
    case ExprKind::Sub:
      accumulate(node[0], factor, sum);
      accumulate(node[1], node.kind == ExprKind::Add ? factor : -factor, sum);
      return;
    case ExprKind::Mul:
      if (const std::int64_t* literal = asInt(node[1]))
        accumulate(node[0], factor * *literal, sum);
      else
        add(sum, product(read(node[0]), read(node[1])), factor);
      return;
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
      add(sum, division(node.kind, read(node[0]), read(node[1])), factor);
      return;
    case ExprKind::Min:
    case ExprKind::Max:
      add(sum, extremum(node.kind, read(node[0]), read(node[1])), factor);
      return;
    case ExprKind::Cast:
      if (!node.type.isInt() || !node[0]->type.isInt()) break;
      accumulate(node[0], factor, sum);
      return;
    default:
      break;
    }
    const auto value = [this](const Var& v) { return toExpr(read(Expr(v))); };
    add(sum, Affine(substitute(index, value), IntRange{}), factor);
  }

  void addVariable(const Expr& e, std::int64_t factor, Affine& sum) const {
    if (factor == 0) return;
    const VarNode* variable = e->var.get();
    for (const auto& [axis, value] : values_)
      if (axis == variable) {
        add(sum, value, factor);
        return;
      }
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop)
      if (loop->variable == variable) {
        addTerm(sum, {e, factor, IntRange{0, loop->extent - 1}});
        return;
      }
    NW_ASSERT(false, "an index uses {}, which is no loop around it", variable->name);
  }

  static void addTerm(Affine& sum, Term term) {
    const auto same = std::find_if(sum.terms.begin(), sum.terms.end(), [&](const Term& other) {
      return sameAtom(other.atom, term.atom);
    });
    if (same == sum.terms.end())
      sum.terms.push_back(std::move(term));
    else if ((same->factor += term.factor) == 0)
      sum.terms.erase(same);
  }

  const AxisValues& values_;
  const std::vector<EnclosingLoop>& loops_;
};

} // namespace

Affine indexValue(const Expr& index, const AxisValues& values,
                  const std::vector<EnclosingLoop>& loops) {
  return IndexReader(values, loops).read(index);
}

void sortTerms(Affine& index) {
  // There are few, and mostly they are in order.
  for (std::size_t i = 1; i < index.terms.size(); ++i)
    for (std::size_t j = i; j > 0 && index.terms[j].factor > index.terms[j - 1].factor; --j)
      std::swap(index.terms[j], index.terms[j - 1]);
}

IndexPlace writeIndex(const Affine& index, const std::vector<EnclosingLoop>& loops,
                      std::vector<IndexNode>& nodes, OperationCounts* counts,
                      std::vector<Expr>* opaque) {
  const auto first = static_cast<std::uint32_t>(nodes.size());
  IndexWriter(loops, nodes, counts, opaque).write(index);
  return {first, static_cast<std::uint32_t>(nodes.size()) - first};
}

} // namespace nestwright
