#include "core/tensor/neutral_terms.h"

#include <algorithm>

namespace nestwright {
namespace {

/// Whether a literal is as far out as numbers go. Accumulators begin at an infinity; padding of a
/// maximum has the lowest number in TVM's records and in our own, and stands for one.
bool isBeyond(ExprKind update, const Expr& e) {
  const bool low = update == ExprKind::Max;
  const Expr start = low ? lowestOf(e->type) : highestOf(e->type);
  if (e->kind == ExprKind::FloatImm) return low ? e->real <= start->real : e->real >= start->real;
  return low ? e->integer <= start->integer : e->integer >= start->integer;
}

/// The parts of a condition that must all hold, as far as they read no memory.
void addConjuncts(const Expr& condition, std::vector<Expr>& conjuncts) {
  if (condition->kind == ExprKind::And) {
    addConjuncts((*condition)[0], conjuncts);
    addConjuncts((*condition)[1], conjuncts);
  } else if (!readsMemory(condition)) {
    conjuncts.push_back(condition);
  }
}

void collect(ExprKind update, const Expr& e, std::vector<Expr>& conditions) {
  switch (e->kind) {
  case ExprKind::IfThenElse:
  case ExprKind::Select:
    if (!isNeutral(update, (*e)[2])) return;
    addConjuncts((*e)[0], conditions);
    return collect(update, (*e)[1], conditions);
  case ExprKind::Mul:
    if (update != ExprKind::Add) return;
    collect(update, (*e)[0], conditions);
    return collect(update, (*e)[1], conditions);
  case ExprKind::Cast:
    // What an accumulator begins with is of its own type.
    if (update == ExprKind::Add || update == ExprKind::Mul) collect(update, (*e)[0], conditions);
    return;
  default:
    return;
  }
}

} // namespace

std::vector<Expr> neutralUnless(ExprKind update, const Expr& operand) {
  std::vector<Expr> found, distinct;
  collect(update, operand, found);
  for (const Expr& condition : found)
    if (std::none_of(distinct.begin(), distinct.end(),
                     [&](const Expr& other) { return equalStructure(condition, other); }))
      distinct.push_back(condition);
  return distinct;
}

bool isNeutral(ExprKind update, const Expr& operand) {
  switch (update) {
  case ExprKind::Add:
    if (operand->kind == ExprKind::Mul)
      return isNeutral(update, (*operand)[0]) || isNeutral(update, (*operand)[1]);
    if (operand->kind == ExprKind::Cast) return isNeutral(update, (*operand)[0]);
    return isNumber(operand, 0);
  case ExprKind::Mul:
    if (operand->kind == ExprKind::Cast) return isNeutral(update, (*operand)[0]);
    return isNumber(operand, 1);
  case ExprKind::Min:
  case ExprKind::Max:
    return (operand->kind == ExprKind::IntImm || operand->kind == ExprKind::FloatImm) &&
           isBeyond(update, operand);
  default:
    return false;
  }
}

bool isNeutralPadding(const OpNode& padded, const OpNode& reader) {
  const bool isPadding = padded.isCompute() && !padded.reducer &&
                         padded.body->kind == ExprKind::IfThenElse &&
                         padded.body[1]->kind == ExprKind::Load;
  if (!isPadding || !reader.reducer) return false;
  const Expr inlined = rewrite(reader.body, [&](const Expr& e) -> Expr {
    if (e->kind != ExprKind::Load || e->buffer != padded.output) return e;
    return substitute(padded.body, [&](const Var& v) {
      for (std::size_t i = 0; i < padded.axes.size(); ++i)
        if (padded.axes[i].var == v) return e->operands[i];
      return Expr();
    });
  });
  return !neutralUnless(combination(*reader.reducer), inlined).empty();
}

} // namespace nestwright
