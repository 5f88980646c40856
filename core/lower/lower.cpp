#include "core/lower/lower.h"

#include "core/lower/build_loop_nest.h"
#include "core/lower/cpu/pack_constants.h"
#include "core/lower/cpu/peel_guards.h"
#include "core/lower/cpu/promote_accumulators.h"
#include "core/lower/cpu/serial_regions.h"
#include "core/lower/cpu/strip_parallel.h"
#include "core/lower/cpu/vectorize_loops.h"
#include "core/lower/gpu/bind_threads.h"
#include "core/lower/gpu/expand_vthreads.h"
#include "core/lower/gpu/narrow_indices.h"
#include "core/lower/gpu/pipeline_shared.h"
#include "core/lower/gpu/place_barriers.h"
#include "core/lower/gpu/place_storage.h"
#include "core/lower/gpu/reduce_across_threads.h"
#include "core/lower/gpu/tensorize.h"
#include "core/lower/gpu/unroll_registers.h"
#include "core/lower/gpu/vectorize_copies.h"
#include "core/lower/gpu/verify_kernel.h"
#include "core/lower/simplify_indices.h"
#include "core/lower/unroll_loops.h"
#include "core/support/error.h"

namespace nestwright {
namespace {

/// A function on its way through the passes.
class Lowering {
 public:
  Lowering(LoopFunction function, const LowerOptions& options)
      : function_(std::move(function)), options_(options) {
    announce("build_loop_nest");
  }

  template <class Pass>
  void run(const char* pass, Pass&& transform) {
    function_.body = transform(function_.body);
    announce(pass);
  }
  void announce(const char* pass) const {
    if (options_.onPass) options_.onPass(pass, function_);
  }
  LoopFunction& function() { return function_; }

 private:
  LoopFunction function_;
  const LowerOptions& options_;
};

LoopFunction lowerForCpu(const State& state, const LowerOptions& options) {
  Lowering lowering(buildLoopNest(state, inferBounds(state), Machine::Cpu), options);
  lowering.run("simplify_indices", simplifyIndices);
  lowering.run("strip_parallel", [&](const Stmt& s) { return stripParallelLoops(s, options); });
  lowering.run("serial_regions", [&](const Stmt& s) { return serialiseSmallRegions(s, options); });
  lowering.run("peel_guards", peelGuards);
  lowering.run("promote_accumulators",
               [&](const Stmt& s) { return promoteAccumulators(s, options); });
  if (options.packConstants) {
    packConstants(lowering.function(), state.originalDag());
    lowering.announce("pack_constants");
  }
  lowering.run("vectorize_loops", [&](const Stmt& s) { return vectorizeLoops(s, options); });
  if (!options.unroll) return lowering.function();
  lowering.run("unroll_loops", unrollLoops);
  lowering.run("simplify_again", simplifyIndices);
  return lowering.function();
}

LoopFunction lowerForGpu(const State& state, const LowerOptions& options) {
  const GpuFacts& gpu = *options.gpu;
  Lowering lowering(buildLoopNest(state, inferBounds(state), Machine::Gpu), options);
  lowering.run("simplify_indices", simplifyIndices);
  lowering.run("bind_threads", bindThreads);
  lowering.run("tensorize", tensorize);
  lowering.run("reduce_across_threads", reduceAcrossThreads);
  lowering.run("expand_vthreads", expandVirtualThreads);
  lowering.run("simplify_bound", simplifyIndices);
  lowering.run("pipeline_shared", [&](const Stmt& s) { return pipelineShared(s, gpu); });
  lowering.run("place_storage", placeStorage);
  lowering.run("place_barriers", placeBarriers);
  lowering.run("vectorize_copies", [&](const Stmt& s) { return vectorizeCopies(s, gpu); });
  if (!options.unroll) return lowering.function();
  lowering.run("unroll_registers", unrollRegisterLoops);
  lowering.run("unroll_loops", unrollLoops);
  lowering.run("narrow_indices", narrowIndices);
  verifyKernels(lowering.function().body, gpu);
  return lowering.function();
}

} // namespace

LoopFunction lower(const State& state, const LowerOptions& options) {
  if (!state.isConcrete())
    throw IllegalSchedule("the program is a sketch: some tile sizes are undecided");
  return options.gpu ? lowerForGpu(state, options) : lowerForCpu(state, options);
}

} // namespace nestwright
