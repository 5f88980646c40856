#pragma once
/// \file Whose fault it is that a device refused something: what a worker answers.

#include "core/backend/device_error.h"
#include "core/result/verdict.h"
#include "core/worker/frame.h"

namespace nestwright {

/// As far as the fault tells; else the verdict of the stage in which it happened.
Verdict verdictOf(DeviceFault fault, Verdict stage);

/// The answer where a device refused something. One that is absent is nobody's fault: the answer
/// says so, and is no verdict (work_failure.h).
Frame failedFrame(const DeviceError& error, Verdict stage, double seconds);

/// What `open` opens. Whatever keeps a device from being opened is not the fault of the program
/// that is to run there: DeviceError (Absent).
template <class Open>
auto openForWork(const Open& open) {
  try {
    return open();
  } catch (const Error& error) {
    throw DeviceError(DeviceFault::Absent, "", error.what());
  }
}

} // namespace nestwright
