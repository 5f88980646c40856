#pragma once
/// \file A CUDA graph: launches that were captured once, and are started together from then on.

#include "plugins/cuda/driver/context.h"

#include <functional>

namespace nestwright::cuda {

class CapturedGraph {
 public:
  /// Captures what `enqueue` puts on the context's stream; nothing of it runs. Throws DeviceError,
  /// and leaves no capture behind.
  CapturedGraph(Context& context, const std::function<void()>& enqueue);
  ~CapturedGraph();
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  /// Puts all of it on the stream once.
  void launch() const;

 private:
  Context& context_;
  CuGraphExec executable_ = nullptr;
};

} // namespace nestwright::cuda
