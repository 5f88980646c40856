#include "core/lower/raster_order.h"

#include "core/schedule/block_grid.h"

namespace nestwright {

Stmt inRasterOrder(const Stmt& loop, const Stage& stage, const Iterator& blocks) {
  const BlockGrid grid = blockGrid(stage, blocks, loop->extent);
  if (grid.rows == 1 || grid.columns == 1) return loop;
  // Groups of as many rows as there are in each of them alike.
  std::int64_t group = std::min<std::int64_t>(stage.rasterRows, grid.rows);
  while (grid.rows % group != 0)
    --group;
  if (group == 1) return loop;
  const Var block = makeVar(loop->var->name);
  const Expr number(block), size(group * grid.columns);
  const Expr within = floorMod(number, size);
  const Expr row = floorDiv(number, size) * Expr(group) + floorMod(within, Expr(group));
  const Expr column = floorDiv(within, Expr(group));
  const Expr inOrder = row * Expr(grid.columns) + column;
  Stmt body = mapExprs(loop->body[0], [&](const Expr& e) {
    return substitute(e, [&](const Var& v) { return v == loop->var ? inOrder : Expr(); });
  });
  auto node = std::make_shared<StmtNode>(*withBody(loop, std::move(body)));
  node->var = block;
  return node;
}

} // namespace nestwright
