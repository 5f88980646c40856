#include "core/lower/cpu/shared_hints.h"

namespace nestwright {

Expr stepOf(std::span<const Stmt> loops) {
  Expr step = Expr(0);
  for (const Stmt& loop : loops)
    step = step * Expr(loop->extent) + (Expr(loop->var) - loop->min);
  return step;
}

std::int64_t hintsFor(const Buffer& array, std::int64_t elements) {
  return (elements * array->type.elementBytes() + kCacheLine - 1) / kCacheLine;
}

std::vector<Stmt> hintsOfStep(const Buffer& array, const Expr& first, const Expr& step,
                              std::int64_t share, PrefetchFor use, IndexSimplifier& simplify) {
  std::vector<Stmt> hints;
  for (std::int64_t i = 0; i < hintsFor(array, share); ++i) {
    const Expr line(i * kCacheLine / array->type.elementBytes());
    hints.push_back(makePrefetch(array, simplify(first + step * Expr(share) + line), use));
  }
  return hints;
}

} // namespace nestwright
