#pragma once
/// \file How a session or recombination that a verb has started came to its end.

#include "core/backend/device_error.h"
#include "core/record/rows/session_status.h"

#include <string>

namespace nestwright::cli {

/// Throws the reason where somebody has to do something before it can go on: DeviceError (Absent)
/// when its device is not there, which scripts tell by the exit code, else SystemError.
inline void requireEndedWell(SessionStatus status, PauseCause cause, const std::string& reason) {
  if (!needsHelp(status, cause)) return;
  if (cause == PauseCause::Device) throw DeviceError(DeviceFault::Absent, "", reason);
  throw SystemError(reason);
}

} // namespace nestwright::cli
