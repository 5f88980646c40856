#include "core/tensor/compute_dag.h"

namespace nestwright {

namespace {

enum class Operations : std::uint8_t { All, Multiplications };

/// Operations per evaluation of `e`: arithmetic on the element class of the result counts 1, index
/// arithmetic, literals, loads, casts and intrinsics count 0.
double cost(const Expr& e, DataType::Code counted, Operations which) {
  const auto costOf = [&](const Expr& operand) { return cost(operand, counted, which); };
  switch (e->kind) {
  case ExprKind::Load:
    return 0;
  case ExprKind::Select:
    return costOf(e[0]) + std::max(costOf(e[1]), costOf(e[2]));
  default:
    break;
  }
  double total = 0;
  for (const Expr& operand : e->operands)
    total += costOf(operand);
  if (which == Operations::Multiplications && e->kind != ExprKind::Mul) return total;
  const bool counts = isBinary(e->kind) ? e[0]->type.code == counted || e[1]->type.code == counted
                                        : e->kind == ExprKind::Not && e->type.code == counted;
  return counts ? total + 1 : total;
}

/// Of all elements, over the whole reduction.
double costOf(const OpNode& op, Operations which) {
  double perElement = cost(op.body, op.output->type.code, which);
  if (op.reducer) {
    // The combiner is one operation of the element type.
    if (which == Operations::All || *op.reducer == Reducer::Product) perElement += 1;
    for (const Axis& axis : op.reduceAxes)
      perElement *= static_cast<double>(axis.extent);
  }
  return perElement * static_cast<double>(op.output->elements());
}

} // namespace

double flops(const OpNode& op) {
  if (!op.isCompute()) return 0;
  if (op.attributes.flops) return static_cast<double>(*op.attributes.flops);
  return costOf(op, Operations::All);
}

double flops(const ComputeDag& dag) {
  double total = 0;
  for (const Op& op : dag.ops())
    total += flops(*op);
  return total;
}

double multiplications(const ComputeDag& dag) {
  double total = 0;
  for (const Op& op : dag.ops())
    if (op->isCompute()) total += costOf(*op, Operations::Multiplications);
  return total;
}

} // namespace nestwright
