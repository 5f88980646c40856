#pragma once
/// \file A program for the made-up driver.

#include "core/backend/kernel_artifact.h"

#include <cstdint>
#include <string>

namespace nestwright::test {

/// One launch of 64 threads of the kernel, from one buffer of 256 bytes to another.
inline KernelArtifact artifactOf(const std::string& entry, std::int64_t sharedBytes = 0) {
  KernelArtifact artifact;
  KernelLaunch launch;
  launch.entry = entry;
  launch.block = {64, 1, 1};
  launch.dynamicSharedBytes = sharedBytes;
  launch.arguments = {{0, 0}, {1, 0}};
  artifact.launches = {launch};
  artifact.architecture = "sm_90";
  artifact.compiler = "NVRTC 13.0";
  const std::string image = "made-up " + entry;
  artifact.code.assign(image.c_str(), image.c_str() + image.size() + 1);
  artifact.parameterBytes = {256, 256};
  artifact.inputCount = 1;
  return artifact;
}

} // namespace nestwright::test
