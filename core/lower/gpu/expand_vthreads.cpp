#include "core/lower/gpu/expand_vthreads.h"

#include "core/support/error.h"

#include <unordered_map>
#include <unordered_set>

namespace nestwright {
namespace {

class Expander {
 public:
  explicit Expander(const Stmt& loop) : var_(loop->var), extent_(loop->extent), loop_(loop) {}

  Stmt expand() {
    const Stmt& body = loop_->body[0];
    visit(body, [&](const Stmt& s) {
      if (s->kind == StmtKind::Allocate) inside_.insert(s->buffer.get());
    });
    std::size_t before = 0;
    do {
      before = touched_.size();
      findTouched(body, false);
    } while (touched_.size() != before);
    return statement(body);
  }

 private:
  bool depends(const Expr& e) const {
    bool found = false;
    if (e)
      nestwright::visit(e, [&](const Expr& node) {
        found |= node->kind == ExprKind::Var && node->var == var_;
        found |= node->kind == ExprKind::Load && touched_.contains(node->buffer.get());
        return !found;
      });
    return found;
  }
  /// Of the statement itself, not of what is inside it.
  bool depends(const StmtNode& s) const {
    return depends(s.min) || depends(s.value) || depends(s.condition) ||
           std::any_of(s.indices.begin(), s.indices.end(),
                       [&](const Expr& e) { return depends(e); });
  }

  /// Buffers in which something stored depends on the virtual thread.
  void findTouched(const Stmt& s, bool around) {
    around |= depends(*s);
    const bool stores = s->kind == StmtKind::Store || s->kind == StmtKind::Shuffle ||
                        s->kind == StmtKind::LoadFragment || s->kind == StmtKind::Mma;
    if (stores && around && inside_.contains(s->buffer.get())) touched_.insert(s->buffer.get());
    for (const Stmt& child : s->body)
      findTouched(child, around);
  }

  bool touches(const StmtNode& s) const {
    return depends(s) ||
           (s.kind != StmtKind::Allocate && s.buffer && touched_.contains(s.buffer.get()));
  }

  Stmt statement(const Stmt& s) {
    if (touches(*s)) return repeated(s);
    if (s->kind == StmtKind::Allocate && touched_.contains(s->buffer.get())) {
      std::vector<std::int64_t> shape = s->buffer->shape;
      shape.insert(shape.begin(), extent_);
      Buffer wide = makeBuffer(s->buffer->name, std::move(shape), s->buffer->type);
      wide_[s->buffer.get()] = wide;
      return makeAllocate(wide, s->scope, statement(s->body[0]));
    }
    return mapChildren(
        s, [&](const Stmt& child) { return statement(child); }, nullptr);
  }

  /// The statement for every virtual thread.
  Stmt repeated(const Stmt& s) {
    const Var own = makeVar(var_->name);
    const auto forOne = [&](const Expr& e) {
      return rewrite(e, [&](const Expr& node) -> Expr {
        if (node->kind == ExprKind::Var && node->var == var_) return Expr(own);
        if (node->kind != ExprKind::Load) return node;
        const auto wide = wide_.find(node->buffer.get());
        return wide == wide_.end() ? node : load(wide->second, withOwn(node->operands, own));
      });
    };
    Stmt loop = makeFor(own, 0, extent_, ForKind::Unrolled, widened(s, own, forOne));
    auto node = std::make_shared<StmtNode>(*loop);
    node->unrollMaxStep = loop_->unrollMaxStep;
    return node;
  }

  static std::vector<Expr> withOwn(std::vector<Expr> indices, const Var& own) {
    indices.insert(indices.begin(), Expr(own));
    return indices;
  }

  Stmt widened(const Stmt& s, const Var& own, const std::function<Expr(const Expr&)>& forOne) {
    NW_ASSERT(s->kind != StmtKind::Barrier && s->kind != StmtKind::ReduceThreads,
              "threads meet inside of virtual threads");
    Stmt mapped = mapChildren(
        s, [&](const Stmt& child) { return widened(child, own, forOne); }, forOne);
    const auto wide = s->buffer ? wide_.find(s->buffer.get()) : wide_.end();
    if (wide == wide_.end()) return mapped;
    auto node = std::make_shared<StmtNode>(*mapped);
    node->buffer = wide->second;
    node->indices = withOwn(node->indices, own);
    return node;
  }

  Var var_;
  std::int64_t extent_;
  Stmt loop_;
  std::unordered_set<const BufferNode*> inside_, touched_;
  std::unordered_map<const BufferNode*, Buffer> wide_;
};

} // namespace

Stmt expandVirtualThreads(const Stmt& s) {
  Stmt mapped = mapChildren(s, expandVirtualThreads, nullptr);
  if (mapped->kind != StmtKind::For || mapped->forKind != ForKind::VirtualThread) return mapped;
  return Expander(mapped).expand();
}

} // namespace nestwright
