/// \file Rfactor: one loop of a reduction becomes a dimension of partial results, X.rf, which the
/// remaining reduction, X.repl, combines.

#include "core/schedule/loop_graph.h"
#include "core/schedule/step_applier.h"

#include <algorithm>
#include <numeric>

namespace nestwright {

namespace {

/// A tile size that is still undecided counts as 1 here: the extents of the new stages, and with
/// them a sketch's loops, are those of the public implementation's placeholder.
Stage withPlaceholders(Stage stage) {
  for (LoopRelation& relation : stage.relations)
    if (auto* split = std::get_if<SplitRelation>(&relation))
      for (TileSize& factor : split->factors)
        factor = factor.value_or(1);
  return stage;
}

LoopGraph graphOf(const Stage& stage) {
  LoopGraph graph(stage);
  std::vector<std::int64_t> extents;
  for (const auto* axes : {&stage.op->axes, &stage.op->reduceAxes})
    for (const Axis& axis : *axes)
      extents.push_back(axis.extent);
  graph.setAxisExtents(extents);
  return graph;
}

/// Which loops were made from, or together with, loop `start`; by loop number.
std::vector<bool> relatives(const Stage& stage, int start) {
  std::vector<int> family(stage.loopCount);
  std::iota(family.begin(), family.end(), 0);
  const auto join = [&](int a, int b) {
    const int from = family[a], to = family[b];
    std::replace(family.begin(), family.end(), from, to);
  };
  for (const LoopRelation& relation : stage.relations) {
    if (const auto* split = std::get_if<SplitRelation>(&relation)) {
      for (const int part : split->parts)
        join(part, split->parent);
    } else {
      const auto& fuse = std::get<FuseRelation>(relation);
      for (const int part : fuse.parts)
        join(part, fuse.fused);
    }
  }
  std::vector<bool> result;
  for (const int member : family)
    result.push_back(member == family[start]);
  return result;
}

/// The loops that the partial results reduce: those related to the factor first.
std::vector<int> reducedIterators(const Stage& stage, int factor,
                                  const std::vector<bool>& related) {
  std::vector<int> result;
  for (const bool wanted : {true, false})
    for (int i = 0; i < static_cast<int>(stage.iterators.size()); ++i) {
      const Iterator& iterator = stage.iterators[i];
      if (iterator.isReduction() && i != factor && related[iterator.loop] == wanted)
        result.push_back(i);
    }
  return result;
}

/// The body of the partial results: the reduction axes come from the loops that they were split
/// into. `value` gives the variable of each loop; iterations outside of the domain count nothing.
Expr partialBody(const Stage& stage, const LoopGraph& graph, const std::vector<Expr>& axes,
                 const std::vector<Expr>& value) {
  const OpNode& op = *stage.op;
  std::vector<Interval> leaves;
  for (std::size_t i = 0; i < graph.leafCount(); ++i) {
    const std::int64_t extent = graph.extent(graph.leaf(i));
    const bool isTrivial = extent == 1 || !value[i];
    leaves.push_back({isTrivial ? Affine(0) : Affine(value[i], IntRange{0, extent - 1}), 1});
  }
  const std::vector<Interval> values = graph.passUp(leaves);
  const Expr body = substitute(op.body, [&](const Var& var) {
    for (std::size_t i = 0; i < op.axes.size(); ++i)
      if (op.axes[i].var == var) return axes[i];
    for (std::size_t i = 0; i < op.reduceAxes.size(); ++i)
      if (op.reduceAxes[i].var == var) return toExpr(values[op.axes.size() + i].min);
    return Expr();
  });
  Expr inside;
  for (const int node : graph.overflowingNodes()) {
    const Expr condition = toExpr(values[node].min) < intImm(graph.extent(node));
    inside = inside ? inside && condition : condition;
  }
  return inside ? ifThenElse(inside, body, identity(*op.reducer, op.output->type)) : body;
}

struct Factorisation {
  Op partial, rest;
};

Factorisation factorise(const Stage& stage, int factor, int position, const std::string& name) {
  const OpNode& op = *stage.op;
  const LoopGraph graph = graphOf(stage);
  const std::vector<int> reduced =
      reducedIterators(stage, factor, relatives(stage, stage.iterators[factor].loop));
  const auto nameOf = [&](int iterator) { return graph.name(graph.leaf(iterator)); };
  const auto extentOf = [&](int iterator) { return graph.extent(graph.leaf(iterator)); };

  std::vector<std::int64_t> shape;
  std::vector<std::string> axisNames;
  for (const Axis& axis : op.axes) {
    shape.push_back(axis.extent);
    axisNames.push_back(axis.name());
  }
  shape.insert(shape.begin() + position, extentOf(factor));
  axisNames.insert(axisNames.begin() + position, nameOf(factor));
  std::vector<NamedExtent> reduceAxes;
  for (const int iterator : reduced)
    reduceAxes.push_back({nameOf(iterator), extentOf(iterator)});

  const auto body = [&](const std::vector<Expr>& axes, const std::vector<Expr>& loops) {
    std::vector<Expr> spatial = axes;
    std::vector<Expr> value(stage.iterators.size());
    value[factor] = axes[position];
    spatial.erase(spatial.begin() + position);
    for (std::size_t i = 0; i < reduced.size(); ++i)
      value[reduced[i]] = loops[i];
    return partialBody(stage, graph, spatial, value);
  };
  const Op partial =
      reduced.empty()
          ? compute(
                name, shape, [&](const std::vector<Expr>& axes) { return body(axes, {}); },
                axisNames, op.attributes)
          : reduce(name, *op.reducer, shape, reduceAxes, body, axisNames, op.attributes);

  OpNode rest;
  rest.kind = OpNode::Kind::Compute;
  rest.output = op.output;
  rest.reducer = op.reducer;
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < op.axes.size(); ++d) {
    rest.axes.push_back({makeVar(fmt::format("ax{}", d)), op.axes[d].extent});
    indices.emplace_back(rest.axes.back().var);
  }
  rest.reduceAxes.push_back({makeVar(fmt::format("{}.v", nameOf(factor))), extentOf(factor)});
  indices.insert(indices.begin() + position, Expr(rest.reduceAxes.back().var));
  rest.body = read(partial, std::move(indices));
  return {partial, std::make_shared<const OpNode>(std::move(rest))};
}

} // namespace

