#include "core/schedule/loop_tree.h"

#include "core/schedule/bounds.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace nestwright {

namespace {

/// How each loop of a stage came from its axes.
class LoopOrigins {
 public:
  explicit LoopOrigins(const Stage& stage) : origins_(static_cast<std::size_t>(stage.loopCount)) {
    const std::size_t spatial = stage.op->axes.size();
    for (std::size_t i = 0; i < spatial + stage.op->reduceAxes.size() && i < origins_.size(); ++i)
      origins_[i].axes = {i < spatial ? stage.op->axes[i].name()
                                      : stage.op->reduceAxes[i - spatial].name()};
    for (const LoopRelation& relation : stage.relations) {
      if (const auto* split = std::get_if<SplitRelation>(&relation))
        add(*split);
      else
        add(std::get<FuseRelation>(relation));
    }
  }

  const TileLevel& tile(int loop) const { return origins_[static_cast<std::size_t>(loop)].tile; }
  std::string axes(int loop) const {
    return fmt::format("{}", fmt::join(origins_[static_cast<std::size_t>(loop)].axes, ", "));
  }

 private:
  struct Origin {
    std::vector<std::string> axes; // outermost first
    TileLevel tile;
  };

  /// Parts of a part take their place within the whole: 0 of 2 split in two is 0 and 1 of 3.
  void add(const SplitRelation& split) {
    const Origin whole = origins_[static_cast<std::size_t>(split.parent)];
    const int parts = static_cast<int>(split.parts.size());
    for (int i = 0; i < parts; ++i)
      origins_[static_cast<std::size_t>(split.parts[static_cast<std::size_t>(i)])] = {
          whole.axes, {whole.tile.level + i, whole.tile.of + parts - 1}};
  }

  void add(const FuseRelation& fuse) {
    Origin& fused = origins_[static_cast<std::size_t>(fuse.fused)];
    for (std::size_t i = 0; i < fuse.parts.size(); ++i) {
      const Origin& part = origins_[static_cast<std::size_t>(fuse.parts[i])];
      for (const std::string& axis : part.axes)
        if (std::ranges::find(fused.axes, axis) == fused.axes.end()) fused.axes.push_back(axis);
      if (i == 0) fused.tile = part.tile;
      if (!(part.tile == fused.tile)) fused.tile = {};
    }
  }

  std::vector<Origin> origins_;
};

class TreeBuilder {
 public:
  TreeBuilder(const State& state, const Bounds* bounds, bool trivialLoops)
      : state_(state), bounds_(bounds), trivialLoops_(trivialLoops) {}

  LoopTree build() {
    for (int id = 0; id < state_.stageCount(); ++id) {
      const Stage& stage = state_.stage(id);
      if (stage.isPlaceholder())
        tree_.inputs.push_back(stage.name());
      else if (stage.location == ComputeLocation::Inlined)
        tree_.inlined.push_back(stage.name());
      else if (stage.location == ComputeLocation::Root)
        addStage(id, -1, 0);
    }
    return std::move(tree_);
  }

 private:
  LoopNode& add(LoopNode::Kind kind, int id, int parent, int depth) {
    LoopNode& node = tree_.nodes.emplace_back();
    node.kind = kind, node.parent = parent, node.depth = depth, node.stage = id;
    node.owner = state_.stage(id).name();
    return node;
  }

  void addPragma(int id, int parent, int depth, const char* name, std::int64_t value) {
    if (value != 0)
      add(LoopNode::Kind::Pragma, id, parent, depth).text = fmt::format("{}: {}", name, value);
  }

  void addStage(int id, int parent, int depth) {
    const Stage& stage = state_.stage(id);
    const LoopOrigins origins(stage);
    addPragma(id, parent, depth, "auto_unroll", stage.autoUnrollMaxStep.value_or(0));
    addPragma(id, parent, depth, "pipeline_stages",
              stage.pipelineStages > 1 ? stage.pipelineStages : 0);
    addPragma(id, parent, depth, "raster", stage.rasterRows > 1 ? stage.rasterRows : 0);
    addPragma(id, parent, depth, "min_blocks", stage.minBlocks > 1 ? stage.minBlocks : 0);
    addPragma(id, parent, depth, "storage_offset", stage.storageOffset);
    for (std::size_t i = 0; i < stage.iterators.size(); ++i) {
      const TileSize extent = extentOf(id, i);
      if (trivialLoops_ || extent != TileSize(1)) {
        LoopNode& loop = add(LoopNode::Kind::Loop, id, parent, depth);
        describe(loop, stage.iterators[i], origins);
        loop.iterator = static_cast<int>(i), loop.extent = extent;
        fromBounds(loop, id, i);
        parent = static_cast<int>(tree_.nodes.size()) - 1;
        ++depth;
      }
      for (const int attached : state_.attachedAt({id, static_cast<int>(i)}))
        addStage(attached, parent, depth);
    }
    add(LoopNode::Kind::Statement, id, parent, depth);
  }

  static void describe(LoopNode& loop, const Iterator& iterator, const LoopOrigins& origins) {
    loop.name = iterator.name;
    loop.annotation = iterator.annotation;
    loop.iteratorKind = iterator.kind;
    loop.axes = origins.axes(iterator.loop);
    loop.tile = origins.tile(iterator.loop);
    if (iterator.min) loop.min = print(iterator.min, DagText::Tvm);
  }

  TileSize extentOf(int id, std::size_t iterator) const {
    if (bounds_) return bounds_->stages[static_cast<std::size_t>(id)].extents[iterator];
    return state_.stage(id).iterators[iterator].extent;
  }

  void fromBounds(LoopNode& loop, int id, std::size_t iterator) const {
    if (!bounds_) return;
    const StageBounds& known = bounds_->stages[static_cast<std::size_t>(id)];
    // A loop that still is a whole axis runs from the region's start.
    const auto axis = static_cast<std::size_t>(state_.stage(id).iterators[iterator].loop);
    if (axis < known.axes.size() && !isConst(known.axes[axis].min, 0))
      loop.min = print(known.axes[axis].min, DagText::Tvm);
  }

  const State& state_;
  const Bounds* bounds_;
  bool trivialLoops_;
  LoopTree tree_;
};

} // namespace

std::string LoopNode::line() const {
  switch (kind) {
  case Kind::Pragma:
    return fmt::format("{} {}", owner, text);
  case Kind::Statement:
    return fmt::format("{} = ...", owner);
  case Kind::Loop:
    break;
  }
  const std::string range =
      extent ? fmt::format("({},{})", min.empty() ? "0" : min, *extent) : std::string("(None)");
  return fmt::format("{} {} {}", keyword(annotation), name, range);
}

LoopTree loopTree(const State& state, bool trivialLoops) {
  std::optional<Bounds> bounds;
  std::string problem;
  try {
    if (state.isConcrete()) bounds = inferBounds(state);
  } catch (const IllegalSchedule& illegal) {
    problem = illegal.what();
  }
  LoopTree tree = TreeBuilder(state, bounds ? &*bounds : nullptr, trivialLoops).build();
  tree.problem = std::move(problem);
  return tree;
}

} // namespace nestwright
