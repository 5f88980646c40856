#include "core/lower/gpu/verify_kernel.h"

#include "core/support/error.h"
#include "core/target/kernel_limits.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace nestwright {
namespace {

class Verifier {
 public:
  Verifier(const Stmt& launch, const GpuFacts& gpu)
      : launch_(*launch->launch), gpu_(gpu), kernel_(launch) {
    for (const LaunchAxis& axis : launch_.threads)
      if (axis.var) threads_.insert(axis.var.get());
  }

  void verify() {
    limit("threads in a block", launch_.threadsPerBlock(), gpu_.threadsPerBlock);
    limit("threads along z", launch_.threads[2].extent, kMostThreadsAlongZ);
    for (std::size_t axis = 0; axis < launch_.grid.size(); ++axis)
      limit(fmt::format("blocks along {}", "xyz"[axis]), launch_.grid[axis].extent,
            kMostBlocks[axis]);
    limit("bytes of shared memory in a block", blockMemoryBytes(kernel_),
          std::max(gpu_.sharedBytesPerBlock, gpu_.sharedBytesPerBlockOptIn));
    statement(kernel_->body[0], false);
    limit("statements after unrolling", statementsAfterUnrolling(kernel_->body[0]),
          kMostKernelStatements);
  }

 private:
  void limit(std::string_view what, std::int64_t count, std::int64_t most) const {
    if (count > most)
      throw IllegalSchedule(fmt::format("the kernel {} has {} {}; at most {} are possible",
                                        launch_.kernel, count, what, most));
  }

  bool dependsOnThread(const Expr& e) const {
    bool found = false;
    visit(e, [&](const Expr& node) {
      found |= node->kind == ExprKind::Load ||
               (node->kind == ExprKind::Var && threads_.contains(node->var.get()));
      return !found;
    });
    return found;
  }

  /// `divergent`: some threads of a block may come here without the others.
  void statement(const Stmt& s, bool divergent) {
    const bool meets = s->kind == StmtKind::Barrier || s->kind == StmtKind::Shuffle ||
                       s->kind == StmtKind::LoadFragment || s->kind == StmtKind::Mma;
    NW_ASSERT(!divergent || !meets, "the threads of the kernel {} do not all meet", launch_.kernel);
    NW_ASSERT(s->kind != StmtKind::ReduceThreads &&
                  (s->kind != StmtKind::For ||
                   (!isThreadLoop(s->forKind) && s->forKind != ForKind::Tensorized)),
              "the kernel {} is not lowered", launch_.kernel);
    if (s->kind == StmtKind::Allocate && s->scope == MemoryScope::Register)
      registers_.insert(s->buffer.get());
    if (s->kind == StmtKind::For) {
      divergent |= dependsOnThread(s->min);
      if (s->forKind == ForKind::Unrolled && asInt(s->min)) literals_.insert(s->var.get());
    }
    if (s->kind == StmtKind::If) divergent |= dependsOnThread(s->condition);
    if (s->buffer) registerIndices(s->buffer, s->indices);
    for (const Expr& read : {s->value, s->condition})
      if (read)
        visit(read, [&](const Expr& e) {
          if (e->kind == ExprKind::Load) registerIndices(e->buffer, e->operands);
          return true;
        });
    for (const Stmt& child : s->body)
      statement(child, divergent);
  }

  void registerIndices(const Buffer& buffer, const std::vector<Expr>& indices) const {
    if (!registers_.contains(buffer.get())) return;
    for (const Expr& index : indices)
      visit(index, [&](const Expr& e) {
        if (e->kind == ExprKind::Var && !literals_.contains(e->var.get()))
          throw IllegalSchedule(fmt::format(
              "the kernel {} indexes the registers of {} with {}, whose loop has too many "
              "statements to be unrolled",
              launch_.kernel, buffer->name, e->var->name));
        return true;
      });
  }

  const Launch& launch_;
  const GpuFacts& gpu_;
  Stmt kernel_;
  std::unordered_set<const VarNode*> threads_, literals_;
  std::unordered_set<const BufferNode*> registers_;
};

} // namespace

std::int64_t blockMemoryBytes(const Stmt& launch) {
  std::int64_t bytes = 0;
  visit(launch, [&](const Stmt& s) {
    if (s->kind == StmtKind::Allocate && s->scope == MemoryScope::Block)
      bytes += sharedBytesOf(s->buffer->bytes());
  });
  return bytes;
}

void verifyKernels(const Stmt& s, const GpuFacts& gpu) {
  visit(s, [&](const Stmt& launch) {
    if (launch->kind == StmtKind::Launch) Verifier(launch, gpu).verify();
  });
}

} // namespace nestwright