void StepApplier::operator()(const RfactorStep& step) {
  const Stage old = withPlaceholders(loopStage(step.stage));
  const Iterator& factor = iterator(step.stage, step.iterator);
  const int rank = static_cast<int>(old.op->axes.size());
  if (factor.kind != IteratorKind::Reduction)
    refuse("loop {} of {} does not reduce", factor.name, old.name());
  if (step.factorIterator < 0 || step.factorIterator > rank)
    refuse("dimension {} cannot be added to the {} of {}", step.factorIterator, rank, old.name());
  requireNothingInside(step.stage);
  // The new stages start with plain loops; what was done to others than the factor's would be lost.
  const std::vector<bool> related = relatives(old, factor.loop);
  const bool isPlain =
      !old.autoUnrollMaxStep && !hasKernelPragmas(old) && old.alignments.empty() &&
      std::all_of(old.iterators.begin(), old.iterators.end(), [&](const Iterator& it) {
        const auto position = static_cast<int>(&it - old.iterators.data());
        const int axes = rank + static_cast<int>(old.op->reduceAxes.size());
        return it.annotation == Annotation::None && (position < rank) == (it.loop < rank) &&
               (position >= rank || it.loop == position) && (related[it.loop] || it.loop < axes);
      });
  if (!isPlain) refuse("more of {} than its reduction was changed by an earlier step", old.name());
  const std::string name = old.name() + ".rf";
  const std::string label = old.name() + ".repl";
  if (hasStage(name) || hasStage(label)) refuse("there is already a stage {} or {}", name, label);

  const auto [partial, rest] = factorise(old, step.iterator, step.factorIterator, name);
  std::vector<Op> ops = state_.current_.ops();
  ops[step.stage] = rest;
  ops.insert(ops.begin() + step.stage, partial);
  Stage& remaining = state_.mutableStage(step.stage);
  const ComputeLocation location = remaining.location;
  remaining = initialStage(rest);
  remaining.label = label;
  remaining.location = location;
  if (location == ComputeLocation::Attached) forgetExtents(remaining);
  insertStage(step.stage, partial, std::move(ops));
}

} // namespace nestwright
