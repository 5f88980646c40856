#pragma once
/// \file The error of a device that a piece of work ends with.

#include "core/backend/device_error.h"

#include <functional>
#include <optional>
#include <string>

namespace nestwright::test {

/// Empty when there was none.
struct DeviceOutcome {
  std::optional<DeviceFault> fault;
  std::string name, text;
  bool sticky = false;
};

inline DeviceOutcome outcomeOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const DeviceError& error) {
    return {error.fault(), error.name(), error.what(), error.isSticky()};
  }
  return {};
}

} // namespace nestwright::test
