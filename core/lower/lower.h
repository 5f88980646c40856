#pragma once
/// \file Program to loop IR: a flat list of passes, each in its own file.

#include "core/lower/loop_ir.h"
#include "core/schedule/state.h"
#include "core/target/dot_products.h"
#include "core/target/gpu_facts.h"
#include "core/target/lowering.h"

#include <functional>
#include <optional>
#include <string>

namespace nestwright {

struct LowerOptions {
  /// The GPU that the program runs on; empty: a CPU, to which what follows up to minParallelWork
  /// belongs, unroll excepted.
  std::optional<GpuFacts> gpu;
  /// Plain: just the loops, as the schedule says; what follows up to minParallelWork does not
  /// count.
  Lowering lowering = Lowering::Full;
  int vectorBytes = 64;     // widest vector register
  int vectorRegisters = 32; // for accumulator tiles
  DotProducts dotProducts;  // that register tiles may be made of
  int cores = 1;            // among which parallel loops are shared
  /// Whether layout-free inputs may be packed (LoopFunction::layouts): right where they are
  /// constant.
  bool packConstants = true;
  /// false: stop before loops are unrolled, where what is executed is settled. A GPU's kernels are
  /// not compared with its limits then.
  bool unroll = true;
  /// Operations (a load, an addition or a store each count as one, and a line of memory as 8
  /// vectors of them) below which a parallel loop runs serially; 0 keeps all of them.
  double minParallelWork = 0;
  /// Called after each pass with its name, for "show --ir" and for debugging.
  std::function<void(const std::string& pass, const LoopFunction&)> onPass;
};

/// Lowers a concrete program for the machine that the options name: lower.cpp lists the passes of
/// each. Throws IllegalSchedule when it cannot be (no bounds, a race, more than a GPU has).
LoopFunction lower(const State& state, const LowerOptions& options = {});

/// The naive program, the reference for answers and the base of "times faster than naive": the
/// DAG's loops as written, nothing unrolled, vectorised or parallel. Of a GPU it is a kernel for
/// each operator, all of its spatial loops fused and cut into blocks of 256 threads, its reductions
/// serial.
LoopFunction lowerNaive(const ComputeDag& dag, const std::optional<GpuFacts>& gpu = {});

} // namespace nestwright
