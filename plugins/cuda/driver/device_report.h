#pragma once
/// \file Which devices there are. The driver is asked by a process of its own, so that no other
/// ever speaks with it that is to outlive a kernel's faults.

#include "core/target/device_state.h"
#include "core/target/gpu_facts.h"
#include "plugins/cuda/driver/driver.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace nestwright::cuda {

struct ReportedDevice {
  GpuFacts facts;
  std::string pciBusId;
  DeviceState state;
};

struct DeviceReport {
  std::string driverPath; // empty when there is none
  int driverVersion = 0;
  std::string problem; // why devices are not known; a sentence, empty when all is well
  std::vector<ReportedDevice> devices;
};

/// The device of this name, as chooseDevice() of a driver chooses it.
const ReportedDevice& chooseDevice(const DeviceReport& report, const std::string& wanted);

/// Asks the driver in this process, which is to have no context: then all that compute are others.
DeviceReport reportDevices(const Driver& driver);
/// Has the program beside this plugin ask. A problem of it is one of the report.
DeviceReport askForDevices();

nlohmann::json toJson(const DeviceReport& report);
/// Throws InputError for what is no report.
DeviceReport deviceReportFromJson(const nlohmann::json& json);

} // namespace nestwright::cuda
