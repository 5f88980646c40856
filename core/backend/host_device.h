#pragma once
/// \file The host as a device: memory between unreadable pages, the host's clock.

#include "core/backend/backend.h"

#include <memory>

namespace nestwright {

/// `backend` compiles for the host and outlives the device.
std::unique_ptr<Device> makeHostDevice(const Backend& backend, const DeviceOptions& options);

/// A device for kernels that are functions of this process: it loads no others.
std::unique_ptr<Device> makeHostDevice();

} // namespace nestwright
