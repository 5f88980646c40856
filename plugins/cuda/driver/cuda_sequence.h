#pragma once
/// \file Kernel calls as one CUDA graph.

#include "core/backend/launch_sequence.h"
#include "plugins/cuda/driver/captured_graph.h"
#include "plugins/cuda/driver/cuda_kernel.h"

#include <memory>
#include <string>
#include <vector>

namespace nestwright::cuda {

/// The first run launches one kernel after the other and waits for each, so that a fault has its
/// kernel's name and every kernel is where it runs from; later ones start a graph of all of them.
/// What is timed is a start of the graph, after that first run, while the device is at work: what
/// it takes the host to start it is not in the time.
class CudaSequence final : public LaunchSequence {
 public:
  /// `mostSeconds` as of DeviceOptions::seconds: that one wait may take.
  CudaSequence(Context& context, std::vector<KernelCall> calls, double mostSeconds);

  void run() override;
  double time() override;
  SequenceSeconds timeEach() override;

 private:
  using TimeMarks = std::vector<std::unique_ptr<TimeMark>>;

  void runOneByOne();
  const CapturedGraph& graph();
  void launchAndWait(const CapturedGraph& graph) const;
  TimeMarks newMarks() const;

  Context& context_;
  std::vector<const CudaKernel*> kernels_; // of the calls
  std::vector<KernelCall> calls_;
  double mostSeconds_ = 0;
  std::string what_; // "finish 40 kernels in a row, nw_A to nw_B"
  bool hasRun_ = false;
  std::unique_ptr<CapturedGraph> graph_;
  // The same with a mark before each call and one behind the last.
  TimeMarks marks_;
  std::unique_ptr<CapturedGraph> markedGraph_;
};

} // namespace nestwright::cuda
