#pragma once
/// \file What goes wrong on a device, so that whoever runs kernels there can tell the kernel's
/// fault from the device's without reading messages.

#include "core/support/error.h"

#include <cstdint>
#include <string>
#include <utility>

namespace nestwright {

enum class DeviceFault : std::uint8_t {
  Absent,           // there is no driver, no device, or not the one that was asked for
  InvalidCall,      // the call made no sense: a mistake of ours
  OutOfMemory,      // neither the device nor the budget has as much left
  CannotLoad,       // the kernel is for another architecture or a newer driver
  TooManyResources, // a launch wants more threads, registers or shared memory than there are
  OutOfBounds,      // the kernel wrote next to one of its buffers
  ContextLost,      // the kernel's fault, such as an illegal address, ended the context
  OutOfTime,        // a launched kernel did not end before its deadline; nothing can stop it
  Other,
};

class DeviceError : public SystemError {
 public:
  /// `name` is the driver's: "CUDA_ERROR_ILLEGAL_ADDRESS"; empty when it was not asked.
  DeviceError(DeviceFault fault, std::string name, const std::string& text)
      : SystemError(text), fault_(fault), name_(std::move(name)) {}

  DeviceFault fault() const { return fault_; }
  const std::string& name() const { return name_; }
  /// Nothing more can be done with the device in this process: answer, end it, start a fresh one.
  bool isSticky() const {
    return fault_ == DeviceFault::ContextLost || fault_ == DeviceFault::OutOfTime;
  }

 private:
  DeviceFault fault_;
  std::string name_;
};

} // namespace nestwright
