#include "core/lower/loop_ir.h"

#include "core/support/error.h"

#include <algorithm>
#include <limits>

namespace nestwright {

Stmt makeFor(Var var, Expr min, std::int64_t extent, ForKind kind, Stmt body) {
  NW_ASSERT(extent >= 1, "loop {} has extent {}", var->name, extent);
  NW_ASSERT(body, "loop {} has no body", var->name);
  auto node = std::make_shared<StmtNode>();
  node->kind = StmtKind::For;
  node->var = std::move(var);
  node->min = std::move(min);
  node->extent = extent;
  node->forKind = kind;
  node->body = {std::move(body)};
  return node;
}

Stmt makeStore(Buffer buffer, std::vector<Expr> indices, Expr value) {
  NW_ASSERT(indices.size() == buffer->shape.size() || indices.size() == 1,
            "{} has {} dimensions, stored to with {} indices", buffer->name, buffer->shape.size(),
            indices.size());
  auto node = std::make_shared<StmtNode>();
  node->kind = StmtKind::Store;
  node->buffer = std::move(buffer);
  node->indices = std::move(indices);
  node->value = std::move(value);
  return node;
}

Stmt makeSequence(std::vector<Stmt> statements) {
  std::vector<Stmt> flat;
  for (Stmt& s : statements)
    if (s->kind == StmtKind::Sequence)
      flat.insert(flat.end(), s->body.begin(), s->body.end());
    else
      flat.push_back(std::move(s));
  if (flat.size() == 1) return flat[0];
  auto node = std::make_shared<StmtNode>();
  node->kind = StmtKind::Sequence;
  node->body = std::move(flat);
  return node;
}

Stmt makeAllocate(Buffer buffer, MemoryScope scope, Stmt body) {
  auto node = std::make_shared<StmtNode>();
  node->kind = StmtKind::Allocate;
  node->buffer = std::move(buffer);
  node->scope = scope;
  node->body = {std::move(body)};
  return node;
}

Stmt makeIf(Expr condition, Stmt then) {
  auto node = std::make_shared<StmtNode>();
  node->kind = StmtKind::If;
  node->condition = std::move(condition);
  node->body = {std::move(then)};
  return node;
}

Stmt makePrefetch(Buffer buffer, Expr index, PrefetchFor use) {
  auto node = std::make_shared<StmtNode>();
  node->kind = StmtKind::Prefetch;
  node->prefetchFor = use;
  node->buffer = std::move(buffer);
  node->indices = {std::move(index)};
  return node;
}

Stmt makeLaunch(Launch launch, Stmt body) {
  auto node = std::make_shared<StmtNode>();
  node->kind = StmtKind::Launch;
  node->launch = std::make_shared<const Launch>(std::move(launch));
  node->body = {std::move(body)};
  return node;
}

Stmt makeBarrier() {
  auto node = std::make_shared<StmtNode>();
  node->kind = StmtKind::Barrier;
  return node;
}

Stmt makeReduceThreads(Buffer buffer, std::vector<Expr> indices, Reducer reducer, Expr value,
                       Var thread, Expr condition) {
  auto node = std::make_shared<StmtNode>(
      *makeStore(std::move(buffer), std::move(indices), std::move(value)));
  node->kind = StmtKind::ReduceThreads;
  node->reducer = reducer;
  node->var = std::move(thread);
  node->condition = std::move(condition);
  return node;
}

Stmt makeShuffle(Buffer buffer, std::vector<Expr> indices, Expr value, ShuffleLanes lanes) {
  auto node = std::make_shared<StmtNode>(
      *makeStore(std::move(buffer), std::move(indices), std::move(value)));
  node->kind = StmtKind::Shuffle;
  node->shuffle = lanes;
  return node;
}

Stmt makeCopyAsync(Buffer buffer, std::vector<Expr> indices, Expr value) {
  auto node = std::make_shared<StmtNode>(
      *makeStore(std::move(buffer), std::move(indices), std::move(value)));
  node->kind = StmtKind::CopyAsync;
  return node;
}

Stmt makeCommit() {
  auto node = std::make_shared<StmtNode>();
  node->kind = StmtKind::Commit;
  return node;
}

Stmt makeWait(int pending) {
  auto node = std::make_shared<StmtNode>();
  node->kind = StmtKind::Wait;
  node->pending = pending;
  return node;
}

Stmt makeLoadFragment(const TensorInstruction& instruction, Buffer buffer,
                      std::vector<Expr> indices, Expr first, FragmentLoad fragment) {
  auto node = std::make_shared<StmtNode>(
      *makeStore(std::move(buffer), std::move(indices), std::move(first)));
  node->kind = StmtKind::LoadFragment;
  node->instruction = &instruction;
  node->fragment = fragment;
  return node;
}

Stmt makeMma(const TensorInstruction& instruction, Buffer buffer, std::vector<Expr> indices, Expr a,
             Expr b) {
  auto node = std::make_shared<StmtNode>(
      *makeStore(std::move(buffer), std::move(indices), std::move(a) * std::move(b)));
  node->kind = StmtKind::Mma;
  node->instruction = &instruction;
  return node;
}

bool isThreadLoop(ForKind kind) {
  return kind == ForKind::Block || kind == ForKind::Thread || kind == ForKind::VirtualThread;
}

bool storesElements(StmtKind kind) {
  return kind == StmtKind::Store || kind == StmtKind::Shuffle || kind == StmtKind::CopyAsync ||
         kind == StmtKind::LoadFragment || kind == StmtKind::Mma;
}

int lanesOf(const std::vector<Expr>& indices) {
  int lanes = 1;
  for (const Expr& index : indices)
    lanes = std::max<int>(lanes, index->type.lanes);
  return lanes;
}

std::int64_t statementsAfterUnrolling(const Stmt& s) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::int64_t count = storesElements(s->kind) ? 1 : 0;
  for (const Stmt& child : s->body)
    if (__builtin_add_overflow(count, statementsAfterUnrolling(child), &count)) return kMost;
  const bool isUnrolled = s->kind == StmtKind::For && s->forKind == ForKind::Unrolled;
  if (isUnrolled && __builtin_mul_overflow(count, s->extent, &count)) return kMost;
  return count;
}

