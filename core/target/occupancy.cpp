#include "core/target/occupancy.h"

#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/support/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nestwright {
namespace {

// CUDA C++ Programming Guide and occupancy calculator, all architectures since sm_70.
constexpr int kRegisterUnit = 256; // given to a warp at once
constexpr int kRegisterFiles = 4;  // of a multiprocessor, each for its own warps
constexpr std::int64_t kSharedUnit = 128;

constexpr NameTable<OccupancyLimit, 4> kLimits{{"threads", "blocks", "registers", "shared memory"}};

std::int64_t roundUp(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

} // namespace

Occupancy occupancyOf(const GpuFacts& gpu, const BlockDemand& block) {
  const std::int64_t warps =
      std::max<std::int64_t>(1, (block.threads + gpu.warpThreads - 1) / gpu.warpThreads);
  Occupancy result;
  result.mostWarps = gpu.threadsPerMultiprocessor / gpu.warpThreads;
  std::int64_t most = result.mostWarps / warps;
  const auto limitTo = [&](std::int64_t blocks, OccupancyLimit limit) {
    if (blocks < most) most = blocks, result.limit = limit;
  };
  limitTo(gpu.blocksPerMultiprocessor, OccupancyLimit::Blocks);
  if (block.registers > 0) {
    const std::int64_t ofWarp =
        roundUp(std::int64_t(block.registers) * gpu.warpThreads, kRegisterUnit);
    const std::int64_t ofFile = gpu.registersPerMultiprocessor / kRegisterFiles / ofWarp;
    limitTo(ofFile * kRegisterFiles / warps, OccupancyLimit::Registers);
  }
  const std::int64_t shared = roundUp(block.sharedBytes + gpu.sharedBytesReserved, kSharedUnit);
  if (block.sharedBytes > 0)
    limitTo(gpu.sharedBytesPerMultiprocessor / shared, OccupancyLimit::SharedMemory);
  result.blocks = static_cast<int>(most);
  result.warps = static_cast<int>(most * warps);
  return result;
}

int registersAt(const GpuFacts& gpu, int warps) {
  const int warpsOfFile = std::max(1, (warps + kRegisterFiles - 1) / kRegisterFiles);
  const int ofWarp = gpu.registersPerMultiprocessor / kRegisterFiles / warpsOfFile;
  return std::min(ofWarp / kRegisterUnit * kRegisterUnit / gpu.warpThreads, gpu.registersPerThread);
}

const char* name(OccupancyLimit limit) {
  return kLimits.of(limit);
}

OccupancyLimit occupancyLimitFromName(std::string_view text) {
  if (const std::optional<OccupancyLimit> limit = kLimits.find(text)) return *limit;
  throw InputError(fmt::format("\"{}\" limits no occupancy", text));
}

std::string inWords(const Occupancy& occupancy) {
  return fmt::format("{} of {} warps, {}; limited by {}", occupancy.warps, occupancy.mostWarps,
                     quantity(occupancy.blocks, "block"), name(occupancy.limit));
}

} // namespace nestwright
