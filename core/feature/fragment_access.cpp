#include "core/feature/fragment_access.h"

#include <algorithm>

namespace nestwright {

namespace {

struct TileShape {
  int rows = 1, columns = 1;
};

TileShape shapeOf(const StmtNode& load) {
  const TensorInstruction& instruction = *load.instruction;
  return load.fragment.operand == TensorOperand::A ? TileShape{instruction.m, instruction.k}
                                                   : TileShape{instruction.k, instruction.n};
}

/// The indices moved by so many elements with each iteration of a loop: along the outermost
/// dimension whose steps these are.
void moveWith(const Var& loop, std::int64_t stride, const BufferNode& buffer,
              std::vector<Expr>& indices) {
  std::int64_t place = indices.size() == buffer.shape.size() ? buffer.elements() : 1;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (indices.size() == buffer.shape.size()) place /= buffer.shape[d];
    if (stride < place || stride % place != 0) continue;
    indices[d] = indices[d] + Expr(loop) * Expr(stride / place);
    return;
  }
}

} // namespace

std::vector<std::int64_t> rowAddresses(const StmtNode& load, std::int64_t first) {
  const int elementBytes = load.value->buffer->type.elementBytes();
  const TileShape tile = shapeOf(load);
  const bool alongColumns = load.fragment.columnStride == 1;
  const std::int64_t stride = std::max(load.fragment.rowStride, load.fragment.columnStride);
  const int neighbours = kFragmentRowBytes / elementBytes;
  std::vector<std::int64_t> addresses;
  for (int start = 0; start < (alongColumns ? tile.columns : tile.rows); start += neighbours)
    for (int row = 0; row < (alongColumns ? tile.rows : tile.columns); ++row)
      addresses.push_back((first + row * stride + start) * elementBytes);
  return addresses;
}

std::vector<std::int64_t> laneAddresses(const StmtNode& load, const LaneValues& first, int number) {
  std::vector<std::int64_t> addresses;
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
    const TileElement element =
        fragmentElement(*load.instruction, load.fragment.operand, static_cast<int>(lane), number);
    addresses.push_back((first[lane] + element.row * load.fragment.rowStride +
                         element.column * load.fragment.columnStride) *
                        load.value->buffer->type.elementBytes());
  }
  return addresses;
}

MemoryAccess tileAccess(const StmtNode& load, std::vector<LoopAround> loops) {
  const Buffer& buffer = load.value->buffer;
  std::vector<Expr> indices = load.value->operands;
  const TileShape tile = shapeOf(load);
  const Var row = makeVar("row"), column = makeVar("column");
  moveWith(row, load.fragment.rowStride, *buffer, indices);
  moveWith(column, load.fragment.columnStride, *buffer, indices);
  loops.push_back({row.get(), static_cast<double>(tile.rows), false});
  loops.push_back({column.get(), static_cast<double>(tile.columns), false});
  return {buffer, indices, loops};
}

} // namespace nestwright
