#pragma once
/// \file NVIDIA's management library: clocks, temperature, power and who else computes. It is only
/// asked; nothing is ever set.

#include "core/target/device_state.h"

#include <memory>
#include <optional>
#include <string>

namespace nestwright::cuda {

class Nvml {
 public:
  /// Of the library at $NESTWRIGHT_NVML if set, otherwise libnvidia-ml.so.1.
  Nvml();
  explicit Nvml(const std::string& library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Of the device at this place ("0000:3b:00.0"). What cannot be told is absent; everything is
  /// where there is no such library. Processes are not told of here.
  DeviceState state(const std::string& pciBusId) const;
  /// How many processes compute there, this one among them once it has a context. Their numbers are
  /// the machine's, so in a container none finds itself among them; and from some containers those
  /// outside are not seen. Of a card that is divided into instances all of them count.
  std::optional<int> processesOn(const std::string& pciBusId) const;
  /// The driver's own version: "570.86.15"; empty where it is not told.
  std::string driverVersion() const;

 private:
  struct Api;

  std::unique_ptr<Api> api_; // null where it is missing
};

} // namespace nestwright::cuda
