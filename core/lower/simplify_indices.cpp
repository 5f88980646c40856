#include "core/lower/simplify_indices.h"

#include "core/lower/guards.h"

namespace nestwright {
namespace {

const Stmt& nothing() {
  static const Stmt empty = makeSequence({});
  return empty;
}

bool isNothing(const Stmt& s) {
  return s->kind == StmtKind::Sequence && s->body.empty();
}

/// Moves what does not depend on the loop out of the condition right inside of it.
Stmt hoistConditions(const Stmt& loop) {
  const Stmt& inner = loop->body[0];
  if (inner->kind != StmtKind::If) return loop;
  std::vector<Expr> conjuncts, outside, inside;
  splitConjunction(inner->condition, conjuncts);
  for (const Expr& e : conjuncts)
    (uses(e, loop->var) ? inside : outside).push_back(e);
  if (outside.empty()) return loop;
  Stmt body = inside.empty() ? inner->body[0] : makeIf(conjunction(inside), inner->body[0]);
  return makeIf(conjunction(outside), withBody(loop, body));
}

void setRanges(const Launch& launch, IndexSimplifier& simplify) {
  for (const auto* part : {&launch.grid, &launch.threads})
    for (const LaunchAxis& axis : *part)
      if (axis.var) simplify.setRange(axis.var, {0, axis.extent - 1});
}

class SimplifyIndicesPass {
 public:
  Stmt operator()(const Stmt& s) {
    switch (s->kind) {
    case StmtKind::For:
      return loop(s);
    case StmtKind::If:
      return conditional(s);
    case StmtKind::Sequence:
      return block(s);
    case StmtKind::Launch:
      setRanges(*s->launch, simplify_);
      simplify_.rememberSums();
      break;
    default:
      break;
    }
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); },
        [this](const Expr& e) { return simplify_(e); });
    return !mapped->body.empty() && isNothing(mapped->body[0]) ? nothing() : mapped;
  }

 private:
  Stmt loop(const Stmt& s) {
    simplify_.setRange(s->var, rangeOf(*s, simplify_));
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); },
        [this](const Expr& e) { return simplify_(e); });
    return isNothing(mapped->body[0]) ? nothing() : hoistConditions(mapped);
  }

  Stmt conditional(const Stmt& s) {
    Expr condition = simplify_(s->condition);
    if (isConst(condition, 0)) return nothing();
    Stmt body;
    simplify_.assuming(condition, [&] { body = (*this)(s->body[0]); });
    if (isNothing(body)) return nothing();
    if (isConst(condition, 1)) return body;
    return condition.sameAs(s->condition) ? withBody(s, body) : makeIf(condition, body);
  }

  Stmt block(const Stmt& s) {
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
    if (mapped->kind != StmtKind::Sequence ||
        std::none_of(mapped->body.begin(), mapped->body.end(), isNothing))
      return mapped;
    std::vector<Stmt> kept;
    for (const Stmt& child : mapped->body)
      if (!isNothing(child)) kept.push_back(child);
    return makeSequence(std::move(kept));
  }

  IndexSimplifier simplify_;
};

} // namespace

ValueRange rangeOf(const StmtNode& loop, IndexSimplifier& simplify) {
  ValueRange start = simplify.range(loop.min);
  return {start.low, start.high + loop.extent - 1};
}

Stmt simplifyIndices(const Stmt& s) {
  return SimplifyIndicesPass()(s);
}

IndexSimplifier simplifierFor(const Stmt& root) {
  IndexSimplifier simplify;
  visit(root, [&](const Stmt& s) {
    if (s->kind == StmtKind::For) simplify.setRange(s->var, rangeOf(*s, simplify));
    if (s->kind == StmtKind::Launch) setRanges(*s->launch, simplify);
  });
  return simplify;
}

} // namespace nestwright
