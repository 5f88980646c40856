#include "plugins/cuda/driver/device_report.h"

#include "core/support/error.h"
#include "core/target/target_json.h"
#include "plugins/cuda/driver/nvml.h"
#include "plugins/cuda/system/child_process.h"
#include "plugins/cuda/system/shared_library.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

namespace nestwright::cuda {
namespace {

using nlohmann::json;

constexpr const char* kProgram = "nestwright_cuda_devices";
// Drivers take some seconds to wake a card that nobody keeps awake.
constexpr double kMostSeconds = 30;

template <class T>
json optionalJson(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

template <class T>
std::optional<T> optionalIn(const json& object, const char* key) {
  const json& value = object.at(key);
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

json limitsJson(const std::vector<ClockLimit>& limits) {
  json names = json::array();
  for (const ClockLimit limit : limits)
    names.push_back(name(limit));
  return names;
}

json stateJson(const DeviceState& state) {
  return {{"clock_hertz", optionalJson(state.clockHertz)},
          {"celsius", optionalJson(state.celsius)},
          {"watts", optionalJson(state.watts)},
          {"slowed_by", limitsJson(state.slowedBy)},
          {"other_processes", optionalJson(state.otherProcesses)},
          {"is_divided", state.isDivided}};
}

DeviceState stateFrom(const json& object) {
  DeviceState state;
  state.clockHertz = optionalIn<double>(object, "clock_hertz");
  state.celsius = optionalIn<double>(object, "celsius");
  state.watts = optionalIn<double>(object, "watts");
  for (const json& limit : object.at("slowed_by"))
    state.slowedBy.push_back(clockLimitFromName(limit.get<std::string>()));
  state.otherProcesses = optionalIn<int>(object, "other_processes");
  state.isDivided = object.at("is_divided").get<bool>();
  return state;
}

/// Beside the file that this code is in: the plugin, or a program that tests it.
std::string programPath() {
  const std::filesystem::path here = fileOfAddress(reinterpret_cast<const void*>(&askForDevices));
  std::error_code failure;
  for (const auto& folder : {here.parent_path(), here.parent_path() / "../plugins"})
    if (std::filesystem::exists(folder / kProgram, failure)) return (folder / kProgram).string();
  return (here.parent_path() / kProgram).string();
}

} // namespace

const ReportedDevice& chooseDevice(const DeviceReport& report, const std::string& wanted) {
  std::vector<GpuFacts> devices;
  for (const ReportedDevice& device : report.devices)
    devices.push_back(device.facts);
  return report
      .devices[static_cast<std::size_t>(nestwright::chooseDevice(devices, deviceWanted(wanted)))];
}

DeviceReport reportDevices(const Driver& driver) {
  DeviceReport report;
  report.driverPath = driver.status().path;
  report.driverVersion = driver.status().version;
  report.problem = driver.status().reason;
  if (!driver.status().found) return report;
  try {
    const Nvml nvml;
    const int count = driver.deviceCount();
    for (int i = 0; i < count; ++i) {
      ReportedDevice device{driver.facts(i), driver.pciBusId(i), {}};
      device.state = nvml.state(device.pciBusId);
      device.state.otherProcesses = nvml.processesOn(device.pciBusId);
      report.devices.push_back(std::move(device));
    }
    if (count == 0) report.problem = "the driver has no device";
  } catch (const DeviceError& error) {
    report.problem = error.what();
  }
  return report;
}

DeviceReport askForDevices() {
  const ChildOutput output = runProgram({programPath()}, kMostSeconds);
  try {
    if (output.exitCode == 0) return deviceReportFromJson(json::parse(output.out));
  } catch (const std::exception& error) {
    return {"", 0, fmt::format("{} gave no report: {}", kProgram, error.what()), {}};
  }
  return {"",
          0,
          output.exitCode < 0
              ? output.problem
              : fmt::format("{} ended with exit code {}", kProgram, output.exitCode),
          {}};
}

json toJson(const DeviceReport& report) {
  json devices = json::array();
  for (const ReportedDevice& device : report.devices)
    devices.push_back({{"target", toJson(cudaTarget(device.facts))},
                       {"pci_bus_id", device.pciBusId},
                       {"state", stateJson(device.state)}});
  return {{"driver_path", report.driverPath},
          {"driver_version", report.driverVersion},
          {"problem", report.problem},
          {"devices", std::move(devices)}};
}

DeviceReport deviceReportFromJson(const json& object) {
  try {
    DeviceReport report;
    report.driverPath = object.at("driver_path").get<std::string>();
    report.driverVersion = object.at("driver_version").get<int>();
    report.problem = object.at("problem").get<std::string>();
    for (const json& device : object.at("devices")) {
      const TargetFacts target = targetFactsFromJson(device.at("target"));
      if (!target.gpu) throw InputError("a device is no GPU");
      report.devices.push_back(
          {*target.gpu, device.at("pci_bus_id").get<std::string>(), stateFrom(device.at("state"))});
    }
    return report;
  } catch (const json::exception& error) {
    throw InputError(fmt::format("this is no report of devices: {}", error.what()));
  }
}

} // namespace nestwright::cuda
