#include "core/lower/gpu/unroll_registers.h"

#include <unordered_set>

namespace nestwright {
namespace {

class Unroller {
 public:
  explicit Unroller(const Stmt& root) {
    visit(root, [&](const Stmt& s) {
      if (s->kind == StmtKind::Allocate && s->scope == MemoryScope::Register)
        registers_.insert(s->buffer.get());
    });
    visit(root, [&](const Stmt& s) {
      if (s->buffer) find(s->buffer, s->indices);
      for (const Expr& read : {s->value, s->condition})
        if (read)
          nestwright::visit(read, [&](const Expr& e) {
            if (e->kind == ExprKind::Load) find(e->buffer, e->operands);
            return true;
          });
    });
  }

  Stmt operator()(const Stmt& s) const {
    Stmt mapped = mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
    if (s->kind != StmtKind::For || !indexing_.contains(s->var.get())) return mapped;
    auto node = std::make_shared<StmtNode>(*mapped);
    node->forKind = ForKind::Unrolled;
    return node;
  }

 private:
  void find(const Buffer& buffer, const std::vector<Expr>& indices) {
    if (!registers_.contains(buffer.get())) return;
    for (const Expr& index : indices)
      nestwright::visit(index, [&](const Expr& e) {
        if (e->kind == ExprKind::Var) indexing_.insert(e->var.get());
        return true;
      });
  }

  std::unordered_set<const BufferNode*> registers_;
  std::unordered_set<const VarNode*> indexing_;
};

} // namespace

Stmt unrollRegisterLoops(const Stmt& s) {
  return Unroller(s)(s);
}

} // namespace nestwright
