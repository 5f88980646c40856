#pragma once
/// \file What of CUDA is on this machine, in words and for programs.

#include "core/backend/backend_survey.h"
#include "core/target/environment.h"
#include "plugins/cuda/compile/nvrtc.h"
#include "plugins/cuda/driver/device_report.h"

namespace nestwright::cuda {

/// NVRTC, nvdisasm, the driver and each device.
BackendSurvey survey(const NvrtcStatus& nvrtc, const DeviceReport& devices);

/// What a device's state of now says to whoever measures on it: others that compute there, and what
/// holds its clock down.
std::vector<EnvironmentFinding> environmentOf(const ReportedDevice& device);

} // namespace nestwright::cuda
