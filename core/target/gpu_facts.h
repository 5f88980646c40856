#pragma once
/// \file Facts of a graphics processor that CUDA programs run on. Those of an architecture are
/// known without a device; a device tells all of them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// The compute capability: 9.0 is sm_90.
struct GpuArchitecture {
  int major = 0, minor = 0; // 0.0: unknown

  bool operator==(const GpuArchitecture&) const = default;
  /// "sm_90"; empty when unknown.
  std::string name() const;
};

/// "sm_90" or "sm_90a" as an architecture; nothing when it is neither.
std::optional<GpuArchitecture> architectureFromName(const std::string& name);

struct GpuFacts {
  std::string name; // as the driver names it; empty for a preset or an imported record
  GpuArchitecture architecture;
  int multiprocessors = 0; // 0: unknown
  int warpThreads = 32;
  int threadsPerBlock = 1024, threadsPerMultiprocessor = 2048;
  int blocksPerMultiprocessor = 32;
  int registersPerMultiprocessor = 65'536, registersPerThread = 255;
  int vectorBytes = 16; // of the widest access to memory
  // Shared memory, bytes: of a block as usual, and when it asks for more; of a multiprocessor, and
  // what the system takes of it for each block.
  int sharedBytesPerBlock = 49'152, sharedBytesPerBlockOptIn = 49'152;
  int sharedBytesPerMultiprocessor = 65'536, sharedBytesReserved = 0;
  std::int64_t l2Bytes = 0, memoryBytes = 0;        // 0: unknown
  int clockKilohertz = 0, memoryClockKilohertz = 0; // the highest ones; 0: unknown
  int busBits = 0;                                  // of the memory; 0: unknown
  int driverVersion = 0, nvrtcVersion = 0;          // 12040 is 12.4; 0: unknown

  bool operator==(const GpuFacts&) const = default;

  /// Space loops bound to virtual threads have at most this product: a quarter of a warp.
  int virtualThreads() const { return warpThreads / 4; }
  /// Floating-point operations of a multiprocessor in a clock, in fp32 outside of tensor cores.
  double flopsPerClock() const;
  /// Clocks between two of its warp-wide tensor instructions (mma.sync); 0 when it has none.
  double tensorInstructionClocks() const;
  // Peaks of the whole device, 0 when unknown. Deliberately generous (C10).
  double peakFlops() const;       // fp32 multiply-adds outside of tensor cores, FLOP/s
  double peakTf32Flops() const;   // of the tensor cores
  double peakHalfFlops() const;   // bf16 and fp16 with sums in fp32
  double peakSharedBytes() const; // bytes/s of all shared memories together
  double peakMemoryBytes() const; // bytes/s of the device's memory
};

/// The limits of an architecture, with the sizes and clocks of its best known device; limits that
/// every one has where the architecture is not known to us.
GpuFacts gpuPreset(GpuArchitecture architecture);
/// Architectures whose preset has a device's sizes, so that programs can be made for them without
/// one.
std::vector<GpuArchitecture> presetArchitectures();

} // namespace nestwright
