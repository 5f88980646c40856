#include "core/schedule/tensor_instruction.h"
#include "core/space/annotate.h"
#include "core/space/state_facts.h"
#include "core/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

namespace nestwright {

namespace {

/// Of all blocks together; loops of more iterations give each thread several.
constexpr std::int64_t kGridStrideThreads = 262'144;

/// Powers of two from a warp up to a block, none twice as many as there are iterations.
std::vector<std::int64_t> threadChoices(const GpuFacts& gpu, std::int64_t iterations) {
  std::vector<std::int64_t> choices{gpu.warpThreads};
  while (choices.back() < iterations && choices.back() * 2 <= gpu.threadsPerBlock)
    choices.push_back(choices.back() * 2);
  return choices;
}

bool isBoundToThreads(const Stage& stage) {
  return std::any_of(stage.iterators.begin(), stage.iterators.end(), [](const Iterator& iterator) {
    return iterator.annotation == Annotation::ThreadX;
  });
}

void fuse(State& state, int stage, int first, int count) {
  FuseStep step{stage, std::vector<int>(static_cast<std::size_t>(count))};
  std::iota(step.iterators.begin(), step.iterators.end(), first);
  state.apply(step);
}

class ThreadBinding {
 public:
  ThreadBinding(State& state, const SpaceOptions& options, Random& random)
      : state_(state), options_(options), gpu_(options.target.gpu.value()), random_(random) {}

  void run() {
    const std::set<int> tiledRoots = findTiledRoots();
    for (int id = state_.stageCount() - 1; id >= 0; --id) {
      const Stage& stage = state_.stage(id);
      if (!hasLoops(stage)) continue;
      const bool isRoot = stage.location == ComputeLocation::Root;
      if (hasCrossThreadReduction(state_, id)) {
        if (isRoot) bindBlocks(id);
      } else if (isBoundToThreads(stage)) {
        continue;
      } else if (isRoot && tiledRoots.contains(id)) {
        bindTiles(id);
      } else if (isRoot) {
        bindPlainLoops(id);
      } else if (stage.scope == StorageScope::Shared) {
        bindFetch(id);
      }
    }
  }

 private:
  /// Stages in whose loops tiled ones are computed.
  std::set<int> findTiledRoots() const {
    const AccessAnalysis analysis(state_.dag());
    std::set<int> roots;
    for (int id = 0; id < state_.stageCount(); ++id)
      if (const auto point = state_.attachPoint(id); point && analysis.needsMultiLevelTiling(id))
        roots.insert(point->stage);
    return roots;
  }

  /// Joins the outer loops up to a reduction, an annotated loop or a place where another stage is
  /// computed. A single loop stays as it is; without one there is a loop of one iteration.
  void fuseOuterLoops(int id) {
    int count = 0;
    for (const Iterator& iterator : state_.stage(id).iterators) {
      if (iterator.kind == IteratorKind::Reduction || iterator.annotation != Annotation::None ||
          (count > 0 && state_.hasAttachedAt({id, count - 1})))
        break;
      ++count;
    }
    if (count != 1) fuse(state_, id, 0, count);
  }

  void bindBlocks(int id) {
    fuseOuterLoops(id);
    state_.apply(AnnotationStep{id, 0, Annotation::BlockX});
  }

  void bindPlainLoops(int id) {
    fuseOuterLoops(id);
    const std::int64_t iterations = state_.stage(id).iterators[0].extent.value();
    if (iterations <= gpu_.warpThreads) {
      state_.apply(AnnotationStep{id, 0, Annotation::ThreadX});
      return;
    }
    std::int64_t threads = gpu_.warpThreads;
    if (options_.draws == Draws::Own) threads = random_.pick(threadChoices(gpu_, iterations));
    if (isForGridStride(id, iterations) && random_.below(2) == 0)
      return bindGridStride(id, iterations, threads);
    state_.apply(SplitStep{id, 0, iterations, {threads}, true});
    state_.apply(AnnotationStep{id, 0, Annotation::BlockX});
    state_.apply(AnnotationStep{id, 1, Annotation::ThreadX});
  }

