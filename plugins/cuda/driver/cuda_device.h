#pragma once
/// \file A GPU as a device.

#include "core/backend/device.h"
#include "plugins/cuda/driver/driver.h"

#include <memory>

namespace nestwright::cuda {

/// Opens the device that the options name, for the thread that calls. Throws DeviceError (Absent)
/// when there is none.
std::unique_ptr<Device> openCudaDevice(const Driver& driver, const DeviceOptions& options);

} // namespace nestwright::cuda
