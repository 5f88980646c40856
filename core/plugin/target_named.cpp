#include "core/plugin/target_named.h"

#include "core/plugin/plugin.h"
#include "core/support/error.h"

#include <algorithm>
#include <iterator>

namespace nestwright {

namespace {

constexpr const char* kBackends[] = {"llvm", "cuda"};
constexpr const char* kPresets = "cuda:";

} // namespace

std::vector<std::string> targetNames() {
  std::vector<std::string> names(std::begin(kBackends), std::end(kBackends));
  for (const GpuArchitecture& architecture : presetArchitectures())
    names.push_back(kPresets + architecture.name());
  return names;
}

TargetFacts targetNamed(const std::string& name, int threads, const std::string& device) {
  if (std::ranges::find(kBackends, name) != std::end(kBackends))
    return backend(name).target(threads, device);
  for (const GpuArchitecture& architecture : presetArchitectures())
    if (name == kPresets + architecture.name()) return cudaTarget(gpuPreset(architecture));
  throw InputError(fmt::format("there is no target \"{}\"; known are: {}", name,
                               fmt::join(targetNames(), ", ")));
}

} // namespace nestwright
