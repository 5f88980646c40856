/// \file Cache-write: the computation of X moves to a new stage X.scope; X becomes a copy of it.

#include "core/schedule/step_applier.h"

#include <algorithm>

namespace nestwright {

namespace {

std::vector<std::int64_t> extents(const std::vector<Axis>& axes) {
  std::vector<std::int64_t> result;
  for (const Axis& axis : axes)
    result.push_back(axis.extent);
  return result;
}

/// `body` over other variables: `from[i]` becomes `to[i]`.
Expr renamed(const Expr& body, const std::vector<Axis>& from, const std::vector<Expr>& to,
             const std::vector<Axis>& reduceFrom, const std::vector<Expr>& reduceTo) {
  return substitute(body, [&](const Var& var) {
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i].var == var) return to[i];
    for (std::size_t i = 0; i < reduceFrom.size(); ++i)
      if (reduceFrom[i].var == var) return reduceTo[i];
    return Expr();
  });
}

/// The operator that computes what `op` computes, under another name and with axes `i.c`.
Op cachedComputation(const OpNode& op, const std::string& name) {
  std::vector<std::string> axisNames;
  for (const Axis& axis : op.axes)
    axisNames.push_back(axis.name() + ".c");
  if (!op.reducer) {
    return compute(
        name, extents(op.axes),
        [&](const std::vector<Expr>& axes) { return renamed(op.body, op.axes, axes, {}, {}); },
        std::move(axisNames), op.attributes);
  }
  std::vector<NamedExtent> reduceAxes;
  for (const Axis& axis : op.reduceAxes)
    reduceAxes.push_back({axis.name(), axis.extent});
  return reduce(
      name, *op.reducer, extents(op.axes), std::move(reduceAxes),
      [&](const std::vector<Expr>& axes, const std::vector<Expr>& reduced) {
        return renamed(op.body, op.axes, axes, op.reduceAxes, reduced);
      },
      std::move(axisNames), op.attributes);
}

/// `op` as an element-wise copy of `source`. It keeps its axes and its output, so that its readers
/// need not change.
Op copyOf(const OpNode& op, const Op& source) {
  OpNode copy;
  copy.kind = OpNode::Kind::Compute;
  copy.output = op.output;
  copy.axes = op.axes;
  copy.attributes = op.attributes;
  std::vector<Expr> indices;
  for (const Axis& axis : op.axes)
    indices.emplace_back(axis.var);
  copy.body = read(source, std::move(indices));
  return std::make_shared<const OpNode>(std::move(copy));
}

bool isUntouched(const Stage& stage) {
  return stage.location == ComputeLocation::Root && stage.relations.empty() &&
         !stage.autoUnrollMaxStep && !hasKernelPragmas(stage) && stage.alignments.empty() &&
         std::all_of(stage.iterators.begin(), stage.iterators.end(), [&](const Iterator& iterator) {
           const int position = static_cast<int>(&iterator - stage.iterators.data());
           return iterator.annotation == Annotation::None && iterator.loop == position;
         });
}

} // namespace

void StepApplier::operator()(const CacheWriteStep& step) {
  const Stage& old = computeStage(step.stage);
  if (!isUntouched(old)) refuse("{} was already changed by an earlier step", old.name());
  requireNothingInside(step.stage);
  if (step.scope.empty()) refuse("the scope of the cache is empty");
  const std::string name = fmt::format("{}.{}", old.name(), step.scope);
  if (hasStage(name)) refuse("there is already a stage {}", name);

  const Op computation = cachedComputation(*old.op, name);
  const Op copy = copyOf(*old.op, computation);
  std::vector<Op> ops = state_.current_.ops();
  ops[step.stage] = copy;
  ops.insert(ops.begin() + step.stage, computation);

  Stage& written = state_.mutableStage(step.stage);
  std::string label = std::move(written.label);
  const StorageScope scope = written.scope;
  written = initialStage(copy);
  written.label = std::move(label);
  written.scope = scope;
  insertStage(step.stage, computation, std::move(ops));
  state_.mutableStage(step.stage).scope = scopeNamed(step.scope);
}

} // namespace nestwright
