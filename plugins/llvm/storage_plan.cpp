#include "plugins/llvm/storage_plan.h"

#include "core/support/error.h"

namespace nestwright::llvm_backend {
namespace {

/// A thread's buffers up to this size together live on its stack (the smallest stack that libgomp
/// gives its threads by default is 2 MiB); larger ones in the workspace.
constexpr std::int64_t kStackBytes = 64 << 10;
constexpr std::int64_t kAlignment = 64;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

struct Planner {
  StoragePlan plan;
  std::int64_t stackBytes = 0;

  void add(const Buffer& buffer, Placement placement) {
    if (!plan.placements.emplace(buffer.get(), placement).second)
      throw Error(fmt::format("buffer {} is declared twice in the kernel", buffer->name));
  }

  void allocate(const StmtNode& s) {
    const std::int64_t bytes = aligned(s.buffer->bytes());
    if (s.scope == MemoryScope::Shared) {
      add(s.buffer, {Placement::Kind::Shared, plan.sharedBytes});
      plan.sharedBytes += bytes;
    } else if (s.scope == MemoryScope::Register || stackBytes + bytes <= kStackBytes) {
      add(s.buffer, {Placement::Kind::Stack, 0});
      stackBytes += bytes;
    } else {
      add(s.buffer, {Placement::Kind::PerThread, plan.threadBytes});
      plan.threadBytes += bytes;
    }
  }

  void visit(const Stmt& s) {
    if (s->kind == StmtKind::Allocate) allocate(*s);
    for (const Stmt& child : s->body)
      visit(child);
  }
};

} // namespace

const Placement& StoragePlan::at(const Buffer& buffer) const {
  const auto found = placements.find(buffer.get());
  if (found == placements.end())
    throw Error(
        fmt::format("the kernel uses buffer {}, which is neither a parameter nor a constant "
                    "nor allocated",
                    buffer->name));
  return found->second;
}

StoragePlan planStorage(const LoopFunction& function) {
  Planner planner;
  std::int64_t position = 0;
  for (const Buffer& parameter : function.parameters)
    planner.add(parameter, {Placement::Kind::Parameter, position++});
  position = 0;
  for (const auto& [buffer, values] : function.constants)
    planner.add(buffer, {Placement::Kind::Constant, position++});
  if (function.body) planner.visit(function.body);
  return planner.plan;
}

} // namespace nestwright::llvm_backend
