#pragma once
/// \file A loaded program: its kernels in the order in which they are launched.

#include "core/backend/device.h"
#include "plugins/cuda/driver/captured_graph.h"
#include "plugins/cuda/driver/context.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nestwright::cuda {

/// Loads the artifact into the context. Throws DeviceError that names both architectures or
/// versions where they do not fit.
class CudaKernel final : public Kernel {
 public:
  CudaKernel(Context& context, const KernelArtifact& artifact, const GpuFacts& gpu,
             double mostSeconds);
  ~CudaKernel() override;
  CudaKernel(const CudaKernel&) = delete;
  CudaKernel& operator=(const CudaKernel&) = delete;

  /// Waits after each launch, so that a fault has a name.
  void run(std::span<void* const> buffers, void* workspace, int threads) const override;
  /// Seconds of `runs` runs by the device's clock, from the first launch to the last end; each run
  /// takes the next of these calls, beginning behind the one that ran last.
  double time(std::span<const KernelCall> calls, int runs) const;
  /// Seconds of one run right after so much memory, more than the caches hold, was overwritten.
  double timeCold(const KernelCall& call, CuAddress memory, std::size_t bytes) const;
  /// Puts its launches on the stream, and waits for none.
  void enqueue(std::span<void* const> buffers, void* workspace) const;
  /// "nw_A, nw_B": of its launches.
  std::string names() const;

 private:
  /// Many runs that are launched at once.
  struct Runs {
    std::vector<void*> arguments; // buffers, then the workspace, of each call
    std::unique_ptr<CapturedGraph> graph;
  };

  void require(const KernelCall& call) const;
  void require(const KernelArtifact& artifact, const GpuFacts& gpu) const;
  void load(const KernelArtifact& artifact, const GpuFacts& gpu);
  /// Says so in the program's log where a loaded kernel takes something else by the driver than by
  /// the compiler, whose figures are shown.
  void compareResources(std::size_t launch, const GpuFacts& gpu) const;
  void raiseSharedMemory(std::size_t launch);
  void enqueueLaunch(std::size_t launch, std::span<void* const> buffers, void* workspace) const;
  /// Captures many runs once, for kernels that are over before the next one is launched.
  void prepareGraph(std::span<const KernelCall> calls) const;
  bool isForGraph(std::size_t calls, int runs) const;
  /// So many runs, each with the next of these calls.
  void enqueueInTurn(std::span<const KernelCall> calls, int runs) const;
  double secondsBetween(const TimeMark& begin, const TimeMark& end) const;

  Context& context_;
  double mostSeconds_ = 0;
  CuModule module_ = nullptr;
  std::vector<KernelLaunch> launches_;
  std::vector<CuFunction> functions_;
  std::size_t parameters_ = 0;
  mutable double secondsPerRun_ = 0; // of the last timing; 0: none yet
  mutable std::size_t turn_ = 0;     // of the next run among the calls
  mutable Runs graphRuns_;
};

} // namespace nestwright::cuda
