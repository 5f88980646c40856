#pragma once
/// \file A fixed program: how long it takes now tells how fast the device is now (C33).

#include "core/backend/backend.h"
#include "core/backend/device_buffer.h"

#include <memory>
#include <vector>

namespace nestwright {

/// The naive product of two small matrices, loaded on the device. Thread-compatible; must be gone
/// before the device.
class Anchor {
 public:
  /// `backend` compiles for the device. Throws Error when it cannot.
  Anchor(Device& device, const Backend& backend);
  /// Of one run, the median of a few timings; takes some ten milliseconds.
  double seconds();

 private:
  Device& device_;
  std::vector<DeviceBuffer> buffers_; // the parameters
  DeviceBuffer workspace_;
  std::vector<void*> parameters_;
  std::unique_ptr<Kernel> kernel_;
};

} // namespace nestwright
