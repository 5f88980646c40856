#include "plugins/cuda/text/workspace.h"

#include <algorithm>

namespace nestwright::cuda {
namespace {

constexpr std::int64_t kAlignment = 256;

void place(const Stmt& s, std::int64_t taken, Workspace& plan) {
  if (s->kind == StmtKind::Launch) return;
  if (s->kind == StmtKind::Allocate) {
    plan.offsets[s->buffer.get()] = taken;
    taken += (s->buffer->bytes() + kAlignment - 1) / kAlignment * kAlignment;
    plan.bytes = std::max(plan.bytes, taken);
  }
  for (const Stmt& child : s->body)
    place(child, taken, plan);
}

} // namespace

Workspace planWorkspace(const Stmt& body) {
  Workspace plan;
  place(body, 0, plan);
  return plan;
}

} // namespace nestwright::cuda
