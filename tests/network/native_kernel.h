#pragma once
/// \file Programs as machine code, called from a test.

#include "core/lower/lower.h"
#include "core/network/execution/executor.h"
#include "core/plugin/plugin.h"

#include <cstdlib>
#include <memory>

namespace nestwright::test {

inline KernelFunction nativeKernel(const LoopFunction& function) {
  const KernelArtifact artifact = backend("llvm").compile(function);
  const std::shared_ptr<Kernel> kernel = backend("llvm").load(artifact);
  const std::int64_t bytes = artifact.workspaceBytes + artifact.threadWorkspaceBytes;
  const std::shared_ptr<void> workspace(
      std::aligned_alloc(64, static_cast<std::size_t>((bytes + 64) / 64 * 64)), std::free);
  return [kernel, workspace](std::span<void* const> buffers) {
    kernel->run(buffers, workspace.get(), 1);
  };
}

/// The naive program: what runs a group that is not tuned.
inline KernelFunction nativeKernel(const ComputeDag& dag) {
  return nativeKernel(lowerNaive(dag));
}

} // namespace nestwright::test
