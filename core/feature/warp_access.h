#pragma once
/// \file What one access to memory costs a warp of a GPU, told from its index and the numbers of
/// the warp's threads.

#include "core/lower/loop_ir.h"

#include <array>
#include <cstdint>
#include <span>

namespace nestwright {

/// Threads that execute together.
inline constexpr std::size_t kWarpLanes = kLanes;
/// Bytes of Global memory that are moved at a time.
inline constexpr int kSectorBytes = 32;

/// One integer for each thread of a warp.
using LaneValues = std::array<std::int64_t, kWarpLanes>;

/// One warp of a kernel at the first iteration of all loops, in the first block.
class Warp {
 public:
  /// Warp number `number` of a block; threads are numbered along x, then y, then z.
  explicit Warp(const Launch& launch, std::int64_t number = 0);

  /// Threads that it has: 32, or fewer in a block's last warp.
  std::size_t lanes() const { return lanes_; }
  /// The value of an index or a condition (0 or 1) in each thread. Loops and blocks count as 0,
  /// and so does what is loaded.
  LaneValues valueOf(const Expr& e) const;
  /// The row-major position of an element in each thread.
  LaneValues positionOf(const BufferNode& buffer, const std::vector<Expr>& indices) const;

 private:
  std::size_t lanes_ = kWarpLanes;
  std::array<const VarNode*, 3> variables_{};
  std::array<LaneValues, 3> threads_{};
};

/// How far the row-major position of an access moves from the first iteration of a loop to the
/// second one, all others standing still; 0 when it does not.
std::int64_t stepOf(const BufferNode& buffer, const std::vector<Expr>& indices,
                    const VarNode* loop);

/// Pieces of 32 bytes that threads read or write together, each `bytes` at its address.
int sectorsOf(std::span<const std::int64_t> addresses, int bytes);

/// How often shared memory is asked until each thread has its `bytes`: 32 banks of 4 bytes answer
/// at a time, each for one word; accesses of 8 and 16 bytes are answered to 16 and 8 threads at a
/// time.
int wavefrontsOf(std::span<const std::int64_t> addresses, int bytes);

} // namespace nestwright
