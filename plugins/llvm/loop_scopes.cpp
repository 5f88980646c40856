#include "plugins/llvm/loop_scopes.h"

#include "core/support/error.h"

#include <algorithm>

namespace nestwright::llvm_backend {

LoopScopes::LoopScopes(llvm::IRBuilder<>& builder, llvm::BasicBlock* entry) : builder_(builder) {
  scopes_.push_back({entry, {}});
}

void LoopScopes::open() {
  auto* preamble = newBlock(builder_, "preamble");
  auto* body = newBlock(builder_, "body");
  builder_.CreateBr(preamble);
  // What is put before it later belongs to the statement that opens the scope.
  llvm::IRBuilder<>(preamble).CreateBr(body)->setDebugLoc(builder_.getCurrentDebugLocation());
  scopes_.push_back({preamble, {}});
  builder_.SetInsertPoint(body);
}

void LoopScopes::bind(const Var& var, llvm::Value* value, bool nonNegative) {
  vars_[var.get()] = {value, static_cast<int>(scopes_.size()) - 1, nonNegative};
}

const LoopScopes::Binding& LoopScopes::bindingOf(const VarNode* var) const {
  const auto found = vars_.find(var);
  if (found == vars_.end())
    throw Error(fmt::format("the kernel uses variable {} outside of its loop", var->name));
  return found->second;
}

int LoopScopes::depthOf(const Expr& e) const {
  int depth = 0;
  visit(e, [&](const Expr& node) {
    if (node->kind == ExprKind::Var) depth = std::max(depth, bindingOf(node->var.get()).depth);
    return true;
  });
  return depth;
}

llvm::Instruction* LoopScopes::placeIn(int depth) {
  return scopes_[static_cast<std::size_t>(depth)].preamble->getTerminator();
}

llvm::Value*& LoopScopes::remembered(int depth, const Key& key) {
  return scopes_[static_cast<std::size_t>(depth)].known[key];
}

std::optional<std::int64_t> LoopScopes::constantOf(const Expr& e) const {
  if (e->kind == ExprKind::IntImm) return e->integer;
  if (e->kind == ExprKind::Broadcast) return constantOf((*e)[0]);
  if (e->kind != ExprKind::Var) return std::nullopt;
  const auto found = vars_.find(e->var.get());
  if (found == vars_.end()) return std::nullopt;
  const auto* literal = llvm::dyn_cast<llvm::ConstantInt>(found->second.value);
  return literal ? std::optional(literal->getSExtValue()) : std::nullopt;
}

bool LoopScopes::isNonNegative(const Expr& e) const {
  switch (e->kind) {
  case ExprKind::IntImm:
    return e->integer >= 0;
  case ExprKind::Var: {
    const auto found = vars_.find(e->var.get());
    return found != vars_.end() && found->second.nonNegative;
  }
  case ExprKind::Add:
  case ExprKind::Mul:
  case ExprKind::Div:
  case ExprKind::FloorDiv:
  case ExprKind::Ramp:
  case ExprKind::Broadcast:
  case ExprKind::Min:
    return std::all_of(e->operands.begin(), e->operands.end(),
                       [&](const Expr& operand) { return isNonNegative(operand); });
  case ExprKind::Max:
    return isNonNegative((*e)[0]) || isNonNegative((*e)[1]);
  case ExprKind::FloorMod: { // has the sign of its divisor
    const auto divisor = constantOf((*e)[1]);
    return divisor && *divisor > 0;
  }
  default:
    return false;
  }
}

} // namespace nestwright::llvm_backend
