#include "core/schedule/loop_graph.h"

#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

LoopGraph::LoopGraph(const Stage& stage)
    : stage_(&stage),
      axisCount_(static_cast<int>(stage.op->axes.size() + stage.op->reduceAxes.size())) {
  nodes_.reserve(static_cast<std::size_t>(stage.loopCount) * 2);
  relations_.reserve(static_cast<std::size_t>(stage.loopCount));
  nodes_.resize(axisCount_);
  nodeOfLoop_.resize(stage.loopCount);
  for (int axis = 0; axis < axisCount_; ++axis)
    nodeOfLoop_[axis] = axis;
  for (const LoopRelation& relation : stage.relations) {
    if (const auto* split = std::get_if<SplitRelation>(&relation))
      addSplit(*split);
    else
      addFuse(std::get<FuseRelation>(relation));
  }
  leaves_.reserve(stage.iterators.size());
  for (const Iterator& iterator : stage.iterators)
    leaves_.push_back(nodeOfLoop_[iterator.loop]);
}

int LoopGraph::addNode(Origin origin) {
  nodes_.push_back({1, origin, static_cast<int>(relations_.size())});
  return static_cast<int>(nodes_.size()) - 1;
}

bool LoopGraph::isBound(int loop) const {
  const auto& iterators = stage_->iterators;
  return std::any_of(iterators.begin(), iterators.end(), [&](const Iterator& iterator) {
    return iterator.loop == loop && isThreadLoop(iterator.annotation);
  });
}

void LoopGraph::addSplit(const SplitRelation& split) {
  const std::size_t count = split.factors.size();
  int rest = nodeOfLoop_[split.parent];
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t at = split.innerToOuter ? count - 1 - n : n;
    NW_ASSERT(split.factors[at].has_value(), "bounds of an undecided split");
    const int part = split.parts[split.innerToOuter ? at + 1 : at];
    Relation relation{true, !split.innerToOuter, isBound(part), *split.factors[at], rest, 0, 0};
    relation.outer = addNode(Origin::Outer);
    relation.inner = addNode(Origin::Inner);
    relations_.push_back(relation);
    rest = split.innerToOuter ? relation.outer : relation.inner;
    nodeOfLoop_[part] = split.innerToOuter ? relation.inner : relation.outer;
  }
  nodeOfLoop_[split.parts[split.innerToOuter ? 0 : count]] = rest;
}

void LoopGraph::addFuse(const FuseRelation& fuse) {
  if (fuse.parts.empty()) {
    nodeOfLoop_[fuse.fused] = addNode(Origin::Empty);
    return;
  }
  int whole = nodeOfLoop_[fuse.parts[0]];
  for (std::size_t i = 1; i < fuse.parts.size(); ++i) {
    Relation relation{false, false, false, 0, 0, whole, nodeOfLoop_[fuse.parts[i]]};
    whole = relation.whole = addNode(Origin::Fused);
    relations_.push_back(relation);
  }
  nodeOfLoop_[fuse.fused] = whole;
}

void LoopGraph::setAxisExtents(const std::vector<std::int64_t>& extents) {
  for (int axis = 0; axis < axisCount_; ++axis)
    nodes_[axis].extent = extents[axis];
  for (const Relation& r : relations_) {
    const std::int64_t whole = nodes_[r.whole].extent;
    if (!r.isSplit) {
      nodes_[r.whole].extent = nodes_[r.outer].extent * nodes_[r.inner].extent;
    } else if (const std::int64_t rest = (whole + r.factor - 1) / r.factor; r.byParts) {
      nodes_[r.outer].extent = r.isBound ? r.factor : std::min(whole, r.factor);
      nodes_[r.inner].extent = rest;
    } else {
      nodes_[r.outer].extent = rest;
      nodes_[r.inner].extent = r.isBound ? r.factor : std::min(whole, r.factor);
    }
  }
}

std::string LoopGraph::name(int node) const {
  std::string result;
  appendName(node, result);
  return result;
}

void LoopGraph::appendName(int node, std::string& name) const {
  const auto relation = [&]() -> const Relation& { return relations_[nodes_[node].relation]; };
  switch (nodes_[node].origin) {
  case Origin::Axis: {
    const std::vector<Axis>& axes = stage_->op->axes;
    const auto index = static_cast<std::size_t>(node);
    name += index < axes.size() ? axes[index].name()
                                : stage_->op->reduceAxes[index - axes.size()].name();
    break;
  }
  case Origin::Outer:
    appendName(relation().whole, name);
    name += ".outer";
    break;
  case Origin::Inner:
    appendName(relation().whole, name);
    name += ".inner";
    break;
  case Origin::Fused:
    appendName(relation().outer, name);
    name += '.';
    appendName(relation().inner, name);
    name += ".fused";
    break;
  case Origin::Empty:
    name += "singleton";
    break;
  }
}

std::vector<Interval> LoopGraph::passUp(const std::vector<Interval>& leaves) const {
  std::vector<Interval> values(nodes_.size());
  for (std::size_t i = 0; i < leaves.size(); ++i)
    values[leaves_[i]] = leaves[i];
  const auto isFull = [&](int node) { return values[node].isExactly(nodes_[node].extent); };
  for (auto r = relations_.rbegin(); r != relations_.rend(); ++r) {
    if (r->isSplit) {
      if (isFull(r->outer) && isFull(r->inner)) {
        values[r->whole] = {0, nodes_[r->whole].extent};
        continue;
      }
      const std::int64_t stride = nodes_[r->inner].extent;
      const Interval& outer = values[r->outer];
      const Interval& inner = values[r->inner];
      Interval whole{scaled(outer.min, stride), (outer.extent - 1) * stride + inner.extent};
      add(whole.min, inner.min);
      values[r->whole] = std::move(whole);
    } else if (isFull(r->whole)) {
      values[r->outer] = {0, nodes_[r->outer].extent};
      values[r->inner] = {0, nodes_[r->inner].extent};
    } else {
      const std::int64_t stride = nodes_[r->inner].extent;
      if (nodes_[r->outer].extent > 1) values[r->outer] = floorDiv(values[r->whole], stride);
      if (stride > 1)
        values[r->inner] = floorMod(values[r->whole], stride, FusedVariable::UnknownRange);
    }
  }
  return values;
}

std::vector<int> LoopGraph::overflowingNodes() const {
  std::vector<bool> overflows(nodes_.size(), false);
  std::vector<int> guarded;
  for (auto r = relations_.rbegin(); r != relations_.rend(); ++r) {
    if (!r->isSplit) {
      if (overflows[r->whole]) guarded.push_back(r->whole);
      continue;
    }
    // The excess of the outer part shows in the whole. That of the inner part would look like
    // another iteration of the outer one, so it has to be caught here.
    if (overflows[r->inner]) guarded.push_back(r->inner);
    overflows[r->whole] =
        overflows[r->outer] ||
        nodes_[r->outer].extent * nodes_[r->inner].extent != nodes_[r->whole].extent;
  }
  for (int axis = 0; axis < axisCount_; ++axis)
    if (overflows[axis]) guarded.push_back(axis);
  return guarded;
}

} // namespace nestwright
