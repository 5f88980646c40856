#pragma once
/// \file A compiled program that a device has loaded, and one call of it.

#include <span>

namespace nestwright {

/// A loaded kernel. Thread-compatible: one call at a time.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Runs once on `threads` threads of the host (a GPU has its own). Buffers are in parameter
  /// order, memory of the device that loaded the kernel, 64-byte aligned, non-overlapping.
  /// `workspace` holds at least workspaceBytes + threads * threadWorkspaceBytes, 64-byte aligned.
  virtual void run(std::span<void* const> buffers, void* workspace, int threads) const = 0;
};

/// A kernel with all that one run of it takes.
struct KernelCall {
  const Kernel& kernel;
  std::span<void* const> buffers;
  void* workspace = nullptr;
  int threads = 1;
};

} // namespace nestwright
