#pragma once
/// \file What of CUDA is on this machine, in words and for programs.

#include "core/backend/backend_survey.h"
#include "plugins/cuda/compile/nvrtc.h"
#include "plugins/cuda/driver/device_report.h"

namespace nestwright::cuda {

/// NVRTC, nvdisasm, the driver and each device.
BackendSurvey survey(const NvrtcStatus& nvrtc, const DeviceReport& devices);

} // namespace nestwright::cuda
