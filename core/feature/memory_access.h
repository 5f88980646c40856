#pragma once
/// \file How much memory an access of the loop IR touches while loops around it run.

#include "core/lower/loop_ir.h"

#include <array>
#include <vector>

namespace nestwright {

/// A loop around an access. Lanes of a vector index count as one more loop, the innermost.
struct LoopAround {
  const VarNode* variable = nullptr;
  double extent = 1;
  bool unrolled = false;
};

/// Memory that an access touches.
struct Touched {
  double elements = 1, lines = 1, pages = 1;
  /// Lines over the lines that a first-level cache has place for at their addresses: above 1 they
  /// drive each other out, though the cache is not full.
  double conflict = 0;
};

/// One load or store. How far each loop moves it is read once from its index; divisions and
/// remainders of fused loops are taken as if they were smooth.
class MemoryAccess {
 public:
  MemoryAccess(const Buffer& buffer, const std::vector<Expr>& indices,
               const std::vector<LoopAround>& loops);

  const BufferNode* buffer() const { return buffer_; }
  /// The same with fewer iterations of a loop.
  MemoryAccess limitedTo(std::size_t loop, double extent) const;
  bool movedBy(std::size_t loop) const;
  /// What it touches while the loops from number `first` on run, the others standing still.
  Touched touched(std::size_t first, double lineBytes) const;

 private:
  struct Dimension {
    double shape = 1;
    std::vector<double> steps; // one a loop
  };
  const BufferNode* buffer_;
  double elementBytes_ = 4;
  std::vector<double> extents_; // of the loops, lanes last
  std::vector<Dimension> dimensions_;
};

} // namespace nestwright
