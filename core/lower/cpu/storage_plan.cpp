#include "core/lower/cpu/storage_plan.h"

#include "core/support/error.h"

#include <algorithm>
#include <utility>

namespace nestwright {
namespace {

/// A thread's buffers up to this size together live on its stack (the smallest stack that libgomp
/// gives its threads by default is 2 MiB); larger ones in the workspace.
constexpr std::int64_t kStackBytes = 64 << 10;
constexpr std::int64_t kAlignment = 64;
/// Buffers outside of parallel loops that are worth a place on the stack, where LLVM may turn them
/// into registers.
constexpr std::int64_t kSmallBytes = 8 << 10;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool containsParallelLoop(const Stmt& s) {
  return (s->kind == StmtKind::For && s->forKind == ForKind::Parallel) ||
         std::any_of(s->body.begin(), s->body.end(), containsParallelLoop);
}

struct Planner {
  StoragePlan plan;
  std::int64_t stackBytes = 0;
  bool inParallelLoop = false;

  void add(const Buffer& buffer, BufferPlace placement) {
    if (!plan.placements.emplace(buffer.get(), placement).second)
      throw Error(fmt::format("buffer {} is declared twice in the kernel", buffer->name));
  }

  void allocate(const StmtNode& s) {
    NW_ASSERT(s.scope != MemoryScope::Block, "{} lies in a GPU's shared memory", s.buffer->name);
    const std::int64_t bytes = aligned(s.buffer->bytes());
    // What one thread alone uses may be anywhere.
    const bool local = s.scope != MemoryScope::Global || (bytes <= kSmallBytes && !inParallelLoop &&
                                                          !containsParallelLoop(s.body[0]));
    if (s.scope == MemoryScope::Register || (local && stackBytes + bytes <= kStackBytes)) {
      add(s.buffer, {BufferPlace::Kind::Stack, 0, s.scope});
      stackBytes += bytes;
    } else if (s.scope == MemoryScope::Global) {
      add(s.buffer, {BufferPlace::Kind::Shared, plan.sharedBytes, s.scope});
      plan.sharedBytes += bytes;
    } else {
      add(s.buffer, {BufferPlace::Kind::PerThread, plan.threadBytes, s.scope});
      plan.threadBytes += bytes;
    }
  }

  void visit(const Stmt& s) {
    if (s->kind == StmtKind::Allocate) allocate(*s);
    const bool opens = s->kind == StmtKind::For && s->forKind == ForKind::Parallel;
    const bool outer = std::exchange(inParallelLoop, inParallelLoop || opens);
    for (const Stmt& child : s->body)
      visit(child);
    inParallelLoop = outer;
  }
};

} // namespace

const BufferPlace& StoragePlan::at(const Buffer& buffer) const {
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
    planner.add(parameter, {BufferPlace::Kind::Parameter, position++, MemoryScope::Global});
  position = 0;
  for (const auto& [buffer, values] : function.constants)
    planner.add(buffer, {BufferPlace::Kind::Constant, position++, MemoryScope::Global});
  if (function.body) planner.visit(function.body);
  return planner.plan;
}

} // namespace nestwright
