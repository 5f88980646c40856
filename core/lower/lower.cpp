#include "core/lower/lower.h"

#include "core/lower/build_loop_nest.h"
#include "core/lower/cpu/pack_constants.h"
#include "core/lower/cpu/pair_panels.h"
#include "core/lower/cpu/peel_guards.h"
#include "core/lower/cpu/prefetch_constants.h"
#include "core/lower/cpu/prefetch_rows.h"
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
#include "core/lower/gpu/verify_bounds.h"
#include "core/lower/gpu/verify_kernel.h"
#include "core/lower/gpu/write_out_loops.h"
#include "core/lower/simplify_indices.h"
#include "core/lower/unroll_loops.h"
#include "core/schedule/pragma.h"
#include "core/support/error.h"

namespace nestwright {
namespace {

/// A function on its way through the passes.
class PassList {
 public:
  PassList(LoopFunction function, const LowerOptions& options)
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
  PassList passes(buildLoopNest(state, inferBounds(state), Machine::Cpu), options);
  passes.run("simplify_indices", simplifyIndices);
  passes.run("strip_parallel", [&](const Stmt& s) { return stripParallelLoops(s, options); });
  passes.run("serial_regions",
             [&](const Stmt&) { return serialiseSmallRegions(passes.function(), options); });
  passes.run("peel_guards", peelGuards);
  passes.run("promote_accumulators",
             [&](const Stmt& s) { return promoteAccumulators(s, options); });
  passes.run("pair_panels", pairPanels);
  if (options.packConstants) {
    packConstants(passes.function(), state.originalDag());
    passes.announce("pack_constants");
  }
  passes.run("vectorize_loops", [&](const Stmt& s) { return vectorizeLoops(s, options); });
  if (!options.unroll) return passes.function();
  passes.run("unroll_loops", unrollLoops);
  passes.run("simplify_again", simplifyIndices);
  if (options.packConstants)
    passes.run("prefetch_constants", [&](const Stmt&) {
      return prefetchConstants(passes.function(), state.originalDag());
    });
  passes.run("prefetch_rows", [&](const Stmt&) { return prefetchRows(passes.function()); });
  return passes.function();
}

/// As TVM's code generator does it (handbook/ansor.md 11.5).
LoopFunction lowerPlainly(const State& state, const LowerOptions& options) {
  PassList passes(buildLoopNest(state, inferBounds(state), Machine::Cpu), options);
  passes.run("simplify_indices", simplifyIndices);
  if (options.lowering == Lowering::PlainPacked && options.packConstants) {
    packSecondOperands(passes.function(), state.originalDag());
    passes.announce("pack_operands");
  }
  passes.run("vectorize_loops", vectorizeAnnotatedLoops);
  if (!options.unroll) return passes.function();
  passes.run("unroll_loops", unrollLoops);
  passes.run("simplify_again", simplifyIndices);
  return passes.function();
}

LoopFunction lowerForGpu(const State& state, const LowerOptions& options) {
  const GpuFacts& gpu = *options.gpu;
  PassList passes(buildLoopNest(state, inferBounds(state), Machine::Gpu), options);
  passes.run("simplify_indices", simplifyIndices);
  passes.run("bind_threads", bindThreads);
  passes.run("tensorize", tensorize);
  passes.run("reduce_across_threads", reduceAcrossThreads);
  passes.run("expand_vthreads", expandVirtualThreads);
  passes.run("simplify_bound", simplifyIndices);
  passes.run("pipeline_shared", [&](const Stmt& s) { return pipelineShared(s, gpu); });
  passes.run("place_storage", placeStorage);
  passes.run("place_barriers", placeBarriers);
  passes.run("vectorize_copies", [&](const Stmt& s) { return vectorizeCopies(s, gpu); });
  if (!options.unroll) return passes.function();
  passes.run("unroll_registers", unrollRegisterLoops);
  passes.run("unroll_loops", unrollLoops);
  verifyBounds(passes.function().body);
  passes.run("narrow_indices", narrowIndices);
  verifyKernels(passes.function().body, gpu);
  if (unrollsExplicitly(state.steps())) passes.run("write_out_loops", writeOutLoops);
  return passes.function();
}

} // namespace

LoopFunction lower(const State& state, const LowerOptions& options) {
  if (!state.isConcrete())
    throw IllegalSchedule("the program is a sketch: some tile sizes are undecided");
  if (options.gpu) return lowerForGpu(state, options);
  return isPlain(options.lowering) ? lowerPlainly(state, options) : lowerForCpu(state, options);
}

} // namespace nestwright
