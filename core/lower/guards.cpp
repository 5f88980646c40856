#include "core/lower/guards.h"

#include <algorithm>

namespace nestwright {
namespace {

constexpr std::int64_t kMaxEnumerated = 4096;

/// Calls `f` on every condition that the statement itself asks for.
void visitConditions(const StmtNode& s, const std::function<void(const Expr&)>& f) {
  if (s.kind == StmtKind::If) f(s.condition);
  if (s.kind != StmtKind::Store) return;
  visit(s.value, [&](const Expr& e) {
    if (e->kind == ExprKind::IfThenElse || e->kind == ExprKind::Select) f((*e)[0]);
    return true;
  });
}

/// The condition without the conjuncts that are known; null when nothing is left.
Expr remaining(const Expr& condition, const std::vector<Expr>& known) {
  std::vector<Expr> conjuncts;
  splitConjunction(condition, conjuncts);
  const std::size_t before = conjuncts.size();
  std::erase_if(conjuncts, [&](const Expr& e) {
    return std::any_of(known.begin(), known.end(),
                       [&](const Expr& condition) { return equalStructure(condition, e); });
  });
  if (conjuncts.empty()) return {};
  return conjuncts.size() == before ? condition : conjunction(conjuncts);
}

} // namespace

std::optional<LinearForm> belowZero(const Expr& e, IndexSimplifier& simplify) {
  const bool less = e->kind == ExprKind::Lt || e->kind == ExprKind::Le;
  if (!less && e->kind != ExprKind::Gt && e->kind != ExprKind::Ge) return std::nullopt;
  if ((*e)[0]->type != kInt64 || readsMemory(e)) return std::nullopt;
  LinearForm form = simplify.linear(less ? (*e)[0] - (*e)[1] : (*e)[1] - (*e)[0]);
  if (e->kind == ExprKind::Le || e->kind == ExprKind::Ge) form.constant -= 1;
  return form;
}

void splitConjunction(const Expr& e, std::vector<Expr>& conjuncts) {
  if (e->kind != ExprKind::And) return conjuncts.push_back(e);
  splitConjunction((*e)[0], conjuncts);
  splitConjunction((*e)[1], conjuncts);
}

Expr conjunction(const std::vector<Expr>& conjuncts) {
  Expr all = conjuncts[0];
  for (std::size_t i = 1; i < conjuncts.size(); ++i)
    all = all && conjuncts[i];
  return all;
}

std::vector<Guard> guardsOf(const Stmt& s, IndexSimplifier& simplify) {
  std::vector<Guard> guards;
  visit(s, [&](const Stmt& inner) {
    visitConditions(*inner, [&](const Expr& condition) {
      std::vector<Expr> conjuncts;
      splitConjunction(condition, conjuncts);
      for (const Expr& e : conjuncts) {
        std::optional<LinearForm> form = belowZero(e, simplify);
        const bool known = std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
          return equalStructure(guard.condition, e);
        });
        if (form && !known) guards.push_back({e, std::move(*form), inner->kind == StmtKind::If});
      }
    });
  });
  return guards;
}

Expr withoutConditions(const Expr& value, const std::vector<Expr>& conditions) {
  return rewrite(value, [&](const Expr& node) -> Expr {
    if (node->kind != ExprKind::IfThenElse && node->kind != ExprKind::Select) return node;
    Expr rest = remaining((*node)[0], conditions);
    if (!rest) return (*node)[1];
    if (rest.sameAs((*node)[0])) return node;
    return node->kind == ExprKind::Select ? select(rest, (*node)[1], (*node)[2])
                                          : ifThenElse(rest, (*node)[1], (*node)[2]);
  });
}

namespace {

Stmt withoutKnown(const Stmt& s, const std::vector<Expr>& known) {
  if (s->kind == StmtKind::If) {
    Expr rest = remaining(s->condition, known);
    Stmt body = withoutKnown(s->body[0], known);
    if (!rest) return body;
    return rest.sameAs(s->condition) ? withBody(s, std::move(body))
                                     : makeIf(std::move(rest), std::move(body));
  }
  return mapChildren(
      s, [&](const Stmt& child) { return withoutKnown(child, known); },
      [&](const Expr& e) { return withoutConditions(e, known); });
}

} // namespace

Stmt withoutGuards(const Stmt& s, const std::vector<Guard>& guards) {
  std::vector<Expr> known;
  for (const Guard& guard : guards)
    known.push_back(guard.condition);
  return withoutKnown(s, known);
}

double shareBelowZero(const LinearForm& form, IndexSimplifier& simplify) {
  const ValueRange all = simplify.range(form);
  if (all.high < 0) return 1;
  if (all.low >= 0 || all.low <= -ValueRange::kUnbounded || all.high >= ValueRange::kUnbounded)
    return 0;
  std::vector<ValueRange> ranges;
  std::int64_t count = 1;
  for (const auto& term : form.terms) {
    ranges.push_back(simplify.range(term.atom));
    count *= std::min(kMaxEnumerated, ranges.back().high - ranges.back().low + 1);
    if (count > kMaxEnumerated) // as if all values between were equally frequent
      return static_cast<double>(-all.low) / static_cast<double>(all.high - all.low + 1);
  }
  std::int64_t below = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t value = form.constant, rest = n;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const std::int64_t values = ranges[i].high - ranges[i].low + 1;
      value += form.terms[i].coefficient * (ranges[i].low + rest % values);
      rest /= values;
    }
    below += value < 0;
  }
  return static_cast<double>(below) / static_cast<double>(count);
}

} // namespace nestwright
