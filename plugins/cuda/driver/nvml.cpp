#include "plugins/cuda/driver/nvml.h"

#include "plugins/cuda/system/shared_library.h"

#include <array>
#include <cstdlib>
#include <vector>

namespace nestwright::cuda {
namespace {

// Numbers as the library counts them.
constexpr int kMultiprocessorClock = 1, kGpuTemperature = 0;
constexpr int kNotSupported = 3, kInsufficientSize = 7; // of results
constexpr unsigned kDivided = 1;

} // namespace

struct Nvml::Api {
  using Result = int; // 0 is success
  using Handle = struct NvmlDeviceObject*;
  struct Process {
    unsigned pid;
    unsigned long long usedBytes;
    unsigned instance, computeInstance;
  };

  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  Result (*handle)(const char* pciBusId, Handle*) = nullptr;
  Result (*clock)(Handle, int kind, unsigned* megahertz) = nullptr;
  Result (*temperature)(Handle, int sensor, unsigned* celsius) = nullptr;
  Result (*power)(Handle, unsigned* milliwatts) = nullptr;
  Result (*throttle)(Handle, unsigned long long* reasons) = nullptr;
  Result (*processes)(Handle, unsigned* count, Process* all) = nullptr;
  Result (*instances)(Handle, unsigned* current, unsigned* pending) = nullptr;
  Result (*driverVersion)(char* text, unsigned size) = nullptr;

  bool resolve(const SharedLibrary& library) {
    // Each may be missing in some version; only the first three have to be there.
    library.get(clock, "nvmlDeviceGetClockInfo");
    library.get(temperature, "nvmlDeviceGetTemperature");
    library.get(power, "nvmlDeviceGetPowerUsage");
    library.get(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    library.get(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    library.get(instances, "nvmlDeviceGetMigMode");
    library.get(driverVersion, "nvmlSystemGetDriverVersion");
    return library.get(init, "nvmlInit_v2") && library.get(shutdown, "nvmlShutdown") &&
           library.get(handle, "nvmlDeviceGetHandleByPciBusId_v2");
  }

  std::optional<int> processesOn(Handle device) const {
    std::array<Process, 256> found{};
    auto count = static_cast<unsigned>(found.size());
    const Result result = processes ? processes(device, &count, found.data()) : kNotSupported;
    if (result != 0 && result != kInsufficientSize) return std::nullopt;
    return static_cast<int>(count);
  }
  bool isDivided(Handle device) const {
    unsigned current = 0, pending = 0;
    return instances && instances(device, &current, &pending) == 0 && current == kDivided;
  }
};

Nvml::Nvml()
    : Nvml(std::getenv("NESTWRIGHT_NVML") ? std::getenv("NESTWRIGHT_NVML") : "libnvidia-ml.so.1") {}

Nvml::Nvml(const std::string& library) {
  std::string why;
  const std::optional<SharedLibrary> opened = SharedLibrary::openFirst({library}, why);
  auto api = std::make_unique<Api>();
  if (opened && api->resolve(*opened) && api->init() == 0) api_ = std::move(api);
}

Nvml::~Nvml() {
  if (api_) api_->shutdown();
}

std::string Nvml::driverVersion() const {
  std::array<char, 96> text{};
  const bool told = api_ && api_->driverVersion &&
                    api_->driverVersion(text.data(), static_cast<unsigned>(text.size()) - 1) == 0;
  return told ? text.data() : "";
}

DeviceState Nvml::state(const std::string& pciBusId) const {
  DeviceState state;
  Api::Handle device = nullptr;
  if (!api_ || api_->handle(pciBusId.c_str(), &device) != 0) return state;
  unsigned value = 0;
  if (api_->clock && api_->clock(device, kMultiprocessorClock, &value) == 0)
    state.clockHertz = value * 1e6;
  if (api_->temperature && api_->temperature(device, kGpuTemperature, &value) == 0)
    state.celsius = value;
  if (api_->power && api_->power(device, &value) == 0) state.watts = value * 1e-3;
  unsigned long long reasons = 0;
  if (api_->throttle && api_->throttle(device, &reasons) == 0)
    for (int i = 0; i < kClockLimits; ++i)
      if (reasons >> i & 1) state.slowedBy.push_back(ClockLimit(i));
  state.isDivided = api_->isDivided(device);
  return state;
}

std::optional<int> Nvml::processesOn(const std::string& pciBusId) const {
  Api::Handle device = nullptr;
  if (!api_ || api_->handle(pciBusId.c_str(), &device) != 0) return std::nullopt;
  return api_->processesOn(device);
}

} // namespace nestwright::cuda
