#pragma once
/// \file Memory of a device that is released with its owner.

#include "core/backend/device.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace nestwright {

/// Movable value; must be gone before its device.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Throws as Device::allocate().
  DeviceBuffer(Device& device, std::size_t bytes)
      : device_(&device), data_(device.allocate(bytes)), bytes_(bytes) {}
  ~DeviceBuffer() {
    if (device_) device_->release(data_);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// All bits set (NaN in every float type): nobody's left-overs pass for an answer.
  void poison() {
    if (device_) device_->fill(data_, 0xff, bytes_);
  }

 private:
  Device* device_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace nestwright
