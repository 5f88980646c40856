#include "core/lower/gpu/unroll_registers.h"

#include <optional>
#include <unordered_set>

namespace nestwright {
namespace {

/// Tensor instructions that loops around them are written out to at most.
constexpr std::int64_t kMostInstructions = 256;

/// Tensor instructions that a statement executes; nothing for one that waits for other threads, or
/// whose loops have no known length.
std::optional<std::int64_t> instructionsOf(const Stmt& s) {
  if (s->kind == StmtKind::Barrier || s->kind == StmtKind::Commit || s->kind == StmtKind::Wait)
    return std::nullopt;
  if (s->kind == StmtKind::Mma) return 1;
  std::int64_t sum = 0;
  for (const Stmt& child : s->body) {
    const std::optional<std::int64_t> inside = instructionsOf(child);
    if (!inside) return std::nullopt;
    sum += *inside;
  }
  return s->kind == StmtKind::For ? sum * s->extent : sum;
}

/// A serial loop whose iterations multiply tiles that each of them loads.
bool multipliesTiles(const Stmt& loop) {
  if (loop->forKind != ForKind::Serial || !isConst(loop->min, 0)) return false;
  const std::optional<std::int64_t> instructions = instructionsOf(loop);
  return instructions && *instructions > 0 && *instructions <= kMostInstructions;
}

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
    if (s->kind != StmtKind::For) return mapped;
    if (!indexing_.contains(s->var.get()) && !multipliesTiles(s)) return mapped;
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
