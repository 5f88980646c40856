#pragma once
/// \file The kernels that a network is built from: compiled once, used in as many builds as need
/// them.

#include "core/execute/network_place.h"
#include "core/network/execution/executor.h"
#include "core/schedule/step.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace nestwright {

/// What code runs a task (C36).
enum class ProgramKind : std::uint8_t {
  Tuned,   // the program of a record
  Sampled, // the first one of a fixed sequence of draws that is legal and compiles: always the same
  Naive,   // the DAG's loops as written; on a GPU shared out among its threads
};
/// "tuned", "sampled", "naive"
const char* name(ProgramKind program);

/// What a kernel of a task is compiled from.
struct KernelPlan {
  int task = -1; // of the partition
  ProgramKind program = ProgramKind::Naive;
  Steps steps = {};       // of a tuned program
  bool vectorised = true; // of a naive one: whether the compiler may vectorise it
};

/// Of a task without a record, all of it on the device that the network runs on. On a processor a
/// task is naive, and one that is never searched sampled, so that it is parallel and vectorised. On
/// a GPU it is the other way round: what only moves elements is as fast when it is merely bound to
/// threads.
KernelPlan fallbackPlan(const Partition& partition, int task, const TargetFacts& target);

/// A kernel that was compiled and not loaded.
struct CompiledKernel {
  KernelArtifact artifact;
  ProgramKind program = ProgramKind::Naive; // naive also where no sampled one could be had
};

/// Hears before each kernel how many were begun before it, on any thread. What it throws ends the
/// work: no further kernel is compiled.
using KernelWatch = std::function<void(std::size_t begun)>;

/// Compiles all plans for the place on all cores. `symbols` has one entry a plan, or none at all.
/// Throws SystemError that names the task of the first one that cannot be built, and what `watch`
/// throws.
std::vector<CompiledKernel> compileKernels(const Partition& partition,
                                           const std::vector<KernelPlan>& plans,
                                           const NetworkPlace& place,
                                           const std::vector<KernelSymbols>& symbols = {},
                                           const KernelWatch& watch = {});

struct BuiltKernel {
  TaskKernel kernel;
  ProgramKind program = ProgramKind::Naive; // as of CompiledKernel
};

/// Compiles all plans, and loads them into the place's device. Throws as compileKernels() does, and
/// DeviceError when the device refuses one.
std::vector<BuiltKernel> buildKernels(const Partition& partition,
                                      const std::vector<KernelPlan>& plans,
                                      const NetworkPlace& place);

/// The network with these kernels, one a task of the partition, each on `threads` threads where
/// the place is a processor.
Executor assemble(const Partition& partition, const std::vector<BuiltKernel>& kernels, int threads,
                  const NetworkPlace& place);

} // namespace nestwright
