#include "core/measure/measured_kernels.h"

namespace nestwright {

std::vector<MeasuredKernel> measuredKernels(const KernelArtifact& artifact) {
  std::vector<MeasuredKernel> kernels;
  for (const KernelLaunch& launch : artifact.launches) {
    const KernelResources& took = launch.resources;
    kernels.push_back({launch.entry, took.registers, took.spillStoreBytes + took.spillLoadBytes,
                       took.stackBytes, took.staticSharedBytes + launch.dynamicSharedBytes,
                       took.occupancy});
  }
  return kernels;
}

} // namespace nestwright
