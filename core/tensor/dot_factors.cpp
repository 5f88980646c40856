#include "core/tensor/dot_factors.h"

namespace nestwright {
namespace {

/// What a factor is when the lanes, the conversion and the conditions around the load are taken
/// off.
std::optional<DotFactor> factorOf(Expr e, DataType sum) {
  DotFactor factor;
  bool converted = false;
  while (e->kind != ExprKind::Load) {
    if (e->kind == ExprKind::IfThenElse && (*e)[0]->type.isScalar() && !readsMemory((*e)[0]) &&
        isZero((*e)[2])) {
      factor.conditions.push_back((*e)[0]);
      e = Expr((*e)[1]);
    } else if (e->kind == ExprKind::Cast && !converted && e->type.element() == sum) {
      converted = true;
      e = Expr((*e)[0]);
    } else if (e->kind == ExprKind::Broadcast) {
      e = Expr((*e)[0]);
    } else {
      return std::nullopt;
    }
  }
  factor.load = e;
  return converted ? std::optional(factor) : std::nullopt;
}

} // namespace

std::optional<DotFactors> dotFactors(const Expr& term) {
  if (term->kind != ExprKind::Mul) return std::nullopt;
  const DataType sum = term->type.element();
  std::optional<DotFactor> a = factorOf((*term)[0], sum), b = factorOf((*term)[1], sum);
  if (!a || !b) return std::nullopt;
  const DataType left = a->load->type.element(), right = b->load->type.element();
  if (sum == kFloat32 && left == kBFloat16 && right == kBFloat16) return DotFactors{*a, *b, 2};
  if (sum != kInt32) return std::nullopt;
  if (left == kUInt8 && right == kInt8) return DotFactors{*a, *b, 4};
  if (left == kInt8 && right == kUInt8) return DotFactors{*b, *a, 4};
  return std::nullopt;
}

} // namespace nestwright
