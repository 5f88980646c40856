#include "core/lower/cpu/strip_parallel.h"

#include "core/lower/expand_lanes.h"
#include "core/lower/simplify_indices.h"
#include "core/support/error.h"

#include <map>
#include <set>

namespace nestwright {
namespace {

constexpr int kMaxVectors = 4;               // of a strip
constexpr std::int64_t kMaxBytes = 16 << 10; // of the body's buffers after widening

std::set<const BufferNode*> buffersOf(const Stmt& body) {
  std::set<const BufferNode*> own;
  visit(body, [&](const Stmt& s) {
    if (s->kind == StmtKind::Allocate) own.insert(s->buffer.get());
  });
  return own;
}

/// Calls `f` on every expression of the statement itself.
void visitExprs(const StmtNode& s, const std::function<void(const Expr&)>& f) {
  for (const Expr& e : {s.min, s.value, s.condition})
    if (e) f(e);
  for (const Expr& index : s.indices)
    f(index);
}

/// One parallel loop in strips.
class Strips {
 public:
  Strips(const Stmt& loop, std::int64_t size, const IndexSimplifier& simplify)
      : simplify_(simplify), size_(size), own_(buffersOf(loop->body[0])),
        strip_(makeVar(loop->var->name)), element_(makeVar(fmt::format("{}.e", loop->var->name))) {
    simplify_.setRange(strip_, {0, loop->extent / size - 1});
    simplify_.setRange(element_, {0, size - 1});
    const Expr iteration = Expr(strip_) * Expr(size) + Expr(element_);
    body_ = mapExprs(loop->body[0], [&](const Expr& e) {
      return simplify_(
          substitute(e, [&](const Var& v) { return v == loop->var ? iteration : Expr(); }));
    });
  }

  bool areWorthwhile();
  Stmt write(const Stmt& loop) {
    auto node = std::make_shared<StmtNode>(*loop);
    node->var = strip_;
    node->extent = loop->extent / size_;
    node->body = {distributed(widened(body_))};
    return node;
  }

 private:
  bool isNextOrStill(const Buffer& buffer, const std::vector<Expr>& indices, bool& moves);
  Stmt widened(const Stmt& s);
  Expr widened(const Expr& e);
  Stmt distributed(const Stmt& s);
  Stmt overStrip(const Stmt& s);

