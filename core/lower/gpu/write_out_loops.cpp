#include "core/lower/gpu/write_out_loops.h"

#include "core/lower/index_simplifier.h"

#include <unordered_map>

namespace nestwright {
namespace {

/// One iteration of a loop.
class Iteration {
 public:
  Iteration(const Var& var, std::int64_t value) : var_(var), value_(value) {}

  Stmt operator()(const Stmt& s) {
    if (s->kind == StmtKind::Allocate)
      own_[s->buffer.get()] = makeBuffer(s->buffer->name, s->buffer->shape, s->buffer->type);
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); },
        [this](const Expr& e) { return expression(e); });
    const auto own = s->buffer ? own_.find(s->buffer.get()) : own_.end();
    if (own == own_.end()) return mapped;
    auto node = std::make_shared<StmtNode>(*mapped);
    node->buffer = own->second;
    return node;
  }

 private:
  Expr expression(const Expr& e) {
    const Expr renamed = rewrite(e, [this](const Expr& node) -> Expr {
      if (node->kind == ExprKind::Var && node->var == var_) return intImm(value_, var_->type);
      if (node->kind != ExprKind::Load) return node;
      const auto own = own_.find(node->buffer.get());
      return own == own_.end() ? node : load(own->second, node->operands);
    });
    return renamed.sameAs(e) ? e : simplify_(renamed);
  }

  const Var& var_;
  std::int64_t value_;
  IndexSimplifier simplify_;
  std::unordered_map<const BufferNode*, Buffer> own_;
};

} // namespace

Stmt writeOutLoops(const Stmt& s) {
  Stmt mapped = mapChildren(s, writeOutLoops, nullptr);
  const std::int64_t* first = s->kind == StmtKind::For ? asInt(s->min) : nullptr;
  if (first == nullptr || s->forKind != ForKind::Unrolled) return mapped;
  std::vector<Stmt> iterations;
  for (std::int64_t i = 0; i < s->extent; ++i)
    iterations.push_back(Iteration(s->var, *first + i)(mapped->body[0]));
  return makeSequence(std::move(iterations));
}

} // namespace nestwright
