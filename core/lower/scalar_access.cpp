#include "core/lower/scalar_access.h"

#include "core/lower/expand_lanes.h"

namespace nestwright {

namespace {

/// The value of a vector expression in one lane; null when it is no arithmetic over ramps.
Expr inLane(const Expr& e, const Var& lane) {
  if (e->type.isScalar()) return e;
  switch (e->kind) {
  case ExprKind::Ramp:
    return (*e)[0] + Expr(lane) * (*e)[1];
  case ExprKind::Broadcast:
    return (*e)[0];
  case ExprKind::Add:
  case ExprKind::Sub:
  case ExprKind::Mul:
  case ExprKind::FloorDiv:
  case ExprKind::FloorMod: {
    const Expr a = inLane((*e)[0], lane), b = inLane((*e)[1], lane);
    return a && b ? binary(e->kind, a, b) : Expr();
  }
  default:
    return {};
  }
}

/// One index per dimension of the element at a row-major position.
std::vector<Expr> unflattened(const BufferNode& buffer, const Expr& position,
                              IndexSimplifier& simplify) {
  std::vector<Expr> indices(buffer.shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0;) {
    Expr index = floorDiv(position, Expr(stride));
    if (d > 0) index = floorMod(index, Expr(buffer.shape[d]));
    indices[d] = simplify(index);
    stride *= buffer.shape[d];
  }
  return indices;
}

} // namespace

std::optional<ScalarAccess> scalarAccess(const BufferNode& buffer, const std::vector<Expr>& indices,
                                         IndexSimplifier& simplify) {
  ScalarAccess access;
  for (const Expr& index : indices)
    access.lanes = std::max<int>(access.lanes, index->type.lanes);
  if (access.lanes > 1) {
    access.lane = makeVar("lane");
    simplify.setRange(access.lane, {0, access.lanes - 1});
  }
  for (const Expr& index : indices) {
    const Expr scalar = inLane(index, access.lane);
    if (!scalar) return std::nullopt;
    access.indices.push_back(simplify(scalar));
  }
  const Expr flat = flatIndex(buffer, access.indices);
  access.position = simplify.linear(flat);
  if (indices.size() != buffer.shape.size()) access.indices = unflattened(buffer, flat, simplify);
  return access;
}

} // namespace nestwright
