#include "core/execute/network_place.h"

#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/support/error.h"
#include "core/target/instruction_set.h"

namespace nestwright {

const Backend& backendToRunOn(const std::string& target) {
  if (loweringOf(target) != Lowering::Full)
    throw UsageError(
        fmt::format("networks run with the usual lowering, not as {}: choose llvm", target));
  if (namesGpu(target) && target.find(':') != std::string::npos)
    throw UsageError(fmt::format("{} names an architecture and no device: a network runs on this "
                                 "machine's processor (llvm) or on its GPU (cuda)",
                                 target));
  return backend(target.substr(0, target.find(':')));
}

NetworkPlace openPlace(const Backend& backend, int threads, const DeviceOptions& options,
                       InstructionSet set) {
  std::shared_ptr<Device> device = backend.openDevice(options);
  const bool isGpu = device->facts().gpu.has_value();
  return {backend, isGpu ? device->facts() : withInstructionSet(backend.target(threads), set),
          std::move(device)};
}

} // namespace nestwright