  /// All of it is one long loop.
  bool isForGridStride(int id, std::int64_t iterations) const {
    return options_.draws == Draws::Own && iterations > kGridStrideThreads &&
           state_.stage(id).iterators.size() == 1 && !state_.hasAttachedAt({id, 0});
  }

  /// As many blocks as keep a device busy, whose threads go on at the distance of all threads: what
  /// neighbours access stays together, and a block begins once.
  void bindGridStride(int id, std::int64_t iterations, std::int64_t threads) {
    const std::int64_t blocks = kGridStrideThreads / threads;
    state_.apply(SplitStep{id, 0, iterations, {blocks, threads, drawVector(id)}, true});
    state_.apply(ReorderStep{id, {1, 2, 0, 3}});
    state_.apply(AnnotationStep{id, 0, Annotation::BlockX});
    state_.apply(AnnotationStep{id, 1, Annotation::ThreadX});
    state_.apply(AnnotationStep{id, 3, Annotation::Vectorize});
  }

  /// The three outer levels of a tiled stage's consumer become blocks, virtual threads and threads;
  /// or two levels of blocks and warps, where an instruction computes the tiles.
  void bindTiles(int id) {
    using Levels = std::array<std::pair<const char*, Annotation>, 3>;
    constexpr Levels kThreads{
        {{".0", Annotation::BlockX}, {".1", Annotation::VThread}, {".2", Annotation::ThreadX}}};
    constexpr Levels kWarps{
        {{".0", Annotation::BlockY}, {".1", Annotation::BlockX}, {".2", Annotation::ThreadY}}};
    const std::optional<int> tensorStage = tensorStageIn(state_, id);
    const auto axes = static_cast<int>(state_.stage(id).op->axes.size());
    int at = 0;
    for (const auto& [suffix, annotation] : tensorStage ? kWarps : kThreads) {
      const std::vector<Iterator>& loops = state_.stage(id).iterators;
      const int end = std::min(at + axes, static_cast<int>(loops.size()));
      int next = at;
      // Loops that the operator wants whole end a level.
      while (next < end && loops[next].name.ends_with(suffix))
        ++next;
      fuse(state_, id, at, next - at);
      state_.apply(AnnotationStep{id, at, annotation});
      ++at;
    }
    if (tensorStage) bindLanes(id, at, *tensorStage);
  }

  /// Lets each lane of a warp store the sums that it holds: rows g and g + 8, columns 2t and 2t + 1
  /// of each tile are those of lane 4g + t. `first` is the first of the loops over a warp's tile.
  void bindLanes(int id, int first, int tensorStage) {
    const auto [rows, columns] = tileAxes(tensorStage);
    const auto axes = static_cast<int>(state_.stage(id).op->axes.size());
    // The later one first, so that the other one stays where it is.
    const std::vector<TileSize> ofRows{2, 8}, ofColumns{4, 2};
    // Without the extent that is cut, which other tile sizes change: these factors never do.
    const auto cut = [&](int axis, const std::vector<TileSize>& parts) {
      state_.apply(SplitStep{id, first + axis, TileSize(), parts, true});
    };
    if (rows > columns) cut(rows, ofRows);
    cut(columns, ofColumns);
    if (rows < columns) cut(rows, ofRows);
    const int rowParts = first + rows + (rows > columns ? 2 : 0);
    const int columnParts = first + columns + (columns > rows ? 2 : 0);
    const int group = rowParts + 2, member = columnParts + 1;
    ReorderStep order{id, {}};
    for (int i = 0; i < first; ++i)
      order.order.push_back(i);
    order.order.insert(order.order.end(), {group, member});
    for (int i = first; i < first + axes + 4; ++i)
      if (i != group && i != member) order.order.push_back(i);
    state_.apply(order);
    fuse(state_, id, first, 2);
    state_.apply(AnnotationStep{id, first, Annotation::ThreadX});
  }

