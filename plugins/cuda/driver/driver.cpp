#include "plugins/cuda/driver/driver.h"

#include "plugins/cuda/system/shared_library.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace nestwright::cuda {
namespace {

// Numbers of attributes, as the driver counts them.
enum class Attribute : std::uint8_t {
  ThreadsPerBlock = 1,
  SharedPerBlock = 8,
  WarpSize = 10,
  ClockKilohertz = 13,
  Multiprocessors = 16,
  MemoryClockKilohertz = 36,
  BusBits = 37,
  L2Bytes = 38,
  ThreadsPerMultiprocessor = 39,
  Major = 75,
  Minor = 76,
  SharedPerMultiprocessor = 81,
  RegistersPerMultiprocessor = 82,
  SharedPerBlockOptIn = 97,
  BlocksPerMultiprocessor = 106,
  SharedReserved = 111,
};

/// What to do about errors that are no kernel's.
const char* adviceFor(CuResult result) {
  switch (result) {
  case 35:
    return ". The driver is too old for its library: install a newer one";
  case 46:
    return ". The device is in exclusive mode, and another process has it: wait for that, or "
           "choose "
           "another device";
  case 802:
    return ". The machine's GPUs are still starting: try again, or look at its fabric manager";
  case 803:
    return ". The driver's library and its kernel module are of different versions: restart the "
           "machine";
  default:
    return "";
  }
}

} // namespace

DeviceFault faultOf(CuResult result) {
  switch (result) {
  case 1:   // invalid value
  case 201: // invalid context
  case 400: // invalid handle
    return DeviceFault::InvalidCall;
  case 2:
    return DeviceFault::OutOfMemory;
  case 34:  // a stub library
  case 35:  // insufficient driver
  case 46:  // the device is taken
  case 100: // no device
  case 101: // invalid device
  case 802: // system not ready
  case 803: // driver and kernel module differ
  case 804: // compatibility mode not supported
    return DeviceFault::Absent;
  case 200: // invalid image
  case 209: // no binary for this device
  case 218: // invalid PTX
  case 222: // unsupported PTX version
  case 300: // invalid source
  case 500: // no function of this name
    return DeviceFault::CannotLoad;
  case 701:
    return DeviceFault::TooManyResources;
  case 214: // uncorrectable memory error
  case 220: // uncorrectable link error
  case 226: // contained error
  case 700: // illegal address
  case 702: // launch time-out
  case 709: // context is destroyed
  case 710: // assertion of the kernel
  case 714: // hardware stack error
  case 715: // illegal instruction
  case 716: // misaligned address
  case 717: // invalid address space
  case 718: // invalid program counter
  case 719: // launch failed
    return DeviceFault::ContextLost;
  default:
    return DeviceFault::Other;
  }
}

const char* const kDeviceAdvice = "It takes an NVIDIA GPU and its driver; programs can be made and "
                                  "compiled without, for a target "
                                  "such as cuda:sm_90";

DeviceError noDevice(const std::string& why) {
  return {DeviceFault::Absent, "",
          fmt::format("no CUDA device can be used here: {}. {}", why, kDeviceAdvice)};
}

const Driver& Driver::instance() {
  static const auto* const driver = [] {
    const char* only = std::getenv("NESTWRIGHT_CUDA_DRIVER");
    return new Driver(only ? only : "libcuda.so.1");
  }();
  return *driver;
}

Driver::Driver(const std::string& library) {
  std::string why;
  const std::optional<SharedLibrary> opened = SharedLibrary::openFirst({library}, why);
  if (!opened) {
    status_.reason = why.empty() ? fmt::format("{} was not found", library) : why;
    return;
  }
  status_.path = opened->path();
  for (const DriverSymbol& symbol : kDriverSymbols) {
    void* const address = opened->symbol(symbol.name);
    if (!address) {
      status_.reason =
          fmt::format("{} has no function {}: the driver is too old", status_.path, symbol.name);
      return;
    }
    std::memcpy(reinterpret_cast<char*>(&api_) + symbol.offset, &address, sizeof address);
  }
  (void)api_.driverVersion(&status_.version);
  status_.found = true;
  if (const CuResult result = api_.init(0); result != 0) {
    status_.found = false;
    status_.reason = fmt::format("{} cannot start: {}", status_.path, errorName(result));
  }
}

