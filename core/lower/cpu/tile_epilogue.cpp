#include "core/lower/cpu/tile_epilogue.h"

#include <algorithm>

namespace nestwright {
namespace {

/// What a first-level cache holds. More comes from further away, in lines of which a tile reads a
/// part, and is better gone through in the order in which it lies.
constexpr std::int64_t kMostRead = 32 << 10;

bool isLoadOf(const Expr& e, const Buffer& buffer) {
  return e->kind == ExprKind::Load && e->buffer == buffer;
}

/// Which variable is the index of each dimension, when `load` reads another element in each
/// iteration of `loops`, and all of them.
std::optional<std::vector<Var>> variablesOf(const ExprNode& load, const std::vector<Stmt>& loops) {
  const std::vector<std::int64_t>& shape = load.buffer->shape;
  if (load.operands.size() != shape.size()) return std::nullopt;
  std::vector<Var> variables;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Expr& index = load.operands[i];
    const bool isOnlyOne = shape[i] == 1 && isConst(index, 0);
    const bool isOver = std::ranges::any_of(loops, [&](const Stmt& loop) {
      return index->kind == ExprKind::Var && loop->var == index->var && loop->extent == shape[i];
    });
    if (!isOnlyOne && !isOver) return std::nullopt;
    variables.push_back(isOver ? index->var : nullptr);
  }
  const bool isUsedOnce = std::ranges::all_of(
      loops, [&](const Stmt& loop) { return std::ranges::count(variables, loop->var) == 1; });
  return isUsedOnce ? std::optional(variables) : std::nullopt;
}

} // namespace

std::optional<TileEpilogue> epilogueOf(const StmtNode& allocate) {
  const Buffer& results = allocate.buffer;
  const Stmt& all = allocate.body[0];
  if (all->kind != StmtKind::Sequence) return std::nullopt;
  std::vector<Stmt> loops;
  Stmt store = all->body.back();
  for (; store->kind == StmtKind::For; store = store->body[0]) {
    if (store->forKind == ForKind::Parallel || store->reduction || !isConst(store->min, 0))
      return std::nullopt;
    loops.push_back(store);
  }
  if (store->kind != StmtKind::Store || store->buffer == results) return std::nullopt;
  const ExprNode* first = nullptr;
  bool fits = true;
  visit(store->value, [&](const Expr& e) {
    if (e->kind == ExprKind::Load && e->buffer != results)
      fits = fits && e->buffer->bytes() <= kMostRead;
    if (!isLoadOf(e, results)) return fits;
    if (first == nullptr) first = e.get();
    fits = fits && std::ranges::equal(e->operands, first->operands, equalStructure);
    return fits;
  });
  if (!fits || first == nullptr) return std::nullopt;
  std::optional<std::vector<Var>> at = variablesOf(*first, loops);
  if (!fits || !at) return std::nullopt;
  return TileEpilogue{results, std::move(*at), store};
}

Stmt finishedStore(const TileEpilogue& epilogue, const std::vector<Expr>& indices,
                   const Expr& value) {
  const auto here = [&](const Expr& e) {
    return substitute(e, [&](const Var& v) {
      const auto dimension = std::ranges::find(epilogue.at, v);
      return dimension == epilogue.at.end()
                 ? Expr()
                 : indices[static_cast<std::size_t>(dimension - epilogue.at.begin())];
    });
  };
  const std::function<Expr(const Expr&)> finished = [&](const Expr& e) {
    return isLoadOf(e, epilogue.results) ? value : mapOperands(e, finished);
  };
  std::vector<Expr> to;
  for (const Expr& index : epilogue.store->indices)
    to.push_back(here(index));
  return makeStore(epilogue.store->buffer, std::move(to), finished(here(epilogue.store->value)));
}

} // namespace nestwright
