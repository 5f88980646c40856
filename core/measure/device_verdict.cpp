#include "core/measure/device_verdict.h"

#include "core/measure/protocol.h"

namespace nestwright {

Verdict verdictOf(DeviceFault fault, Verdict stage) {
  switch (fault) {
  case DeviceFault::TooManyResources:
    return Verdict::Illegal; // it should have been known
  case DeviceFault::CannotLoad:
    return Verdict::LoadError;
  case DeviceFault::OutOfTime:
    return Verdict::RunTimeout;
  case DeviceFault::OutOfBounds:
  case DeviceFault::ContextLost:
    return Verdict::RunError;
  case DeviceFault::Absent:
  case DeviceFault::InvalidCall:
  case DeviceFault::OutOfMemory:
  case DeviceFault::Other:
    break;
  }
  return stage;
}

Frame failedFrame(const DeviceError& error, Verdict stage, double seconds) {
  Frame frame = failedFrame(verdictOf(error.fault(), stage), error.what(), -1, seconds);
  if (error.fault() == DeviceFault::Absent) setDeviceAbsent(frame);
  return frame;
}

} // namespace nestwright
