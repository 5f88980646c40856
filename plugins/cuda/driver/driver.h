#pragma once
/// \file NVIDIA's driver, opened when it is wanted. Nothing here may be called in a process that
/// shows a window or leads a session: a process that has spoken with the driver cannot recover from
/// what a kernel does to it.

#include "core/backend/choose_device.h"
#include "core/backend/device_error.h"
#include "core/target/gpu_facts.h"
#include "plugins/cuda/driver/driver_api.h"

#include <string>
#include <vector>

namespace nestwright::cuda {

struct DriverStatus {
  bool found = false;
  std::string path;
  int version = 0;    // 13000: it runs what toolkits up to 13.0 make
  std::string reason; // why it is not found; a sentence
};

/// What an error of the driver means for us.
DeviceFault faultOf(CuResult result);
/// What a GPU takes, and what can be done without one.
extern const char* const kDeviceAdvice;
/// That no device can be used here, and why; to be thrown.
DeviceError noDevice(const std::string& why);

class Driver {
 public:
  /// The one of this process: $NESTWRIGHT_CUDA_DRIVER if set, otherwise libcuda.so.1.
  static const Driver& instance();
  /// Of a library at this path or of this name.
  explicit Driver(const std::string& library);

  const DriverStatus& status() const { return status_; }
  /// Throws DeviceError (Absent) with what to do when there is no driver.
  const DriverApi& api() const;
  /// Throws DeviceError for what is no success; `what` tells what was tried: "launch nw_C".
  void check(CuResult result, const std::string& what) const;
  /// "CUDA_ERROR_ILLEGAL_ADDRESS".
  std::string errorName(CuResult result) const;

  int deviceCount() const;
  /// Throws DeviceError.
  GpuFacts facts(CuDevice device) const;
  /// "0000:3b:00.0", by which other libraries know the device.
  std::string pciBusId(CuDevice device) const;

 private:
  DriverApi api_{};
  DriverStatus status_;
};

/// `wanted`, or where nothing is, what $NESTWRIGHT_CUDA_DEVICE names.
std::string deviceWanted(const std::string& wanted);

struct ChosenDevice {
  int ordinal = 0;
  GpuFacts facts;
};
/// The driver's device of this name, as deviceWanted() gives it. Throws as both functions above,
/// and DeviceError when the driver does.
ChosenDevice chooseDevice(const Driver& driver, const std::string& wanted);

} // namespace nestwright::cuda
