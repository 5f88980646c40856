#include "plugins/cuda/text/shared_memory.h"

#include "core/target/kernel_limits.h"

namespace nestwright::cuda {

SharedMemory planSharedMemory(const Stmt& kernel) {
  constexpr std::int64_t kMostStaticBytes = 48 << 10;
  SharedMemory plan;
  std::int64_t bytes = 0;
  visit(kernel, [&](const Stmt& s) {
    if (s->kind != StmtKind::Allocate || s->scope != MemoryScope::Block) return;
    plan.arrays.push_back({s->buffer, bytes});
    bytes += sharedBytesOf(s->buffer->bytes());
  });
  if (bytes > kMostStaticBytes) plan.dynamicBytes = bytes;
  return plan;
}

} // namespace nestwright::cuda
