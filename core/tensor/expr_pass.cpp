#include "core/tensor/expr.h"

#include <algorithm>
#include <bit>

namespace nestwright {

bool isBinary(ExprKind kind) {
  return kind >= ExprKind::Add && kind <= ExprKind::Or;
}

bool isConst(const Expr& e, std::int64_t value) {
  return e->kind == ExprKind::IntImm && e->integer == value;
}

bool isNumber(const Expr& e, double value) {
  return e->kind == ExprKind::FloatImm
             ? e->real == value
             : e->kind == ExprKind::IntImm && static_cast<double>(e->integer) == value;
}

bool isZero(const Expr& e) {
  return e->kind == ExprKind::Broadcast ? isZero((*e)[0]) : isNumber(e, 0);
}

const std::int64_t* asInt(const Expr& e) {
  return e->kind == ExprKind::IntImm ? &e->integer : nullptr;
}

bool equalStructure(const Expr& a, const Expr& b) {
  if (a.sameAs(b)) return true;
  if (!a || !b || a->kind != b->kind || a->type != b->type ||
      a->operands.size() != b->operands.size())
    return false;
  switch (a->kind) {
  case ExprKind::IntImm:
    if (a->integer != b->integer) return false;
    break;
  case ExprKind::FloatImm:
    // By bits: a NaN equals itself, and 0 is not -0.
    if (std::bit_cast<std::uint64_t>(a->real) != std::bit_cast<std::uint64_t>(b->real))
      return false;
    break;
  case ExprKind::Var:
    if (a->var != b->var) return false;
    break;
  case ExprKind::Call:
    if (a->intrinsic != b->intrinsic) return false;
    break;
  case ExprKind::Load:
    if (a->buffer != b->buffer) return false;
    break;
  default:
    break;
  }
  return std::equal(a->operands.begin(), a->operands.end(), b->operands.begin(), equalStructure);
}

void visit(const Expr& e, const std::function<bool(const Expr&)>& f) {
  if (!f(e)) return;
  for (const Expr& operand : e->operands)
    visit(operand, f);
}

bool readsMemory(const Expr& e) {
  return e->kind == ExprKind::Load ||
         std::any_of(e->operands.begin(), e->operands.end(), readsMemory);
}

Expr mapOperands(const Expr& e, const std::function<Expr(const Expr&)>& f) {
  std::vector<Expr> operands;
  for (std::size_t i = 0; i < e->operands.size(); ++i) {
    Expr mapped = f(e[i]);
    if (operands.empty()) {
      if (mapped.sameAs(e[i])) continue;
      operands = e->operands;
    }
    operands[i] = std::move(mapped);
  }
  if (operands.empty()) return e;
  if (e->kind == ExprKind::Load && operands.size() != e->buffer->shape.size()) {
    // One index into the flattened buffer, which only the loop IR has.
    ExprNode node = *e;
    node.type = e->buffer->type.withLanes(operands[0]->type.lanes);
    node.operands = std::move(operands);
    return Expr(std::make_shared<const ExprNode>(std::move(node)));
  }
  // Through the makers, so that types stay consistent and literals fold.
  switch (e->kind) {
  case ExprKind::Not:
    return logicalNot(operands[0]);
  case ExprKind::Select:
    return select(operands[0], operands[1], operands[2]);
  case ExprKind::IfThenElse:
    return ifThenElse(operands[0], operands[1], operands[2]);
  case ExprKind::Cast:
    return cast(e->type.withLanes(operands[0]->type.lanes), operands[0]);
  case ExprKind::Call:
    return call(e->intrinsic, std::move(operands));
  case ExprKind::Load:
    return load(e->buffer, std::move(operands));
  case ExprKind::Ramp:
    return ramp(operands[0], operands[1], e->type.lanes);
  case ExprKind::Broadcast:
    return broadcast(operands[0], e->type.lanes);
  default:
    return binary(e->kind, operands[0], operands[1]);
  }
}

Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& f) {
  return f(mapOperands(e, [&](const Expr& operand) { return rewrite(operand, f); }));
}

Expr substitute(const Expr& e, const std::function<Expr(const Var&)>& value) {
  if (e->kind == ExprKind::Var) {
    Expr replacement = value(e->var);
    return replacement ? replacement : e;
  }
  return mapOperands(e, [&](const Expr& operand) { return substitute(operand, value); });
}

bool uses(const Expr& e, const Var& var) {
  if (e->kind == ExprKind::Var) return e->var == var;
  return std::any_of(e->operands.begin(), e->operands.end(),
                     [&](const Expr& operand) { return uses(operand, var); });
}

} // namespace nestwright
