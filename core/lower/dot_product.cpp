#include "core/lower/dot_product.h"

#include <algorithm>

namespace nestwright {
namespace {

bool usesIn(const std::vector<Expr>& all, const Var& var) {
  return std::ranges::any_of(all, [&](const Expr& e) { return uses(e, var); });
}

} // namespace

int dotLength(const Expr& operand, const DotProducts& available) {
  const std::optional<DotFactors> factors = dotFactors(operand);
  return factors && available.atOnce(operand->type.isFloat()) > 0 ? factors->length : 0;
}

std::optional<DotProduct> dotProduct(const StmtNode& loop) {
  if (loop.kind != StmtKind::For || loop.forKind != ForKind::Unrolled || !isConst(loop.min, 0))
    return std::nullopt;
  const StmtNode& store = *loop.body[0];
  if (store.kind != StmtKind::Store || store.value->kind != ExprKind::Add) return std::nullopt;
  const Expr& own = (*store.value)[0];
  if (own->kind != ExprKind::Load || own->buffer != store.buffer ||
      !std::ranges::equal(own->operands, store.indices, equalStructure) ||
      usesIn(store.indices, loop.var))
    return std::nullopt;
  const std::optional<DotFactors> factors = dotFactors((*store.value)[1]);
  if (!factors || factors->length != loop.extent || usesIn(factors->first.conditions, loop.var) ||
      usesIn(factors->second.conditions, loop.var))
    return std::nullopt;
  const Buffer& a = factors->first.load->buffer;
  if (a == store.buffer || factors->second.load->buffer == store.buffer) return std::nullopt;
  return DotProduct{loop.var, factors->length, factors->first, factors->second};
}

Var dotCopy(const StmtNode& loop) {
  if (loop.kind != StmtKind::For || loop.forKind != ForKind::Unrolled || !isConst(loop.min, 0) ||
      (loop.extent != 2 && loop.extent != 4))
    return nullptr;
  const StmtNode& store = *loop.body[0];
  const bool copies = store.kind == StmtKind::Store && store.value->kind == ExprKind::Load &&
                      store.value->buffer != store.buffer;
  return copies ? loop.var : nullptr;
}

} // namespace nestwright
