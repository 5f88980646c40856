#include "core/lower/cpu/serial_regions.h"

namespace nestwright {
namespace {

constexpr double kFunctionWork = 16; // exp, tanh, ...: a polynomial

double workOf(const Expr& e) {
  double work = 0;
  visit(e, [&](const Expr& node) {
    if (node->kind == ExprKind::Call)
      work += kFunctionWork;
    else if (node->kind == ExprKind::Load || (node->type.isFloat() && !node->operands.empty()))
      work += 1;
    return node->kind != ExprKind::Load; // indices are cheap
  });
  return work;
}

double workOf(const Stmt& s) {
  double work = s->kind == StmtKind::Store ? 1 + workOf(s->value) : 0;
  for (const Stmt& child : s->body)
    work += workOf(child);
  return s->kind == StmtKind::For ? work * static_cast<double>(s->extent) : work;
}

/// What threads had each for themselves, the one thread has.
Stmt withSharedBuffers(const Stmt& s) {
  Stmt mapped = mapChildren(s, withSharedBuffers, nullptr);
  if (s->kind != StmtKind::Allocate || s->scope != MemoryScope::PerThread) return mapped;
  auto node = std::make_shared<StmtNode>(*mapped);
  node->scope = MemoryScope::Global;
  return node;
}

} // namespace

Stmt serialiseSmallRegions(const Stmt& s, const LowerOptions& options) {
  if (s->kind == StmtKind::For && s->forKind == ForKind::Parallel) {
    if (workOf(s) >= options.minParallelWork) return s;
    auto node = std::make_shared<StmtNode>(*withSharedBuffers(s));
    node->forKind = ForKind::Serial;
    return node;
  }
  return mapChildren(
      s, [&](const Stmt& child) { return serialiseSmallRegions(child, options); }, nullptr);
}

} // namespace nestwright
