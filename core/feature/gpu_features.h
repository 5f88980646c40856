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

/// One row for each of the named statements: what the statements that write its buffer execute and
/// move, and what is true of their whole kernel. Statements of other buffers count for the one
/// named last. The function is one that was lowered without unrolling; `registers` are the
/// estimates of its kernels (KernelDemand::registers()), in their order. All entries are on a
/// logarithmic scale, log2(x + 1).
std::vector<GpuRow> gpuFeatures(const LoopFunction& function,
                                const std::vector<std::string>& statements,
                                std::span<const double> registers, const GpuFacts& gpu);

} // namespace nestwright
