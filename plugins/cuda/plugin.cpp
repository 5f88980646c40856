#include "core/plugin/plugin.h"

#include "plugins/cuda/cuda_backend.h"

extern "C" nestwright::PluginDescription nestwright_plugin() {
  nestwright::PluginDescription description;
  description.name = "cuda";
  description.version = NESTWRIGHT_VERSION;
  description.purpose = "Compiles programs for NVIDIA's GPUs with NVRTC, and runs them there.";
  description.makeBackend = []() -> std::unique_ptr<nestwright::Backend> {
    return std::make_unique<nestwright::cuda::CudaBackend>();
  };
  return description;
}
