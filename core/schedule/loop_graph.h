#pragma once
/// \file How the loops of one stage come from its axes, as pairwise splits and fusions: the form in
/// which extents go down from axes to loops and values go up from loops to axes.

#include "core/schedule/index_interval.h"
#include "core/schedule/state.h"

#include <string>
#include <vector>

namespace nestwright {

class LoopGraph {
 public:
  /// The stage must be concrete.
  explicit LoopGraph(const Stage& stage);

  /// Fills in the extents of all loops from those of the axes (spatial, then reduction). The parts
  /// of a split are never longer than what they split, unless they are bound to threads: all loops
  /// on these have one extent.
  void setAxisExtents(const std::vector<std::int64_t>& extents);

  /// The node of the stage's iterator number `i`; the nodes of axes come first.
  int leaf(std::size_t i) const { return leaves_[i]; }
  std::size_t leafCount() const { return leaves_.size(); }
  int axisCount() const { return axisCount_; }
  std::int64_t extent(int node) const { return nodes_[node].extent; }

  /// The name that TVM gives to the loop: "i.outer.inner", "i.j.fused".
  std::string name(int node) const;

  /// The intervals of all nodes, given those of the leaves; the first `axisCount()` are the axes'.
  /// Every node counts from 0.
  std::vector<Interval> passUp(const std::vector<Interval>& leaves) const;

  /// Nodes whose value can leave [0, extent) while all loops run, because a split is imperfect. An
  /// iteration where one does must not be executed.
  std::vector<int> overflowingNodes() const;

 private:
  enum class Origin : std::uint8_t { Axis, Outer, Inner, Fused, Empty };
  struct Node {
    std::int64_t extent = 1;
    Origin origin = Origin::Axis;
    int relation = -1;
  };
  /// Split: `whole` becomes outer and inner. Fuse: outer and inner become `whole`.
  struct Relation {
    bool isSplit = true;
    bool byParts = false; // split: the factor counts outer iterations
    bool isBound = false; // split: the part that the factor sizes runs on that many threads
    std::int64_t factor = 0;
    int whole = 0, outer = 0, inner = 0;
  };

  int addNode(Origin origin);
  bool isBound(int loop) const;
  void addSplit(const SplitRelation& split);
  void addFuse(const FuseRelation& fuse);
  void appendName(int node, std::string& name) const;

  const Stage* stage_;
  int axisCount_;
  std::vector<Node> nodes_;
  std::vector<Relation> relations_;
  std::vector<int> nodeOfLoop_; // by the stage's loop numbers
  std::vector<int> leaves_;
};

} // namespace nestwright
