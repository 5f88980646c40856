#pragma once
/// \file Generated CUDA C, compiled by the host's compiler and run there (host_gpu.h,
/// host_threads.h).

#include "plugins/cuda/text/cuda_text.h"
#include "tests/plugins/cuda/gpu_programs.h"

#include <memory>
#include <string>

namespace nestwright::test {

class HostGpu {
 public:
  /// Throws Error with the compiler's words when the text does not compile.
  explicit HostGpu(const LoopFunction& function) : HostGpu(function, cuda::cudaText(function)) {}
  /// Of a text that was changed, too.
  HostGpu(const LoopFunction& function, cuda::CudaText text);
  ~HostGpu();
  HostGpu(const HostGpu&) = delete;
  HostGpu& operator=(const HostGpu&) = delete;

  /// All launches, one after another; outputs and workspace are poisoned before. `order` 0 to 2: in
  /// which order the threads of a block run. Throws Error when threads wait for one another in
  /// vain.
  Values run(const Values& inputs, int order = 0) const;

 private:
  struct Library;

  LoopFunction function_;
  cuda::CudaText text_;
  std::unique_ptr<Library> library_;
};

/// Elements as they lie in memory, and back.
std::vector<std::uint8_t> bytesOf(const std::vector<double>& values, DataType type);
std::vector<double> valuesOf(const std::vector<std::uint8_t>& bytes, DataType type);

} // namespace nestwright::test