const DriverApi& Driver::api() const {
  if (!status_.found) throw noDevice(status_.reason);
  return api_;
}

std::string Driver::errorName(CuResult result) const {
  const char* name = nullptr;
  return api_.errorName && api_.errorName(result, &name) == 0 && name
             ? name
             : fmt::format("error {}", result);
}

void Driver::check(CuResult result, const std::string& what) const {
  if (result == 0) return;
  const char* text = nullptr;
  const bool known = api_.errorText && api_.errorText(result, &text) == 0 && text;
  throw DeviceError(faultOf(result), errorName(result),
                    fmt::format("the driver cannot {}: {} ({}{}{}){}", what, errorName(result),
                                result, known ? ", " : "", known ? text : "", adviceFor(result)));
}

int Driver::deviceCount() const {
  int count = 0;
  check(api().deviceCount(&count), "count its devices");
  return count;
}

GpuFacts Driver::facts(CuDevice ordinal) const {
  CuDevice device = 0;
  check(api().device(&device, ordinal), fmt::format("open device {}", ordinal));
  const auto attribute = [&](Attribute which) {
    int value = 0;
    check(api_.deviceAttribute(&value, static_cast<int>(which), device),
          fmt::format("tell attribute {} of device {}", static_cast<int>(which), ordinal));
    return value;
  };
  // Some drivers no longer tell clocks: the limits of the architecture stay then.
  GpuFacts gpu = gpuPreset({attribute(Attribute::Major), attribute(Attribute::Minor)});
  std::array<char, 256> name{};
  check(api_.deviceName(name.data(), static_cast<int>(name.size()) - 1, device), "name a device");
  gpu.name = name.data();
  gpu.multiprocessors = attribute(Attribute::Multiprocessors);
  gpu.warpThreads = attribute(Attribute::WarpSize);
  gpu.threadsPerBlock = attribute(Attribute::ThreadsPerBlock);
  gpu.threadsPerMultiprocessor = attribute(Attribute::ThreadsPerMultiprocessor);
  gpu.blocksPerMultiprocessor = attribute(Attribute::BlocksPerMultiprocessor);
  gpu.registersPerMultiprocessor = attribute(Attribute::RegistersPerMultiprocessor);
  gpu.sharedBytesPerBlock = attribute(Attribute::SharedPerBlock);
  gpu.sharedBytesPerBlockOptIn = attribute(Attribute::SharedPerBlockOptIn);
  gpu.sharedBytesPerMultiprocessor = attribute(Attribute::SharedPerMultiprocessor);
  gpu.sharedBytesReserved = attribute(Attribute::SharedReserved);
  gpu.l2Bytes = attribute(Attribute::L2Bytes);
  if (const int clock = attribute(Attribute::ClockKilohertz)) gpu.clockKilohertz = clock;
  if (const int clock = attribute(Attribute::MemoryClockKilohertz))
    gpu.memoryClockKilohertz = clock;
  gpu.busBits = attribute(Attribute::BusBits);
  std::size_t memory = 0;
  check(api_.deviceMemory(&memory, device), "tell the size of a device's memory");
  gpu.memoryBytes = static_cast<std::int64_t>(memory);
  gpu.driverVersion = status_.version;
  return gpu;
}

std::string Driver::pciBusId(CuDevice ordinal) const {
  CuDevice device = 0;
  std::array<char, 64> id{};
  check(api().device(&device, ordinal), fmt::format("open device {}", ordinal));
  check(api_.devicePciBusId(id.data(), static_cast<int>(id.size()) - 1, device),
        "tell where a device is");
  return id.data();
}

std::string deviceWanted(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  const char* chosen = std::getenv("NESTWRIGHT_CUDA_DEVICE");
  return chosen ? chosen : "";
}

ChosenDevice chooseDevice(const Driver& driver, const std::string& wanted) {
  std::vector<GpuFacts> devices;
  const int count = driver.deviceCount();
  for (int i = 0; i < count; ++i)
    devices.push_back(driver.facts(i));
  const int chosen = nestwright::chooseDevice(devices, deviceWanted(wanted));
  return {chosen, devices[static_cast<std::size_t>(chosen)]};
}

} // namespace nestwright::cuda
