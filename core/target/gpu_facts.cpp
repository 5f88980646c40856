#include "core/target/gpu_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace nestwright {
namespace {

/// Floating-point operations of a multiprocessor in a clock.
struct Rates {
  double fp32 = 0, tf32 = 0, half = 0;
};

struct Known {
  GpuArchitecture architecture;
  Rates rates;
  int threadsPerMultiprocessor, blocksPerMultiprocessor;
  int optInKibibytes, multiprocessorKibibytes; // of shared memory
  // A device that many have; 0 where presets have none.
  int multiprocessors, l2Mebibytes, memoryGibibytes, clockKilohertz, memoryClockKilohertz, busBits;
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and "Arithmetic
// Instructions"; the devices are A100 80 GB, RTX 4090 and H100 SXM.
constexpr Known kKnown[] = {
    {{3, 7}, {384, 0, 0}, 2048, 16, 48, 112, 0, 0, 0, 0, 0, 0},
    {{5, 2}, {256, 0, 0}, 2048, 32, 48, 96, 0, 0, 0, 0, 0, 0},
    {{6, 0}, {128, 0, 0}, 2048, 32, 48, 64, 0, 0, 0, 0, 0, 0},
    {{6, 1}, {256, 0, 0}, 2048, 32, 48, 96, 0, 0, 0, 0, 0, 0},
    {{7, 0}, {128, 0, 1024}, 2048, 32, 96, 96, 0, 0, 0, 0, 0, 0},
    {{7, 5}, {128, 0, 1024}, 1024, 16, 64, 64, 0, 0, 0, 0, 0, 0},
    {{8, 0}, {128, 1024, 2048}, 2048, 32, 163, 164, 108, 40, 80, 1'410'000, 1'593'000, 5120},
    {{8, 6}, {256, 512, 1024}, 1536, 16, 99, 100, 0, 0, 0, 0, 0, 0},
    {{8, 9}, {256, 512, 1024}, 1536, 24, 99, 100, 128, 72, 24, 2'520'000, 10'501'000, 384},
    {{9, 0}, {256, 2048, 4096}, 2048, 32, 227, 228, 132, 50, 80, 1'980'000, 2'619'000, 5120},
};

/// Of an architecture that is newer than this list: no smaller than any.
constexpr Rates kNewest{256, 4096, 8192};
constexpr double kSharedBytesPerClock = 128;

const Known* find(GpuArchitecture architecture) {
  const auto* found = std::ranges::find(kKnown, architecture, &Known::architecture);
  return found == std::end(kKnown) ? nullptr : found;
}

Rates ratesOf(GpuArchitecture architecture) {
  const Known* known = find(architecture);
  return known ? known->rates : kNewest;
}

double clocksPerSecond(const GpuFacts& gpu) {
  return double(gpu.clockKilohertz) * 1e3 * gpu.multiprocessors;
}

} // namespace

std::string GpuArchitecture::name() const {
  return major > 0 ? fmt::format("sm_{}{}", major, minor) : std::string();
}

std::optional<GpuArchitecture> architectureFromName(const std::string& name) {
  const std::string prefix = "sm_";
  if (!name.starts_with(prefix)) return std::nullopt;
  const char* const end = name.data() + name.size();
  int number = 0;
  const auto [rest, error] = std::from_chars(name.data() + prefix.size(), end, number);
  const bool ends = rest == end || (rest + 1 == end && (*rest == 'a' || *rest == 'f'));
  if (error != std::errc() || !ends || number < 10 || number > 999) return std::nullopt;
  return GpuArchitecture{number / 10, number % 10};
}

double GpuFacts::flopsPerClock() const {
  return ratesOf(architecture).fp32;
}

double GpuFacts::tensorInstructionClocks() const {
  // Of m16n8k16 with 16 bits; m16n8k8 with TF32 takes as long.
  constexpr double kFlops = 2.0 * 16 * 8 * 16;
  // From sm_90 on only instructions of four warps reach the peak: mma.sync was measured at 0.65 of
  // it (an H200's tensor pipe was busy 6.1 clocks an instruction and partition).
  const double reached = architecture.major >= 9 ? 0.65 : 1;
  const double half = ratesOf(architecture).half;
  return half > 0 ? kFlops / (half * reached) : 0;
}

double GpuFacts::peakFlops() const {
  return flopsPerClock() * clocksPerSecond(*this);
}

double GpuFacts::peakTf32Flops() const {
  return ratesOf(architecture).tf32 * clocksPerSecond(*this);
}

double GpuFacts::peakHalfFlops() const {
  return ratesOf(architecture).half * clocksPerSecond(*this);
}

double GpuFacts::peakSharedBytes() const {
  return kSharedBytesPerClock * clocksPerSecond(*this);
}

double GpuFacts::peakMemoryBytes() const {
  constexpr double kEdges = 2, kBitsPerByte = 8; // data moves on both edges of the clock
  return kEdges * double(memoryClockKilohertz) * 1e3 * busBits / kBitsPerByte;
}

GpuFacts gpuPreset(GpuArchitecture architecture) {
  GpuFacts gpu;
  gpu.architecture = architecture;
  const Known* known = find(architecture);
  if (!known) return gpu;
  gpu.threadsPerMultiprocessor = known->threadsPerMultiprocessor;
  gpu.blocksPerMultiprocessor = known->blocksPerMultiprocessor;
  gpu.sharedBytesPerBlockOptIn = known->optInKibibytes << 10;
  gpu.sharedBytesPerMultiprocessor = known->multiprocessorKibibytes << 10;
  if (architecture.major >= 8) gpu.sharedBytesReserved = 1 << 10;
  gpu.multiprocessors = known->multiprocessors;
  gpu.l2Bytes = std::int64_t(known->l2Mebibytes) << 20;
  gpu.memoryBytes = std::int64_t(known->memoryGibibytes) << 30;
  gpu.clockKilohertz = known->clockKilohertz;
  gpu.memoryClockKilohertz = known->memoryClockKilohertz;
  gpu.busBits = known->busBits;
  return gpu;
}

std::vector<GpuArchitecture> presetArchitectures() {
  std::vector<GpuArchitecture> result;
  for (const Known& known : kKnown)
    if (known.multiprocessors > 0) result.push_back(known.architecture);
  return result;
}

} // namespace nestwright