Stmt withBody(const Stmt& s, Stmt body) {
  NW_ASSERT(s->body.size() == 1 && s->kind != StmtKind::Sequence, "a statement with one child");
  if (s->body[0] == body) return s;
  auto node = std::make_shared<StmtNode>(*s);
  node->body[0] = std::move(body);
  return node;
}

Stmt mapChildren(const Stmt& s, const std::function<Stmt(const Stmt&)>& f,
                 const std::function<Expr(const Expr&)>& g) {
  std::shared_ptr<StmtNode> copy;
  auto change = [&]() -> StmtNode& {
    if (!copy) copy = std::make_shared<StmtNode>(*s);
    return *copy;
  };
  auto mapExpr = [&](const Expr& e, auto&& assign) {
    if (e.get() == nullptr || g == nullptr) return;
    Expr mapped = g(e);
    if (!mapped.sameAs(e)) assign(std::move(mapped));
  };
  mapExpr(s->min, [&](Expr e) { change().min = std::move(e); });
  for (std::size_t i = 0; i < s->indices.size(); ++i)
    mapExpr(s->indices[i], [&](Expr e) { change().indices[i] = std::move(e); });
  mapExpr(s->value, [&](Expr e) { change().value = std::move(e); });
  mapExpr(s->condition, [&](Expr e) { change().condition = std::move(e); });
  bool nested = false;
  for (std::size_t i = 0; f && i < s->body.size(); ++i) {
    Stmt mapped = f(s->body[i]);
    if (mapped == s->body[i]) continue;
    nested |= s->kind == StmtKind::Sequence && mapped->kind == StmtKind::Sequence;
    change().body[i] = std::move(mapped);
  }
  if (nested) return makeSequence(std::move(copy->body));
  return copy ? Stmt(std::move(copy)) : s;
}

Stmt mapExprs(const Stmt& s, const std::function<Expr(const Expr&)>& g) {
  return mapChildren(
      s, [&](const Stmt& child) { return mapExprs(child, g); }, g);
}

void visit(const Stmt& s, const std::function<void(const Stmt&)>& f) {
  f(s);
  for (const Stmt& child : s->body)
    visit(child, f);
}

} // namespace nestwright
