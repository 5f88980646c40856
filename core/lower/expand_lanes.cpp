#include "core/lower/expand_lanes.h"

#include "core/support/error.h"

namespace nestwright {

Expr flatIndex(const BufferNode& buffer, const std::vector<Expr>& indices) {
  if (indices.size() != buffer.shape.size()) return indices[0];
  Expr position = 0;
  for (std::size_t i = 0; i < indices.size(); ++i)
    position = i == 0 ? indices[0] : position * Expr(buffer.shape[i]) + indices[i];
  return position;
}

Expr loadAt(const Buffer& buffer, std::vector<Expr> indices) {
  if (indices.size() == buffer->shape.size()) return load(buffer, std::move(indices));
  NW_ASSERT(indices.size() == 1, "{} loaded with {} indices", buffer->name, indices.size());
  ExprNode node{ExprKind::Load, buffer->type.withLanes(indices[0]->type.lanes), std::move(indices)};
  node.buffer = buffer;
  return Expr(std::make_shared<const ExprNode>(std::move(node)));
}

Expr LaneExpander::widened(const Expr& e) const {
  return e->type.isScalar() ? broadcast(e, lanes_) : e;
}

Stmt LaneExpander::store(const Stmt& s) {
  Expr value = expand(s->value);
  if (!value) return nullptr;
  std::vector<Expr> indices = expandIndices(*s->buffer, s->indices);
  if (indices.empty() || indices.back()->type.isScalar()) return nullptr;
  return makeStore(s->buffer, std::move(indices), widened(value));
}

Expr LaneExpander::expand(const Expr& e) {
  switch (e->kind) {
  case ExprKind::IntImm:
  case ExprKind::FloatImm:
    return e;
  case ExprKind::Load:
    return expandLoad(e);
  case ExprKind::Var:
    if (e->var != lane_) return e;
    return ramp(intImm(0, e->type), intImm(1, e->type), lanes_);
  default:
    break;
  }
  if (e->type.code == DataType::Code::Int && e->type.isScalar()) return expandInteger(e);
  return expandOperands(e);
}

Expr LaneExpander::expandInteger(const Expr& e) {
  if (!uses(e, lane_)) return e;
  LinearForm form = simplify_.linear(e);
  std::optional<std::int64_t> stride = coefficientOf(form, lane_);
  if (!stride) return expandOperands(e);
  std::erase_if(form.terms, [&](const LinearForm::Term& term) {
    return term.atom->kind == ExprKind::Var && term.atom->var == lane_;
  });
  if (*stride == 0) return toExpr(form);
  return ramp(toExpr(form), intImm(*stride, e->type), lanes_);
}

Expr LaneExpander::expandLoad(const Expr& e) {
  std::vector<Expr> indices = expandIndices(*e->buffer, e->operands);
  if (indices.size() != e->operands.size() && indices.empty()) return {};
  return loadAt(e->buffer, std::move(indices));
}

/// One index per dimension while only the last one is a vector, one flattened index otherwise; none
/// when they cannot be expanded.
std::vector<Expr> LaneExpander::expandIndices(const BufferNode& buffer,
                                              const std::vector<Expr>& indices) {
  std::vector<Expr> expanded;
  for (const Expr& index : indices) {
    if (!uses(index, lane_)) {
      expanded.push_back(index);
      continue;
    }
    Expr lanes = &index == &indices.back() ? expandInteger(index) : Expr();
    if (lanes.get() != nullptr && (lanes->type.isScalar() || lanes->kind == ExprKind::Ramp)) {
      expanded.push_back(lanes);
      continue;
    }
    Expr flat = expandInteger(simplify_(flatIndex(buffer, indices)));
    if (!flat) return {};
    return {flat};
  }
  return expanded;
}

Expr LaneExpander::expandOperands(const Expr& e) {
  std::vector<Expr> operands;
  bool changed = false, vector = false;
  for (const Expr& operand : e->operands) {
    operands.push_back(expand(operand));
    if (!operands.back()) return {};
    changed |= !operands.back().sameAs(operand);
    vector |= !operands.back()->type.isScalar();
  }
  if (!changed) return e;
  bool keepsCondition = e->kind == ExprKind::IfThenElse ||
                        (e->kind == ExprKind::Select && operands[0]->type.isScalar());
  if (e->kind == ExprKind::IfThenElse && !operands[0]->type.isScalar()) return {};
  if (vector)
    for (std::size_t i = keepsCondition ? 1 : 0; i < operands.size(); ++i)
      operands[i] = widened(operands[i]);
  ExprNode node = *e;
  node.operands = std::move(operands);
  if (vector) node.type = node.type.withLanes(lanes_);
  return Expr(std::make_shared<const ExprNode>(std::move(node)));
}

} // namespace nestwright