  IndexSimplifier simplify_;
  std::int64_t size_;
  std::set<const BufferNode*> own_;
  std::map<const BufferNode*, Buffer> wide_;
  Var strip_, element_;
  Stmt body_;
};

/// True when the access moves with the strip's elements by one element, or not at all.
bool Strips::isNextOrStill(const Buffer& buffer, const std::vector<Expr>& indices, bool& moves) {
  const std::optional<std::int64_t> step =
      coefficientOf(simplify_.linear(flatIndex(*buffer, indices)), element_);
  moves = step && *step == 1;
  return step && (*step == 0 || *step == 1);
}

bool Strips::areWorthwhile() {
  bool good = true, moves = false;
  std::int64_t bytes = 0;
  visit(body_, [&](const Stmt& s) {
    if (s->kind == StmtKind::Allocate) bytes += s->buffer->bytes() * size_;
    if (s->kind == StmtKind::For) good &= !uses(s->min, element_);
    if (s->kind == StmtKind::If) good &= !uses(s->condition, element_);
    if (s->kind == StmtKind::Store) {
      if (own_.contains(s->buffer.get()))
        good &= s->indices.size() == s->buffer->shape.size();
      else
        good &= isNextOrStill(s->buffer, s->indices, moves) && moves;
    }
    visitExprs(*s, [&](const Expr& root) {
      visit(root, [&](const Expr& e) {
        if (e->kind == ExprKind::IfThenElse || e->kind == ExprKind::Select)
          good &= !uses((*e)[0], element_);
        if (e->kind != ExprKind::Load) return good;
        good &= own_.contains(e->buffer.get()) ? e->operands.size() == e->buffer->shape.size()
                                               : isNextOrStill(e->buffer, e->operands, moves);
        return good;
      });
    });
  });
  return good && bytes <= kMaxBytes;
}

Expr Strips::widened(const Expr& e) {
  return rewrite(e, [&](const Expr& node) -> Expr {
    if (node->kind != ExprKind::Load || !own_.contains(node->buffer.get())) return node;
    std::vector<Expr> indices = node->operands;
    indices.emplace_back(element_);
    return load(wide_.at(node->buffer.get()), std::move(indices));
  });
}

/// The body with one element of its buffers for each of the strip.
Stmt Strips::widened(const Stmt& s) {
  const bool own = s->buffer && own_.contains(s->buffer.get());
  if (s->kind == StmtKind::Allocate) {
    std::vector<std::int64_t> shape = s->buffer->shape;
    shape.push_back(size_);
    wide_[s->buffer.get()] = makeBuffer(s->buffer->name, std::move(shape), s->buffer->type);
  }
  Stmt mapped = mapChildren(
      s, [&](const Stmt& child) { return widened(child); },
      [&](const Expr& e) { return widened(e); });
  if (!own) return mapped;
  auto node = std::make_shared<StmtNode>(*mapped);
  node->buffer = wide_.at(s->buffer.get());
  if (s->kind == StmtKind::Store) node->indices.emplace_back(element_);
  return node;
}

Stmt Strips::overStrip(const Stmt& s) {
  // Statements get loops of their own, which the later passes treat each in its way.
  Var element = makeVar(element_->name);
  const Stmt renamed = mapExprs(s, [&](const Expr& e) {
    return substitute(e, [&](const Var& v) { return v == element_ ? Expr(element) : Expr(); });
  });
  return makeFor(element, 0, size_, ForKind::Serial, renamed);
}

/// An element's start value and the loops that update it.
bool isInitialisedUpdate(const Stmt& s) {
  return s->kind == StmtKind::Sequence && s->body.size() == 2 &&
         s->body[0]->kind == StmtKind::Store && s->body[1]->kind == StmtKind::For &&
         s->body[1]->reduction;
}

/// The strip's loop around each statement.
Stmt Strips::distributed(const Stmt& s) {
  bool forks = false; // more than one thing happens inside
  visit(s, [&](const Stmt& inner) {
    forks |= inner->kind == StmtKind::Allocate || inner->kind == StmtKind::Sequence;
  });
  if (!forks || isInitialisedUpdate(s)) return overStrip(s);
  if (s->kind == StmtKind::Sequence) {
    std::vector<Stmt> statements;
    for (std::size_t i = 0; i < s->body.size(); ++i) {
      Stmt pair = i + 1 < s->body.size() ? makeSequence({s->body[i], s->body[i + 1]}) : nullptr;
      const bool together = pair && isInitialisedUpdate(pair);
      statements.push_back(together ? overStrip(pair) : distributed(s->body[i]));
      if (together) ++i;
    }
    return makeSequence(std::move(statements));
  }
  return withBody(s, distributed(s->body[0]));
}

class StripParallelPass {
 public:
  StripParallelPass(const Stmt& root, const LowerOptions& options)
      : options_(options), simplify_(simplifierFor(root)) {}

  Stmt operator()(const Stmt& s) {
    if (s->kind == StmtKind::For && s->forKind == ForKind::Parallel) return parallel(s);
    return mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
  }

 private:
  Stmt parallel(const Stmt& loop) {
    if (!isConst(loop->min, 0)) return loop;
    const std::int64_t native = options_.vectorBytes / 4;
    for (std::int64_t size = native * kMaxVectors; size >= native; size /= 2) {
      if (loop->extent % size != 0 || loop->extent / size < leastStrips(options_.cores)) continue;
      Strips strips(loop, size, simplify_);
      if (strips.areWorthwhile()) return strips.write(loop);
    }
    return loop;
  }

  const LowerOptions& options_;
  IndexSimplifier simplify_;
};

} // namespace

Stmt stripParallelLoops(const Stmt& s, const LowerOptions& options) {
  return StripParallelPass(s, options)(s);
}

} // namespace nestwright
