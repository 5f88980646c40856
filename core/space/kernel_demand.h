#pragma once
/// \file What the kernels of a GPU program take, told from its bounds before anything is lowered
/// (handbook/cuda.md 2.4).

#include "core/schedule/bounds.h"
#include "core/target/gpu_facts.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright {

/// Loops of one kernel that are bound to one axis and have different extents.
struct UnequalLoops {
  Annotation axis = Annotation::None;
  std::int64_t one = 0, other = 0;
};

/// One stage at root with all that is computed inside it.
struct KernelDemand {
  int root = 0;
  std::array<std::int64_t, 3> grid = {1, 1, 1}, threads = {1, 1, 1}; // extents of x, y, z
  std::optional<UnequalLoops> unequal;
  bool isTiled = false;            // it has virtual threads, if only one
  bool hasFragments = false;       // it computes tiles with a tensor instruction
  std::int64_t virtualThreads = 1; // all of a nest together
  bool reducesAcrossThreads = false;
  std::int64_t sharedBytes = 0;      // of a block
  std::int64_t registerElements = 0; // of all tiles that a thread keeps, for all virtual threads
  std::int64_t largestRegisterTile = 0;
  std::int64_t unrolledReduction = 1; // iterations of a reduction that are written out
  bool readsWindows = false;          // those iterations read what others of the tile read, too
  std::int64_t fetchedElements = 0; // that a thread brings to shared memory, for one stage at most
  // Of kernels without tiles: tensors that their statements read, and loads that loops of a thread
  // make one after another.
  std::int64_t tensorsRead = 0, loadsInLoops = 0;
  std::int64_t vectorBytes = 0; // of the widest vector loop
  std::int64_t statements = 0;  // after unrolling
  int minBlocks = 1;            // that a multiprocessor is to hold at once

  std::int64_t blocks() const;
  std::int64_t threadsPerBlock() const;
  /// Registers that a thread cannot do without, roughly. Beyond `registerLimit` they spill.
  double neededRegisters() const;
  /// Registers that the compiler will give a thread, roughly: what it needs, and more for loads
  /// that are under way together as long as that keeps no warp out.
  double registers() const;

  int registerLimit = 255; // that a thread can have
  int freeRegisters = 255; // with which as many warps are resident as if threads needed none
};

/// Of each stage at root, in the order of stages. `bounds` are those of the state.
std::vector<KernelDemand> kernelDemands(const State& state, const Bounds& bounds,
                                        const GpuFacts& gpu);

/// What each kernel's threads will take, for whoever looks at it lowered: registers(), or what they
/// need where that is more.
std::vector<double> registersOf(const std::vector<KernelDemand>& kernels);

/// Registers that each of so many threads of a block can have.
int registerLimit(std::int64_t threadsPerBlock, const GpuFacts& gpu);

/// The estimate of KernelDemand::neededRegisters() for a kernel with tiles.
double registerEstimate(std::int64_t elements, std::int64_t unrolledReduction,
                        bool readsWindows = false);

} // namespace nestwright
