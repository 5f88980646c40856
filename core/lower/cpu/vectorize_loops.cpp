#include "core/lower/cpu/vectorize_loops.h"

#include "core/lower/expand_lanes.h"
#include "core/lower/simplify_indices.h"
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
  case StmtKind::Sequence: {
    std::vector<Stmt> statements;
    for (const Stmt& child : s->body) {
      statements.push_back(expand(child, lanes));
      if (!statements.back()) return nullptr;
    }
    return makeSequence(std::move(statements));
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
  case StmtKind::Prefetch:
    NW_ASSERT(false, "hints come after vectors");
  case StmtKind::Launch:
  case StmtKind::Barrier:
  case StmtKind::ReduceThreads:
  case StmtKind::Shuffle:
  case StmtKind::CopyAsync:
  case StmtKind::Commit:
  case StmtKind::Wait:
  case StmtKind::LoadFragment:
  case StmtKind::Mma:
    NW_ASSERT(false, "a statement of a GPU program in one for a CPU");
  }
  return nullptr;
}

bool isContiguous(const Expr& lastIndex) {
  return lastIndex->type.isScalar() ||
         (lastIndex->kind == ExprKind::Ramp && isConst((*lastIndex)[1], 1));
}

/// True when the store and all its loads touch neighbouring elements, or one element for all lanes.
bool isContiguous(const StmtNode& store) {
  bool contiguous = isContiguous(store.indices.back());
  visit(store.value, [&](const Expr& e) {
    if (e->kind == ExprKind::Load && !e->operands.empty())
      contiguous &= isContiguous(e->operands.back());
    return contiguous;
  });
  return contiguous;
}

class VectorizeLoopsPass {
 public:
  /// With 0 bytes of a register, loops that nobody annotated stay as they are.
  VectorizeLoopsPass(const Stmt& root, int registerBytes)
      : registerBytes_(registerBytes), simplify_(simplifierFor(root)) {}

  Stmt operator()(const Stmt& s) {
    if (s->kind == StmtKind::For && s->forKind == ForKind::Vectorized) return annotated(s);
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
    if (s->kind == StmtKind::For && s->forKind == ForKind::Serial &&
        mapped->body[0]->kind == StmtKind::Store)
      return innermost(mapped);
    return mapped;
  }

 private:
  Stmt annotated(const Stmt& loop) {
    const std::int64_t lanes = lanesFor(loop->extent);
    if (lanes > 1 && isConst(loop->min, 0))
      if (Stmt done = chunks(loop, lanes)) return done;
    return (*this)(withKind(loop, ForKind::Serial));
  }

  /// Loops that nobody annotated, as any C compiler would do them.
  Stmt innermost(const Stmt& loop) {
    const StmtNode& store = *loop->body[0];
    if (loop->reduction || !isConst(loop->min, 0) || loop->extent < 2 || store.indices.empty() ||
        !store.indices.back()->type.isScalar())
      return loop;
    const std::int64_t native = registerBytes_ / store.buffer->type.elementBytes();
    const std::int64_t lanes = std::min(native, loop->extent);
    if (lanes < 2) return loop;
    LaneExpander trial(simplify_, loop->var, static_cast<int>(lanes));
    Stmt expanded = trial.store(loop->body[0]);
    if (!expanded || !isContiguous(*expanded)) return loop;
    Stmt done = chunks(loop, lanes);
    return done ? done : loop;
  }

  /// The loop in steps of `lanes` iterations, and a narrower last step where they do not divide.
  Stmt chunks(const Stmt& loop, std::int64_t lanes) {
    const std::int64_t count = loop->extent / lanes, rest = loop->extent % lanes;
    std::vector<Stmt> parts;
    if (count == 1) {
      parts.push_back(chunk(loop, 0, lanes));
    } else {
      Var outer = makeVar(loop->var->name);
      simplify_.setRange(outer, {0, count - 1});
      auto node = std::make_shared<StmtNode>(*withKind(loop, ForKind::Serial));
      node->var = outer;
      node->extent = count;
      node->body = {chunk(loop, Expr(outer) * Expr(lanes), lanes)};
      parts.push_back(node);
      if (!node->body[0]) return nullptr;
    }
    if (rest > 0) parts.push_back(chunk(loop, count * lanes, rest));
    if (!parts.front() || !parts.back()) return nullptr;
    return makeSequence(std::move(parts));
  }

  /// The iterations [start, start + lanes) as one; null when they cannot be.
  Stmt chunk(const Stmt& loop, const Expr& start, std::int64_t lanes) {
    Var lane = makeVar("lane");
    simplify_.setRange(lane, {0, lanes - 1});
    Expr iteration = lanes == 1 ? start : start + Expr(lane);
    Stmt body = mapExprs(loop->body[0], [&](const Expr& e) {
      return simplify_(
          substitute(e, [&](const Var& v) { return v == loop->var ? iteration : Expr(); }));
    });
    if (lanes == 1) return body;
    LaneExpander expander(simplify_, lane, static_cast<int>(lanes));
    return expand(body, expander);
  }

  int registerBytes_;
  IndexSimplifier simplify_;
};

} // namespace

Stmt vectorizeLoops(const Stmt& s, const LowerOptions& options) {
  return VectorizeLoopsPass(s, options.vectorBytes)(s);
}

Stmt vectorizeAnnotatedLoops(const Stmt& s) {
  return VectorizeLoopsPass(s, 0)(s);
}

} // namespace nestwright
