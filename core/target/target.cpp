#include "core/target/target.h"

#include "core/support/hash.h"
#include "core/target/instruction_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace nestwright {

std::vector<std::int64_t> TargetFacts::recordHardware() const {
  if (gpu) // its cores are not told, and local memory has no limit (handbook/ansor.md 10)
    return {-1,
            gpu->vectorBytes,
            cacheLineBytes,
            gpu->sharedBytesPerBlock,
            std::numeric_limits<std::int32_t>::max(),
            gpu->threadsPerBlock,
            gpu->virtualThreads(),
            gpu->warpThreads};
  // The five GPU limits are 0 for a CPU, as public records have them (handbook/ansor.md 10).
  return {cores, vectorBytes, cacheLineBytes, 0, 0, 0, 0, 0};
}

std::string TargetFacts::text() const {
  std::string text = fmt::format("{} -keys={}", backend, gpu ? backend + ",gpu" : "cpu");
  if (gpu) {
    if (const std::string name = gpu->architecture.name(); !name.empty())
      text += fmt::format(" -arch={}", name);
    text += fmt::format(" -max_num_threads={} -thread_warp_size={}", gpu->threadsPerBlock,
                        gpu->warpThreads);
  } else {
    if (!cpuName.empty()) text += fmt::format(" -mcpu={}", cpuName);
    text += fmt::format(" -num-cores={}", cores);
    if (lowering != Lowering::Full) text += fmt::format(" -lowering={}", name(lowering));
    if (instructionSet != InstructionSet::Native)
      text += fmt::format(" -isa={}", name(instructionSet));
  }
  return recorded ? text + " -recorded" : text;
}

std::string TargetFacts::id() const {
  const char* const suffix = recorded ? "-recorded" : "";
  if (gpu) {
    // Drivers keep more or less of the memory for themselves.
    const std::int64_t gibibytes = (gpu->memoryBytes + (std::int64_t{1} << 29)) >> 30;
    const std::string facts = fmt::format("{}|{}|{}", gpu->name, modelName, gibibytes);
    const std::string architecture = gpu->architecture.name();
    return fmt::format("{}-{}-{}sm-{}{}", backend, architecture.empty() ? "any" : architecture,
                       gpu->multiprocessors, hashHex(facts).substr(0, 8), suffix);
  }
  // Neither the memory size nor the clock decides whether two records may be compared; cpuName is
  // left out because core alone does not know it.
  const std::string facts = fmt::format("{}|{}|{}|{}|{}|{}|{}", modelName, fmt::join(features, " "),
                                        vectorBytes, cacheLineBytes, l1Bytes, l2Bytes, l3Bytes);
  std::string kind = backend;
  if (lowering != Lowering::Full) kind += fmt::format("-{}", name(lowering));
  if (instructionSet != InstructionSet::Native) kind += fmt::format("-{}", name(instructionSet));
  return fmt::format("{}-{}c-{}{}", kind, cores, hashHex(facts).substr(0, 8), suffix);
}

TargetFacts cudaTarget(const GpuFacts& gpu) {
  TargetFacts facts;
  facts.backend = "cuda";
  facts.modelName = gpu.name;
  facts.cores = std::max(1, gpu.multiprocessors);
  facts.vectorBytes = gpu.vectorBytes;
  facts.l1Bytes = gpu.sharedBytesPerMultiprocessor;
  facts.l2Bytes = gpu.l2Bytes;
  facts.l3Bytes = 0;
  facts.memoryBytes = gpu.memoryBytes;
  facts.peakFlopsPerCore = gpu.peakFlops() / facts.cores;
  facts.peakBytesPerCore = gpu.peakSharedBytes() / facts.cores;
  facts.gpu = gpu;
  return facts;
}

double physicalFloorSeconds(const TargetFacts& target, double flops, double compulsoryBytes,
                            double peakFlops) {
  const double cores = std::max(target.cores, 1);
  if (peakFlops == 0) peakFlops = target.peakFlopsPerCore * cores;
  double floor = 0;
  if (peakFlops > 0) floor = flops / peakFlops;
  if (target.peakBytesPerCore > 0)
    floor = std::max(floor, compulsoryBytes / (target.peakBytesPerCore * cores));
  return floor;
}

} // namespace nestwright
