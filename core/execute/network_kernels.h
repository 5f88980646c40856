#pragma once
/// \file The kernels that a network is built from: compiled once, used in as many builds as need
/// them.

#include "core/backend/backend.h"
#include "core/network/execution/executor.h"
#include "core/schedule/step.h"

#include <memory>
#include <optional>
#include <vector>

namespace nestwright {

/// What a kernel of a task is compiled from.
struct KernelPlan {
  int task = -1;              // of the partition
  std::optional<Steps> steps; // empty: the naive program
  bool vectorised = true;     // of a naive program: whether the compiler may vectorise it
};

/// Of a task without a record: its naive program, which the compiler may vectorise. A task that is
/// never searched gets a parallel and vectorised one, the same each time.
KernelPlan fallbackPlan(const Partition& partition, int task, const TargetFacts& target);

/// A compiled task, loaded into this process.
struct TaskKernel {
  std::shared_ptr<Kernel> kernel;
  InputLayouts layouts; // how it wants its constants stored
  std::int64_t workspaceBytes = 0, threadWorkspaceBytes = 0;
};

/// Compiles and loads all plans on all cores. Throws SystemError that names the task of the first
/// one that cannot be built.
std::vector<TaskKernel> buildKernels(const Partition& partition,
                                     const std::vector<KernelPlan>& plans);

/// The network with these kernels, one a task of the partition, each on `threads` threads.
Executor assemble(const Partition& partition, const std::vector<TaskKernel>& kernels, int threads);

} // namespace nestwright
