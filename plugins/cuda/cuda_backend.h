#pragma once
/// \file The GPU backend: loop IR to CUDA C, through NVRTC to a cubin, and with NVIDIA's driver
/// onto a device. Compiling needs NVRTC only, running the driver only.

#include "core/backend/backend.h"

namespace nestwright::cuda {

/// All of its functions may be called from several threads at once.
class CudaBackend final : public Backend {
 public:
  std::string name() const override { return "cuda"; }
  /// Devices are asked for once, by a process of its own. Nothing named: $NESTWRIGHT_CUDA_DEVICE.
  TargetFacts target(int threads, const std::string& device) const override;
  KernelArtifact compile(const LoopFunction& function,
                         const CompileOptions& options) const override;
  std::vector<CodeText> texts() const override;
  std::string text(const LoopFunction& function, CodeForm form,
                   const CompileOptions& options) const override;
  /// For a runner: the process that calls speaks with the driver from then on.
  std::unique_ptr<Device> openDevice(const DeviceOptions& options) const override;
  std::vector<EnvironmentFinding> environment(const std::string& device) const override;
  BackendSurvey survey() const override;
};

} // namespace nestwright::cuda
