#pragma once
/// \file Emptying the caches of the processors that a kernel runs on.

#include "core/target/target.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nestwright {

/// Bytes to walk through so that nothing else is left in any cache of so many threads: more than
/// the shared last level holds, and for each thread twice its own second level. From 32 MiB to
/// 1 GiB.
std::size_t bytesToFlush(const TargetFacts& machine, int threads);

/// Memory that pushes all else out of the caches.
class CacheFlusher {
 public:
  explicit CacheFlusher(const TargetFacts& machine) : machine_(machine) {}
  /// Each thread writes to every line of a share of its own: what is in the caches of one core, no
  /// other core's stores push out. The threads are those of the parallel regions of kernels, and
  /// still awake when this returns, as in a network behind the kernel before.
  void flush(int threads);
  /// What was walked through; every line's first byte has counted the walks.
  const std::vector<std::uint8_t>& memory() const { return memory_; }

 private:
  TargetFacts machine_;
  std::vector<std::uint8_t> memory_;
};

} // namespace nestwright
