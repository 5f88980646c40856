#include "core/space/kernel_decisions.h"

#include "core/schedule/block_grid.h"
#include "core/schedule/pipeline.h"
#include "core/schedule/pragma.h"
#include "core/space/kernel_demand.h"
#include "core/space/state_facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

namespace {

using Kind = KernelDecision::Kind;

bool isFetch(const Stage& stage) {
  return stage.scope == StorageScope::Shared && stage.location == ComputeLocation::Attached;
}

std::int64_t fetchedAtOnce(const Stage& stage, const StageBounds& bounds) {
  for (std::size_t i = 0; i < stage.iterators.size(); ++i)
    if (stage.iterators[i].annotation == Annotation::Vectorize) return bounds.extents[i];
  return 1;
}

/// Rows of an odd number of vectors begin at other banks of shared memory each; threads that read
/// a column of vectors then do not wait for one another.
void addRows(const State& state, const Bounds& bounds, int id, const GpuFacts& gpu,
             std::vector<KernelDecision>& found) {
  const Stage& stage = state.stage(id);
  const StageBounds& region = bounds.stages[static_cast<std::size_t>(id)];
  const std::int64_t widest = gpu.vectorBytes / stage.op->output->type.elementBytes();
  std::int64_t row = 1;
  for (std::size_t axis = stage.op->axes.size(); axis-- > 0;) {
    const std::int64_t extent = region.axes[axis].extent;
    if (extent > 1 && row > 1) {
      KernelDecision rows{Kind::Rows, id, static_cast<int>(axis), {0}};
      rows.choices.push_back(fetchedAtOnce(stage, region));
      if (rows.choices.back() != widest) rows.choices.push_back(widest);
      found.push_back(std::move(rows));
      return;
    }
    row *= extent;
  }
}

void addPipeline(const State& state, const Bounds& bounds, int id, const GpuFacts& gpu,
                 std::vector<KernelDecision>& found) {
  // Without asynchronous copies a thread holds what it has fetched, of one tile only.
  const PragmaKind& kind = pragmaKinds()[static_cast<std::size_t>(Pragma::PipelineStages)];
  const std::int64_t most = gpu.architecture.major >= 8 ? kind.most : 2;
  KernelDecision pipeline{Kind::Pipeline, id, 0, {}};
  const std::int64_t tiles = fetchedTiles(state, bounds, id);
  for (std::int64_t stages = 1; stages <= std::min(most, tiles); ++stages)
    pipeline.choices.push_back(stages);
  if (pipeline.choices.size() > 1) found.push_back(std::move(pipeline));
}

void addRaster(const State& state, const Bounds& bounds, int id,
               std::vector<KernelDecision>& found) {
  const Stage& stage = state.stage(id);
  for (std::size_t i = 0; i < stage.iterators.size(); ++i) {
    if (stage.iterators[i].annotation != Annotation::BlockX) continue;
    const BlockGrid grid = blockGrid(stage, stage.iterators[i],
                                     bounds.stages[static_cast<std::size_t>(id)].extents[i]);
    KernelDecision raster{Kind::Raster, id, 0, {1}};
    for (std::int64_t rows = 2; rows <= 16 && grid.columns > 1; rows *= 2)
      if (grid.rows % rows == 0) raster.choices.push_back(rows);
    if (raster.choices.size() > 1) found.push_back(std::move(raster));
  }
}

/// Only what the compiler can do without spilling: it has to keep within what it is told.
void addMinBlocks(const KernelDemand& kernel, const GpuFacts& gpu,
                  std::vector<KernelDecision>& found) {
  constexpr std::int64_t kMost = 4;
  // The compiler has taken up to twice the estimate where indices are many. Those of fragments are
  // few, and so is what it takes beside them.
  const double slack = kernel.hasFragments ? 1.2 : 2;
  KernelDecision blocks{Kind::MinBlocks, kernel.root, 0, {1}};
  const std::int64_t threads = kernel.threadsPerBlock();
  const std::int64_t shared = kernel.sharedBytes + gpu.sharedBytesReserved;
  const auto suffices = [&](int registers) {
    return registers == gpu.registersPerThread || slack * kernel.neededRegisters() <= registers;
  };
  for (std::int64_t count = 2; count <= kMost; ++count)
    if (count * threads <= gpu.threadsPerMultiprocessor && count <= gpu.blocksPerMultiprocessor &&
        count * shared <= gpu.sharedBytesPerMultiprocessor &&
        suffices(registerLimit(count * threads, gpu)))
      blocks.choices.push_back(count);
  if ((kernel.isTiled || kernel.hasFragments) && blocks.choices.size() > 1)
    found.push_back(std::move(blocks));
}

Pragma pragmaOf(Kind kind) {
  return kind == Kind::Pipeline ? Pragma::PipelineStages
         : kind == Kind::Raster ? Pragma::RasterRows
                                : Pragma::MinBlocks;
}

/// The step that has made this decision.
std::optional<std::size_t> decidingStep(const Steps& steps, const KernelDecision& decision) {
  for (std::size_t i = steps.size(); i-- > 0;) {
    const auto* pragma = std::get_if<PragmaStep>(&steps[i]);
    const auto* rows = std::get_if<StorageAlignStep>(&steps[i]);
    const PragmaKind* kind = pragma ? pragmaKindOf(pragma->pragma) : nullptr;
    const bool decides = decision.kind == Kind::Rows
                             ? rows != nullptr
                             : kind != nullptr && kind->pragma == pragmaOf(decision.kind);
    if (decides && finalStageOf(steps, i) == decision.stage) return i;
  }
  return std::nullopt;
}

/// Moves the numbers of steps that others refer to: those from `first` on.
void shiftReferences(Steps& steps, std::size_t first, int by) {
  const auto shift = [&](int& step) {
    if (step >= static_cast<int>(first)) step += by;
  };
  for (Step& step : steps)
    if (auto* follow = std::get_if<FollowSplitStep>(&step))
      shift(follow->sourceStep);
    else if (auto* fused = std::get_if<FollowFusedSplitStep>(&step))
      std::ranges::for_each(fused->sourceSteps, shift);
}

/// Where the loops of the stage are still its axes: before the first step that changes them.
std::size_t placeForRows(const Steps& steps, int stage) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const bool changesLoops = std::holds_alternative<FuseStep>(step) ||
                              std::holds_alternative<SplitStep>(step) ||
                              std::holds_alternative<ReorderStep>(step) ||
                              std::holds_alternative<FollowSplitStep>(step) ||
                              std::holds_alternative<FollowFusedSplitStep>(step);
    if (changesLoops && finalStageOf(steps, i) == stage) return i;
  }
  return steps.size();
}

