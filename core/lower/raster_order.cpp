#include "core/lower/raster_order.h"

#include "core/schedule/block_grid.h"

namespace nestwright {

Stmt inRasterOrder(const Stmt& loop, const Stage& stage, const Iterator& blocks) {
  const BlockGrid grid = blockGrid(stage, blocks, loop->extent);
  if (grid.rows == 1 || grid.columns == 1) return loop;
  const Var block = makeVar(loop->var->name);
  // Groups of so many rows; what is left over at the end is a smaller one.
  const std::int64_t group = std::min<std::int64_t>(stage.rasterRows, grid.rows);
  const std::int64_t inWhole = grid.rows / group * group * grid.columns;
  const Expr number(block), size(group * grid.columns);
  const Expr within = floorMod(number, size);
  Expr row = floorDiv(number, size) * Expr(group) + floorMod(within, Expr(group));
  Expr column = floorDiv(within, Expr(group));
  if (const std::int64_t rest = grid.rows % group; rest > 0) {
    const Expr last = number - Expr(inWhole);
    const Expr whole = number < Expr(inWhole);
    row = select(whole, row, Expr(grid.rows - rest) + floorMod(last, Expr(rest)));
    column = select(whole, column, floorDiv(last, Expr(rest)));
  }
  const Expr inOrder = row * Expr(grid.columns) + column;
  Stmt body = mapExprs(loop->body[0], [&](const Expr& e) {
    return substitute(e, [&](const Var& v) { return v == loop->var ? inOrder : Expr(); });
  });
  auto node = std::make_shared<StmtNode>(*withBody(loop, std::move(body)));
  node->var = block;
  return node;
}

} // namespace nestwright
