#pragma once
/// \file Whose fault it is that a device refused something.

#include "core/backend/device_error.h"
#include "core/result/verdict.h"

namespace nestwright {

/// As far as the fault tells; else the verdict of the stage in which it happened.
Verdict verdictOf(DeviceFault fault, Verdict stage);

} // namespace nestwright
