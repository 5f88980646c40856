#include "core/backend/choose_device.h"

#include "core/backend/device_error.h"
#include "core/support/error.h"
#include "core/support/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace nestwright {
namespace {

std::string listOf(const std::vector<GpuFacts>& devices) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < devices.size(); ++i)
    lines.push_back(
        fmt::format("{} is {} ({})", i, devices[i].name, devices[i].architecture.name()));
  return fmt::format("{}", fmt::join(lines, ", "));
}

/// What makes two devices the same kind: a time of one is a time of the other.
bool sameKind(const GpuFacts& a, const GpuFacts& b) {
  return a.name == b.name && a.architecture == b.architecture &&
         a.multiprocessors == b.multiprocessors;
}

} // namespace

bool areOfOneKind(const std::vector<GpuFacts>& devices) {
  return std::ranges::all_of(
      devices, [&](const GpuFacts& device) { return sameKind(device, devices.front()); });
}

int chooseDevice(const std::vector<GpuFacts>& devices, const std::string& wanted) {
  if (devices.empty())
    throw DeviceError(DeviceFault::Absent, "",
                      "the driver has no device: no NVIDIA GPU is in this machine, or "
                      "CUDA_VISIBLE_DEVICES hides it");
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("{}: {}. Choose one by its number or a part of its name "
                                 "(NESTWRIGHT_CUDA_DEVICE)",
                                 why, listOf(devices)));
  };
  if (wanted.empty()) {
    if (!areOfOneKind(devices)) refuse("there are devices of several kinds");
    return 0;
  }
  int number = -1;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool isNumber = error == std::errc() && end == wanted.data() + wanted.size();
  if (isNumber && number >= 0 && std::cmp_less(number, devices.size())) return number;
  int found = -1;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (lowerCase(devices[i].name).find(lowerCase(wanted)) == std::string::npos) continue;
    if (found >= 0 && !sameKind(devices[static_cast<std::size_t>(found)], devices[i]))
      refuse(fmt::format("\"{}\" names several devices", wanted));
    if (found < 0) found = static_cast<int>(i);
  }
  if (found < 0 && isNumber) refuse(fmt::format("there is no device {}", number));
  if (found < 0) refuse(fmt::format("no device is called \"{}\"", wanted));
  return found;
}

} // namespace nestwright
