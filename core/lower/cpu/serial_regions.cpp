#include "core/lower/cpu/serial_regions.h"

#include <algorithm>
#include <map>

namespace nestwright {
namespace {

constexpr double kFunctionWork = 16; // exp, tanh, ...: a polynomial
/// Operations on whole vectors for which bringing a line of 64 bytes from a far cache takes as long
/// as for them, about.
constexpr double kVectorsPerLine = 8, kLineBytes = 64;

/// Of a region: operations, and how often it loads or stores of each buffer.
struct Work {
  double operations = 0;
  std::map<const BufferNode*, double> accesses;
};

void addWork(const Expr& e, double times, Work& work) {
  visit(e, [&](const Expr& node) {
    if (node->kind == ExprKind::Call)
      work.operations += times * kFunctionWork;
    else if (node->kind == ExprKind::Load || (node->type.isFloat() && !node->operands.empty()))
      work.operations += times;
    if (node->kind == ExprKind::Load) work.accesses[node->buffer.get()] += times;
    return node->kind != ExprKind::Load; // indices are cheap
  });
}

void addWork(const Stmt& s, double times, Work& work) {
  if (s->kind == StmtKind::For) times *= static_cast<double>(s->extent);
  if (s->kind == StmtKind::Store) {
    work.operations += times;
    work.accesses[s->buffer.get()] += times;
    addWork(s->value, times, work);
  }
  for (const Stmt& child : s->body)
    addWork(child, times, work);
}

/// What threads had each for themselves, the one thread has.
Stmt withSharedBuffers(const Stmt& s) {
  Stmt mapped = mapChildren(s, withSharedBuffers, nullptr);
  if (s->kind != StmtKind::Allocate || s->scope != MemoryScope::PerThread) return mapped;
  auto node = std::make_shared<StmtNode>(*mapped);
  node->scope = MemoryScope::Global;
  return node;
}

class SerialRegions {
 public:
  SerialRegions(const LoopFunction& function, const LowerOptions& options)
      : function_(function), options_(options) {}

  Stmt operator()(const Stmt& s) const {
    if (s->kind == StmtKind::For && s->forKind == ForKind::Parallel) {
      if (workOf(s) >= options_.minParallelWork) return s;
      auto node = std::make_shared<StmtNode>(*withSharedBuffers(s));
      node->forKind = ForKind::Serial;
      return node;
    }
    return mapChildren(
        s, [this](const Stmt& child) { return (*this)(child); }, nullptr);
  }

 private:
  double workOf(const Stmt& region) const {
    Work work;
    addWork(region, 1, work);
    const double lanes = options_.vectorBytes / 4.0;
    for (const Buffer& parameter : function_.parameters) {
      const auto elementBytes = static_cast<double>(parameter->type.elementBytes());
      // No more of it than there is, and each element once: later it is in a cache.
      const double moved = std::min(work.accesses[parameter.get()] * elementBytes,
                                    static_cast<double>(parameter->bytes()));
      work.operations += moved / kLineBytes * kVectorsPerLine * lanes;
    }
    return work.operations;
  }

  const LoopFunction& function_;
  const LowerOptions& options_;
};

} // namespace

Stmt serialiseSmallRegions(const LoopFunction& function, const LowerOptions& options) {
  return SerialRegions(function, options)(function.body);
}

} // namespace nestwright
