#include "core/space/kernel_legality.h"

#include "core/schedule/tensor_instruction.h"
#include "core/space/kernel_demand.h"
#include "core/space/state_facts.h"
#include "core/support/quantity.h"
#include "core/target/kernel_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace nestwright {

namespace {

/// The estimate of registers may be off by this much before a program is refused.
constexpr double kRegisterSlack = 1.3;

std::optional<Illegality> tooManyThreads(std::string_view kernel, std::int64_t threads,
                                         const GpuFacts& gpu) {
  if (threads <= gpu.threadsPerBlock) return std::nullopt;
  return Illegality{Refusal::Threads,
                    fmt::format("the kernel of {} has {} threads in a block, more "
                                "than {}",
                                kernel, threads, gpu.threadsPerBlock)};
}

/// Small ones cannot have more: those of few elements.
std::optional<Illegality> tooFewThreads(std::string_view kernel, std::int64_t threads,
                                        std::int64_t elements, const GpuFacts& gpu) {
  if (threads >= gpu.warpThreads || elements <= std::int64_t{2} * gpu.warpThreads)
    return std::nullopt;
  return Illegality{Refusal::FewThreads,
                    fmt::format("the kernel of {} has {} in a block, fewer than a warp", kernel,
                                quantity(threads, "thread"))};
}

std::optional<Illegality> tooManyVirtualThreads(std::string_view kernel, std::int64_t threads,
                                                const GpuFacts& gpu) {
  if (threads <= gpu.virtualThreads()) return std::nullopt;
  return Illegality{Refusal::VirtualThreads,
                    fmt::format("the kernel of {} has {} virtual threads, more than {}", kernel,
                                threads, gpu.virtualThreads())};
}

std::optional<Illegality> tooManyRegisters(std::string_view kernel, std::int64_t largestTile,
                                           double estimate, std::int64_t threads,
                                           const GpuFacts& gpu) {
  if (largestTile > kMostRegisterElements)
    return Illegality{Refusal::Registers,
                      fmt::format("the kernel of {} keeps {} elements of one tile in the registers "
                                  "of a thread, more than {}",
                                  kernel, largestTile, kMostRegisterElements)};
  const int limit = registerLimit(threads, gpu);
  if (estimate <= kRegisterSlack * limit) return std::nullopt;
  return Illegality{
      Refusal::Registers,
      fmt::format("the kernel of {} needs about {:.0f} registers a thread, and each of "
                  "{} has {}",
                  kernel, estimate, quantity(threads, "thread"), limit)};
}

/// Our own draws may ask for as much as a block can be given, those of the paper for what it has
/// without asking. Blocks that a multiprocessor is to hold at once share its memory.
std::optional<Illegality> tooMuchSharedMemory(std::string_view name, const KernelDemand& kernel,
                                              const SpaceOptions& options, KernelLimits limits) {
  const GpuFacts& gpu = options.target.gpu.value();
  std::int64_t limit = gpu.sharedBytesPerBlock;
  if (options.draws == Draws::Own && limits == KernelLimits::Sketches)
    limit = std::max<std::int64_t>(limit, gpu.sharedBytesPerBlockOptIn);
  if (kernel.minBlocks > 1)
    limit = std::min<std::int64_t>(limit, gpu.sharedBytesPerMultiprocessor / kernel.minBlocks -
                                              gpu.sharedBytesReserved);
  if (kernel.sharedBytes <= limit) return std::nullopt;
  return Illegality{
      Refusal::SharedMemory,
      fmt::format("the kernel of {} needs {} bytes of shared memory, more than the {} of a block",
                  name, kernel.sharedBytes, limit)};
}

/// What is asked of the compiler could not come true.
std::optional<Illegality> tooManyBlocks(std::string_view name, const KernelDemand& kernel,
                                        const GpuFacts& gpu) {
  const std::int64_t threads = kernel.threadsPerBlock() * kernel.minBlocks;
  if (kernel.minBlocks <= 1 ||
      (threads <= gpu.threadsPerMultiprocessor && kernel.minBlocks <= gpu.blocksPerMultiprocessor))
    return std::nullopt;
  return Illegality{Refusal::Threads,
                    fmt::format("{} blocks of the kernel of {} have {} threads, more than the {} "
                                "blocks and {} threads that a multiprocessor holds",
                                kernel.minBlocks, name, threads, gpu.blocksPerMultiprocessor,
                                gpu.threadsPerMultiprocessor)};
}

std::optional<Illegality> illegalKernel(const KernelDemand& kernel, const OpNode& root,
                                        const SpaceOptions& options, KernelLimits limits) {
  const GpuFacts& gpu = options.target.gpu.value();
  const std::string& name = root.name();
  const std::int64_t threads = kernel.threadsPerBlock();
  if (kernel.unequal)
    return Illegality{Refusal::UnequalThreads,
                      fmt::format("the kernel of {} has loops of {} and of {} iterations on {}",
                                  name, kernel.unequal->one, kernel.unequal->other,
                                  keyword(kernel.unequal->axis))};
  if (kernel.virtualThreads > 1 && kernel.reducesAcrossThreads)
    return Illegality{Refusal::Race,
                      fmt::format("the kernel of {} reduces across threads, which have "
                                  "virtual threads",
                                  name)};
  const bool isSketch = limits == KernelLimits::Sketches;
  if (isSketch)
    if (auto found = tooManyVirtualThreads(name, kernel.virtualThreads, gpu)) return found;
  if (auto found = tooManyThreads(name, threads, gpu)) return found;
  if (auto found = tooManyBlocks(name, kernel, gpu)) return found;
  if (kernel.isTiled && isSketch)
    if (auto found = tooFewThreads(name, threads, length(root.axes) * length(root.reduceAxes), gpu))
      return found;
  if (kernel.blocks() > kMostBlocks[0])
    return Illegality{Refusal::Grid, fmt::format("the kernel of {} has {} blocks, more than {}",
                                                 name, kernel.blocks(), kMostBlocks[0])};
  for (const std::size_t axis : {1, 2})
    if (kernel.grid[axis] > kMostBlocks[axis])
      return Illegality{Refusal::Grid,
                        fmt::format("the kernel of {} has {} blocks along {}, more than {}", name,
                                    kernel.grid[axis], "xyz"[axis], kMostBlocks[axis])};
  if (kernel.threads[2] > kMostThreadsAlongZ)
    return Illegality{Refusal::Threads,
                      fmt::format("the kernel of {} has {} threads along z, more than {}", name,
                                  kernel.threads[2], kMostThreadsAlongZ)};
  if (auto found = tooManyRegisters(name, kernel.largestRegisterTile, kernel.neededRegisters(),
                                    threads * kernel.minBlocks, gpu))
    return found;
  if (auto found = tooMuchSharedMemory(name, kernel, options, limits)) return found;
  if (kernel.vectorBytes > gpu.vectorBytes)
    return Illegality{Refusal::VectorWidth,
                      fmt::format("the kernel of {} has vectors of {} bytes, wider than {}", name,
                                  kernel.vectorBytes, gpu.vectorBytes)};
  if (kernel.statements > kMostKernelStatements)
    return Illegality{
        Refusal::Statements,
        fmt::format("the kernel of {} has {} statements after unrolling, more than {}", name,
                    kernel.statements, kMostKernelStatements)};
  return std::nullopt;
}

/// The tile of a stage that threads share out, as its consumer follows it.
struct SharedTile {
  int consumer = -1;
  std::int64_t elements = 1;                              // of the consumer
  std::int64_t virtualThreads = 1, threads = 1, tile = 1; // the last for each virtual thread

