#pragma once
/// \file The host as a device: memory between unreadable pages, the host's clock.

#include "core/backend/backend.h"

#include <memory>

namespace nestwright {

/// `backend` compiles for the host and outlives the device.
std::unique_ptr<Device> makeHostDevice(const Backend& backend, const DeviceOptions& options);

} // namespace nestwright
