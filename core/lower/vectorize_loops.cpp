#include "core/lower/vectorize_loops.h"

#include "core/lower/expand_lanes.h"
#include "core/support/error.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxLanes = 64;

std::int64_t lanesFor(std::int64_t extent) {
  std::int64_t lanes = std::min(extent, kMaxLanes);
  while (extent % lanes != 0)
    --lanes;
  return lanes;
}

Stmt withKind(const Stmt& loop, ForKind kind) {
  auto node = std::make_shared<StmtNode>(*loop);
  node->forKind = kind;
  return node;
}

/// The statement over all lanes; null when it cannot be.
Stmt expand(const Stmt& s, LaneExpander& lanes) {
  switch (s->kind) {
  case StmtKind::Store:
    return lanes.store(s);
  case StmtKind::Allocate:
    return nullptr;
  case StmtKind::Block: {
    std::vector<Stmt> statements;
    for (const Stmt& child : s->body) {
      statements.push_back(expand(child, lanes));
      if (!statements.back()) return nullptr;
    }
    return makeBlock(std::move(statements));
  }
  case StmtKind::For:
  case StmtKind::If: {
    const Expr& e = s->kind == StmtKind::For ? s->min : s->condition;
    Expr expanded = lanes.expand(e);
    if (!expanded.sameAs(e) || (s->kind == StmtKind::For && s->forKind == ForKind::Parallel))
      return nullptr;
    Stmt body = expand(s->body[0], lanes);
    return body ? withBody(s, body) : nullptr;
  }
  }
  return nullptr;
}

class Pass {
 public:
  Stmt operator()(const Stmt& s) {
    if (s->kind == StmtKind::For) simplify_.setRange(s->var, rangeOf(*s));
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
    if (s->kind != StmtKind::For || s->forKind != ForKind::Vectorized) return mapped;
    return vectorized(mapped);
  }

 private:
  Interval rangeOf(const StmtNode& loop) {
    Interval start = simplify_.range(loop.min);
    return {start.low, start.high + loop.extent - 1};
  }

  Stmt vectorized(const Stmt& loop) {
    std::int64_t lanes = lanesFor(loop->extent);
    if (lanes == 1 || !isConst(loop->min, 0)) return withKind(loop, ForKind::Serial);
    if (lanes == loop->extent) {
      LaneExpander expander(simplify_, loop->var, static_cast<int>(lanes));
      Stmt expanded = expand(loop->body[0], expander);
      return expanded ? expanded : withKind(loop, ForKind::Serial);
    }
    Var outer = makeVar(loop->var->name), lane = makeVar(fmt::format("{}.lane", loop->var->name));
    simplify_.setRange(outer, {0, loop->extent / lanes - 1});
    simplify_.setRange(lane, {0, lanes - 1});
    auto replace = [&](const Expr& e) {
      return substitute(e, [&](const Var& v) {
        return v == loop->var ? Expr(outer) * Expr(lanes) + Expr(lane) : Expr();
      });
    };
    std::function<Stmt(const Stmt&)> replaceAll = [&](const Stmt& s) {
      return mapChildren(s, replaceAll, replace);
    };
    LaneExpander expander(simplify_, lane, static_cast<int>(lanes));
    Stmt expanded = expand(replaceAll(loop->body[0]), expander);
    if (!expanded) return withKind(loop, ForKind::Serial);
    auto node = std::make_shared<StmtNode>(*withKind(loop, ForKind::Serial));
    node->var = outer;
    node->extent = loop->extent / lanes;
    node->body = {expanded};
    return node;
  }

  IndexSimplifier simplify_;
};

} // namespace

Stmt vectorizeLoops(const Stmt& s) {
  return Pass()(s);
}

} // namespace nestwright
