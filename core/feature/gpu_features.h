#pragma once
/// \file Features of a GPU's program as it is executed, in place of those of a processor's
/// (lowered_features.h): how its blocks fill the device, what its warps execute and move, and how
/// long each part of the device needs for that (handbook/cuda.md 5).

#include "core/lower/loop_ir.h"
#include "core/target/gpu_facts.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

inline constexpr std::size_t kGpuFeatureCount = 36;

using GpuRow = std::array<float, kGpuFeatureCount>;

/// Name of each entry, beginning with "gpu." and ending in the unit where there is one.
const std::array<std::string, kGpuFeatureCount>& gpuFeatureNames();
/// What each entry counts, in words, before it is put on the logarithmic scale.
const std::array<std::string, kGpuFeatureCount>& gpuFeatureMeanings();

/// How long each part of the device needs for one kernel, in clocks, if it had nothing to wait for.
struct KernelTime {
  std::string kernel;
  double arithmetic = 0, issue = 0, special = 0, tensor = 0; // on the busiest multiprocessor
  double shared = 0;
  double l2 = 0, memory = 0; // of the device; memory 0 where its speed is not known
  double latency = 0;        // of loads that wait for one another
  double warps = 0;          // that a multiprocessor works on at a time
  double barriers = 0;       // that its blocks wait at, one after another
};

/// Of each kernel, in their order. The function is one that was lowered without unrolling;
/// `registers` are the estimates of its kernels, as gpuFeatures() takes them.
std::vector<KernelTime> kernelTimes(const LoopFunction& function, std::span<const double> registers,
                                    const GpuFacts& gpu);

/// One row for each of the named statements: what the statements that write its buffer execute and
/// move, and what is true of their whole kernel. Statements of other buffers count for the one
/// named last. The function is one that was lowered without unrolling; `registers` are the
/// estimates of its kernels (KernelDemand::registers()), in their order. All entries are on a
/// logarithmic scale, log2(x + 1).
std::vector<GpuRow> gpuFeatures(const LoopFunction& function,
                                const std::vector<std::string>& statements,
                                std::span<const double> registers, const GpuFacts& gpu);

} // namespace nestwright