  /// The spatial axes that the instruction's tiles lie along: those of its loops that it takes the
  /// place of.
  std::pair<int, int> tileAxes(int id) const {
    const Stage& stage = state_.stage(id);
    std::pair<int, int> found{-1, -1};
    const std::size_t axes = stage.op->axes.size(); // the innermost loops are one of each
    for (std::size_t axis = 0; axis < axes && axes <= stage.iterators.size(); ++axis) {
      const Iterator& loop = stage.iterators[stage.iterators.size() - axes + axis];
      if (loop.annotation != Annotation::Tensorize || loop.isReduction()) continue;
      if (loop.extent == TileSize(stage.tensorInstruction->m))
        found.first = static_cast<int>(axis);
      else if (loop.extent == TileSize(stage.tensorInstruction->n))
        found.second = static_cast<int>(axis);
    }
    if (found.first < 0 || found.second < 0)
      throw IllegalSchedule(fmt::format("the loops of {} are no tile of {}", stage.name(),
                                        stage.tensorInstruction->name));
    return found;
  }

  /// All threads of the block fetch together: each a vector, then the next, as many as there are.
  /// Where warps compute the tiles, each lane of each of them.
  void bindFetch(int id) {
    const int reader = state_.attachPoint(id).value().stage;
    const std::vector<int> tiles = spatialSplitSteps(state_, reader);
    fuse(state_, id, 0, static_cast<int>(state_.stage(id).iterators.size()));
    // Of one thread: that is what the public records tell.
    const TileSize fetched = state_.stage(id).iterators[0].extent;
    const bool ofWarps = state_.stage(reader).tensorInstruction != nullptr;
    std::vector<TileSize> parts{drawVector(id)};
    if (ofWarps) parts.insert(parts.begin(), gpu_.warpThreads);
    const auto vector = static_cast<int>(parts.size());
    state_.apply(SplitStep{id, 0, fetched, std::move(parts), true});
    state_.apply(AnnotationStep{id, vector, Annotation::Vectorize});
    if (ofWarps) state_.apply(AnnotationStep{id, 1, Annotation::ThreadX});
    constexpr int kThreadLevel = 1; // of the factors of a tile
    state_.apply(FollowFusedSplitStep{id, 0, tiles, kThreadLevel, true});
    state_.apply(AnnotationStep{id, 1, ofWarps ? Annotation::ThreadY : Annotation::ThreadX});
  }

  std::int64_t drawVector(int id) {
    if (options_.draws == Draws::Paper) return 1;
    const std::int64_t most = gpu_.vectorBytes / state_.stage(id).op->output->type.elementBytes();
    std::vector<std::int64_t> widths{1};
    while (widths.back() * 2 <= most)
      widths.push_back(widths.back() * 2);
    return random_.pick(widths);
  }

  State& state_;
  const SpaceOptions& options_;
  const GpuFacts& gpu_;
  Random& random_;
};

/// Iterations of the longest reduction whose threads are those of split step `split`.
std::int64_t longestFollower(const State& sketch, std::size_t split) {
  std::int64_t longest = 1;
  for (std::size_t i = split + 1; i < sketch.steps().size(); ++i)
    if (const auto* follow = std::get_if<FollowSplitStep>(&sketch.steps()[i]))
      if (follow->sourceStep == static_cast<int>(split))
        longest =
            std::max(longest, length(sketch.stage(finalStageOf(sketch.steps(), i)).op->reduceAxes));
  return longest;
}

} // namespace

void bindThreads(State& state, const SpaceOptions& options, Random& random) {
  ThreadBinding(state, options, random).run();
}

Steps drawReductionThreads(const State& sketch, Steps steps, const SpaceOptions& options,
                           Random& random) {
  if (!options.target.gpu || options.draws != Draws::Own) return steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto* split = std::get_if<SplitStep>(&steps[i]);
    if (split == nullptr || !split->extent || split->factors.size() != 1) continue;
    const std::vector<Annotation> parts = partAnnotations(sketch, i);
    if (parts.empty() || parts.back() != Annotation::ThreadX) continue;
    const std::int64_t iterations = std::max(*split->extent, longestFollower(sketch, i));
    split->factors[0] = random.pick(threadChoices(*options.target.gpu, iterations));
  }
  return steps;
}

} // namespace nestwright
