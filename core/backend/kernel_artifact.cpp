#include "core/backend/kernel_artifact.h"

namespace nestwright {

std::int64_t KernelArtifact::spilledBytes() const {
  std::int64_t bytes = 0;
  for (const KernelLaunch& launch : launches)
    bytes += launch.resources.spillStoreBytes + launch.resources.spillLoadBytes;
  return bytes;
}

} // namespace nestwright
