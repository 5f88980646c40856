#include "core/lower/build_loop_nest.h"
#include "core/lower/lower.h"
#include "core/lower/simplify_indices.h"
#include "core/support/error.h"

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

} // namespace

LoopFunction lowerNaive(const ComputeDag& dag) {
  Bounds bounds;
  for (const Op& op : dag.ops())
    bounds.stages.push_back(op->isCompute() ? domainBounds(*op) : StageBounds());
  LoopFunction function = buildLoopNest(State(dag), bounds);
  function.name = "naive";
  function.body = simplifyIndices(function.body);
  return function;
}

} // namespace nestwright
