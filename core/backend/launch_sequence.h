#pragma once
/// \file Kernel calls that run one after another, again and again with the same arguments: what a
/// network is to its device.

#include "core/backend/kernel.h"

#include <memory>
#include <vector>

namespace nestwright {

class Device;

/// Seconds of one run, by the device's own clock.
struct SequenceSeconds {
  std::vector<double> calls; // of each call
  double total = 0;          // from the first call's start to the last one's end
};

/// Made by Device::sequence(). Thread-compatible. Device, kernels and the memory that the calls
/// name outlive it. Throws as Device::run() does.
class LaunchSequence {
 public:
  virtual ~LaunchSequence() = default;
  /// Runs all calls in their order, and waits for the end.
  virtual void run() = 0;
  /// The same; gives the seconds that it took, by the device's own clock. A GPU runs them once more
  /// before, so that it is at work when the host starts what is timed.
  virtual double time() = 0;
  /// The same, with the seconds of each call. Looking takes time, too: the total may be a little
  /// more than what time() gives.
  virtual SequenceSeconds timeEach() = 0;
};

/// Calls Device::run() for each, and looks at the host's clock: for a device that nothing else can
/// be told in advance.
std::unique_ptr<LaunchSequence> callsInTurn(Device& device, std::vector<KernelCall> calls);

} // namespace nestwright
