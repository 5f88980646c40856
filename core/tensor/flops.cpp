#include "core/tensor/compute_dag.h"

namespace nestwright {

namespace {

/// Operations per evaluation of `e`: arithmetic on the element class of the result counts 1, index
/// arithmetic, literals, loads, casts and intrinsics count 0.
double cost(const Expr& e, DataType::Code counted) {
  switch (e->kind) {
  case ExprKind::Load:
    return 0;
  case ExprKind::Select:
    return cost(e[0], counted) + std::max(cost(e[1], counted), cost(e[2], counted));
  default:
    break;
  }
  double total = 0;
  for (const Expr& operand : e->operands)
    total += cost(operand, counted);
  const bool counts = isBinary(e->kind) ? e[0]->type.code == counted || e[1]->type.code == counted
                                        : e->kind == ExprKind::Not && e->type.code == counted;
  return counts ? total + 1 : total;
}

} // namespace

double flops(const OpNode& op) {
  if (!op.isCompute()) return 0;
  if (op.attributes.flops) return static_cast<double>(*op.attributes.flops);
  const DataType type = op.output->type;
  double perElement = cost(op.body, type.code);
  if (op.reducer) {
    // The combiner is one operation of the element type.
    perElement += 1;
    for (const Axis& axis : op.reduceAxes)
      perElement *= static_cast<double>(axis.extent);
  }
  return perElement * static_cast<double>(op.output->elements());
}

double flops(const ComputeDag& dag) {
  double total = 0;
  for (const Op& op : dag.ops())
    total += flops(*op);
  return total;
}

} // namespace nestwright
