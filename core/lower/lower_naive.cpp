#include "core/lower/build_loop_nest.h"
#include "core/lower/lower.h"
#include "core/lower/simplify_indices.h"
#include "core/support/error.h"

#include <numeric>

namespace nestwright {
namespace {

/// Bounds of a program without steps: every loop is an axis, over its whole domain.
StageBounds domainBounds(const OpNode& op) {
  StageBounds bounds;
  auto add = [&](const Axis& axis) {
    Var var = makeVar(axis.name());
    bounds.axes.push_back({0, axis.extent});
    bounds.extents.push_back(axis.extent);
    bounds.loopVars.push_back(var);
    bounds.axisValues.push_back(axis.extent == 1 ? Expr(0) : Expr(var));
  };
  for (const Axis& axis : op.axes)
    add(axis);
  for (const Axis& axis : op.reduceAxes)
    add(axis);
  return bounds;
}

LoopFunction forProcessor(const ComputeDag& dag) {
  Bounds bounds;
  for (const Op& op : dag.ops())
    bounds.stages.push_back(op->isCompute() ? domainBounds(*op) : StageBounds());
  LoopFunction function = buildLoopNest(State(dag), bounds);
  function.name = "naive";
  function.body = simplifyIndices(function.body);
  return function;
}

LoopFunction forGpu(const ComputeDag& dag, const GpuFacts& gpu) {
  constexpr std::int64_t kThreads = 256;
  State state(dag);
  for (int id = 0; id < state.stageCount(); ++id) {
    const OpNode& op = *state.stage(id).op;
    if (!op.isCompute()) continue;
    std::vector<int> spatial(op.axes.size());
    std::iota(spatial.begin(), spatial.end(), 0);
    if (spatial.size() != 1) state.apply(FuseStep{id, spatial});
    const std::int64_t elements = op.output->elements();
    state.apply(SplitStep{id, 0, elements, {std::min(kThreads, elements)}, true});
    state.apply(AnnotationStep{id, 0, Annotation::BlockX});
    state.apply(AnnotationStep{id, 1, Annotation::ThreadX});
  }
  LowerOptions options;
  options.gpu = gpu;
  LoopFunction function = lower(state, options);
  function.name = "naive";
  return function;
}

} // namespace

LoopFunction lowerNaive(const ComputeDag& dag, const std::optional<GpuFacts>& gpu) {
  return gpu ? forGpu(dag, *gpu) : forProcessor(dag);
}

} // namespace nestwright
