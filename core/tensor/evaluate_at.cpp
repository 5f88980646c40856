#include "core/tensor/evaluate_at.h"

#include "core/support/error.h"
#include "core/tensor/evaluate_expr.h"
#include "core/tensor/half.h"
#include "core/tensor/scalar_arithmetic.h"

namespace nestwright {
namespace {

/// Operations on numbers of 16 bits round (core/tensor/half.h).
double rounded(const Expr& e, double value) {
  return e->type.isHalf() ? roundedTo(value, e->type) : value;
}

} // namespace

double ElementEvaluator::element(const Op& op, std::int64_t n) {
  if (op->kind == OpNode::Kind::Constant) return op->values[static_cast<std::size_t>(n)];
  if (!op->isCompute()) return input_(op, n);
  auto& known = known_[op.get()];
  if (const auto found = known.find(n); found != known.end()) return found->second;
  const double value = computed(op, n);
  known_[op.get()][n] = value;
  return value;
}

double ElementEvaluator::computed(const Op& op, std::int64_t n) {
  Position position(op->axes.size() + op->reduceAxes.size());
  for (std::size_t i = op->axes.size(); i-- > 0;) {
    position[i] = {op->axes[i].var.get(), n % op->axes[i].extent};
    n /= op->axes[i].extent;
  }
  if (!op->reducer) return stored(value(op->body, position), op->output->type);
  for (std::size_t i = 0; i < op->reduceAxes.size(); ++i)
    position[op->axes.size() + i] = {op->reduceAxes[i].var.get(), 0};
  double sum = literal(identity(*op->reducer, op->output->type));
  for (;;) {
    sum = accumulated(*op->reducer, sum, value(op->body, position), op->output->type);
    std::size_t axis = op->reduceAxes.size();
    for (; axis-- > 0;) {
      std::int64_t& at = position[op->axes.size() + axis].second;
      if (++at < op->reduceAxes[axis].extent) break;
      at = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) return stored(sum, op->output->type);
  }
}

double ElementEvaluator::value(const Expr& e, const Position& position) {
  ++steps_;
  const auto operand = [&](std::size_t i) { return value(e[i], position); };
  switch (e->kind) {
  case ExprKind::IntImm:
  case ExprKind::FloatImm:
    return literal(e);
  case ExprKind::Var:
    for (const auto& [var, at] : position)
      if (var == e->var.get()) return static_cast<double>(at);
    NW_ASSERT(false, "the variable {} belongs to no axis", e->var->name);
    return 0;
  case ExprKind::Not:
    return operand(0) == 0;
  case ExprKind::Select:
  case ExprKind::IfThenElse:
    return operand(0) != 0 ? operand(1) : operand(2);
  case ExprKind::Cast:
    return applyCast(e[0]->type, e->type, operand(0));
  case ExprKind::Call:
    return rounded(
        e, applyIntrinsic(e->intrinsic, operand(0), e->operands.size() > 1 ? operand(1) : 0));
  case ExprKind::Load:
    return loaded(e, position);
  default:
    return rounded(e, applyBinary(e->kind, e->type, operand(0), operand(1)));
  }
}

double ElementEvaluator::loaded(const Expr& e, const Position& position) {
  std::int64_t n = 0;
  for (std::size_t d = 0; d < e->operands.size(); ++d) {
    const auto index = static_cast<std::int64_t>(value(e[d], position));
    const std::int64_t extent = e->buffer->shape[d];
    if (index < 0 || index >= extent) failOutside(*e->buffer, d, index);
    n = n * extent + index;
  }
  const int op = dag_.indexOf(e->buffer);
  NW_ASSERT(op >= 0, "no operator defines {}", e->buffer->name);
  return element(dag_[static_cast<std::size_t>(op)], n);
}

} // namespace nestwright
