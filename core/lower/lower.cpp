#include "core/lower/lower.h"

#include "core/lower/build_loop_nest.h"
#include "core/lower/pack_constants.h"
#include "core/lower/peel_guards.h"
#include "core/lower/promote_accumulators.h"
#include "core/lower/serial_regions.h"
#include "core/lower/simplify_indices.h"
#include "core/lower/strip_parallel.h"
#include "core/lower/unroll_loops.h"
#include "core/lower/vectorize_loops.h"
#include "core/support/error.h"

namespace nestwright {

LoopFunction lower(const State& state, const LowerOptions& options) {
  if (!state.isConcrete())
    throw IllegalSchedule("the program is a sketch: some tile sizes are undecided");
  LoopFunction function = buildLoopNest(state, inferBounds(state));
  auto announce = [&](const char* pass) {
    if (options.onPass) options.onPass(pass, function);
  };
  announce("build_loop_nest");
  auto run = [&](const char* pass, auto&& transform) {
    function.body = transform(function.body);
    announce(pass);
  };
  run("simplify_indices", simplifyIndices);
  run("strip_parallel", [&](const Stmt& s) { return stripParallelLoops(s, options); });
  run("serial_regions", [&](const Stmt& s) { return serialiseSmallRegions(s, options); });
  run("peel_guards", peelGuards);
  run("promote_accumulators", [&](const Stmt& s) { return promoteAccumulators(s, options); });
  if (options.packConstants) {
    packConstants(function, state.originalDag());
    announce("pack_constants");
  }
  run("vectorize_loops", [&](const Stmt& s) { return vectorizeLoops(s, options); });
  if (!options.unroll) return function;
  run("unroll_loops", unrollLoops);
  run("simplify_again", simplifyIndices);
  return function;
}

} // namespace nestwright
