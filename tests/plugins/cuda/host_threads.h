#pragma once
/// \file The threads of a GPU in miniature: one block after another, each thread a fibre that runs
/// until a barrier or a shuffle.

#include <array>
#include <cstdint>
#include <functional>

namespace nestwright::test {

class HostThreads {
 public:
  /// What kernels see of their threads; nw_link of host_gpu.h is the same.
  struct Link {
    unsigned threadIdx[3], blockIdx[3];
    void (*barrier)();
    unsigned long long (*shuffle)(unsigned mask, unsigned long long told, unsigned lane);
    unsigned (*lane)();
    unsigned (*thread)();
  };

  /// Runs the kernel for every thread of every block. `order`: threads run from the first to the
  /// last (0), the other way (1), or with odd ones first (2). `newBlock` is called before each.
  /// Throws Error when threads of a block wait at different places.
  static void run(const std::array<std::int64_t, 3>& grid, const std::array<std::int64_t, 3>& block,
                  const std::function<void()>& kernel, Link& link,
                  const std::function<void()>& newBlock, int order);
};

} // namespace nestwright::test