  /// An instruction computes it: what are threads else are warps, what are virtual threads are
  /// blocks, and the lanes of a warp share the tile.
  void takeLanes() {
    virtualThreads = 1;
    threads *= kLanes;
    tile /= kLanes;
  }
};

/// Those of all stages that are tiled with their consumer in `levels` levels, from follow-splits of
/// this many parts, which stand together.
std::vector<SharedTile> sharedTiles(const Steps& steps, int levels) {
  constexpr std::size_t kVirtualThreads = 0, kThreads = 1, kInner = 2; // of a split's factors
  std::vector<SharedTile> tiles;
  bool isNext = true; // a stage's number may be another's later
  for (const Step& step : steps) {
    if (const auto* pragma = std::get_if<PragmaStep>(&step);
        pragma && pragma->pragma.starts_with(kTensorInstructionPragma) && !tiles.empty())
      tiles.back().takeLanes(); // the rule names it right after it tiled
    const auto* follow = std::get_if<FollowSplitStep>(&step);
    if (follow == nullptr || follow->parts != levels) {
      isNext = true;
      continue;
    }
    const auto* split =
        std::get_if<SplitStep>(&steps[static_cast<std::size_t>(follow->sourceStep)]);
    if (split == nullptr || split->factors.size() <= kInner) continue;
    if (isNext || tiles.back().consumer != follow->stage) tiles.push_back({follow->stage});
    isNext = false;
    SharedTile& tile = tiles.back();
    tile.elements *= split->extent.value_or(1);
    tile.virtualThreads *= split->factors[kVirtualThreads].value_or(1);
    tile.threads *= split->factors[kThreads].value_or(1);
    for (std::size_t i = kInner; i < split->factors.size(); ++i)
      tile.tile *= split->factors[i].value_or(1);
  }
  return tiles;
}

std::optional<Illegality> illegalTile(const SharedTile& tile, const GpuFacts& gpu) {
  constexpr std::string_view kKernel = "a tiled stage";
  if (auto found = tooManyVirtualThreads(kKernel, tile.virtualThreads, gpu)) return found;
  if (auto found = tooManyThreads(kKernel, tile.threads, gpu)) return found;
  if (auto found = tooFewThreads(kKernel, tile.threads, tile.elements, gpu)) return found;
  return tooManyRegisters(kKernel, tile.tile, registerEstimate(tile.tile * tile.virtualThreads, 1),
                          tile.threads, gpu);
}

} // namespace

std::optional<Illegality> illegalKernel(const State& state, const Bounds& bounds,
                                        const SpaceOptions& options, KernelLimits limits) {
  for (const KernelDemand& kernel : kernelDemands(state, bounds, options.target.gpu.value()))
    if (auto found = illegalKernel(kernel, *state.stage(kernel.root).op, options, limits))
      return found;
  return std::nullopt;
}

std::optional<Illegality> illegalTiles(const Steps& steps, const SpaceOptions& options) {
  if (!options.target.gpu || options.fusionLevels.empty()) return std::nullopt;
  for (const SharedTile& tile : sharedTiles(steps, options.fusionLevels.front()))
    if (auto found = illegalTile(tile, *options.target.gpu)) return found;
  return std::nullopt;
}

} // namespace nestwright