/// A step at `place`; `stage` is numbered as it is there.
Step stepFor(const KernelDecision& decision, int stage, std::int64_t choice) {
  if (decision.kind == Kind::Rows)
    return StorageAlignStep{stage, decision.axis, static_cast<int>(2 * choice),
                            static_cast<int>(choice)};
  return PragmaStep{stage, 0, pragmaText(pragmaOf(decision.kind), choice)};
}

} // namespace

std::vector<KernelDecision> kernelDecisions(const State& state, const Bounds& bounds,
                                            const SpaceOptions& options) {
  std::vector<KernelDecision> found;
  if (!options.target.gpu || options.draws != Draws::Own) return found;
  const GpuFacts& gpu = *options.target.gpu;
  for (int id = 0; id < state.stageCount(); ++id) {
    const Stage& stage = state.stage(id);
    if (!hasLoops(stage)) continue;
    if (isFetch(stage)) addRows(state, bounds, id, gpu, found);
    addPipeline(state, bounds, id, gpu, found);
    if (stage.location == ComputeLocation::Root) addRaster(state, bounds, id, found);
  }
  for (const KernelDemand& kernel : kernelDemands(state, bounds, gpu))
    addMinBlocks(kernel, gpu, found);
  return found;
}

Steps withChoice(const Steps& steps, const KernelDecision& decision, std::int64_t choice) {
  Steps result = steps;
  const bool isDefault = choice == decision.choices.front();
  if (const std::optional<std::size_t> at = decidingStep(steps, decision)) {
    const auto position = static_cast<std::ptrdiff_t>(*at);
    if (!isDefault) {
      result[*at] = stepFor(decision, stageOf(steps[*at]), choice);
      return result;
    }
    result.erase(result.begin() + position);
    shiftReferences(result, *at, -1);
    return result;
  }
  if (isDefault) return result;
  std::size_t place = steps.size();
  int stage = decision.stage;
  if (decision.kind == Kind::Rows) {
    place = placeForRows(steps, decision.stage);
    if (place < steps.size()) stage = stageOf(steps[place]);
  }
  shiftReferences(result, place, 1);
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(place),
                stepFor(decision, stage, choice));
  return result;
}

namespace {

/// Its threads go on at the distance of all threads.
bool hasGridStride(const Stage& stage, const StageBounds& bounds) {
  const std::vector<Iterator>& loops = stage.iterators;
  return stage.location == ComputeLocation::Root && loops.size() > 2 &&
         loops[0].annotation == Annotation::BlockX && loops[1].annotation == Annotation::ThreadX &&
         loops[2].annotation == Annotation::None && !loops[2].isReduction() &&
         bounds.extents[2] > 1;
}

} // namespace

std::vector<std::string> kernelFeatures(const State& state, const Bounds& bounds,
                                        const SpaceOptions& options) {
  std::vector<std::string> found;
  if (!options.target.gpu) return found;
  const GpuFacts& gpu = *options.target.gpu;
  bool padded = false;
  std::int64_t widest = 0;
  for (int id = 0; id < state.stageCount(); ++id) {
    const Stage& stage = state.stage(id);
    if (!hasLoops(stage)) continue;
    if (hasGridStride(stage, bounds.stages[static_cast<std::size_t>(id)]))
      found.emplace_back("a grid-stride loop");
    if (isFetch(stage)) {
      padded |= !stage.alignments.empty();
      widest = std::max(widest, fetchedAtOnce(stage, bounds.stages[static_cast<std::size_t>(id)]));
    }
    if (const std::int64_t tiles = tilesAtOnce(state, bounds, id); tiles > 1)
      found.push_back(fmt::format("{} pipeline stages", tiles));
    if (stage.rasterRows > 1)
      found.push_back(fmt::format("{} rows of blocks together", stage.rasterRows));
    if (stage.minBlocks > 1)
      found.push_back(fmt::format("{} blocks a multiprocessor", stage.minBlocks));
  }
  for (std::size_t i = 1; i < state.steps().size(); ++i)
    if (const auto* parts = std::get_if<SplitStep>(&state.steps()[i - 1]);
        parts != nullptr && std::holds_alternative<RfactorStep>(state.steps()[i]))
      found.push_back(fmt::format("a reduction in {} parts", sizeText(parts->factors[0])));
  if (padded) found.emplace_back("padded rows");
  if (widest > 1) found.push_back(fmt::format("fetches of {} elements", widest));
  for (const KernelDemand& kernel : kernelDemands(state, bounds, gpu))
    if (kernel.sharedBytes > gpu.sharedBytesPerBlock)
      found.emplace_back("more shared memory than a block has unasked");
  return found;
}

} // namespace nestwright
