#include "core/plugin/target_named.h"

#include "core/plugin/plugin.h"
#include "core/support/error.h"

#include <fmt/ranges.h>

namespace nestwright {

namespace {

constexpr const char* kProcessor = "llvm";
constexpr const char* kPlainProcessor = "llvm:plain";
constexpr const char* kGpu = "cuda";
constexpr const char* kPresets = "cuda:";

} // namespace

std::vector<std::string> targetNames() {
  std::vector<std::string> names{kProcessor, kPlainProcessor, kGpu};
  for (const GpuArchitecture& architecture : presetArchitectures())
    names.push_back(kPresets + architecture.name());
  return names;
}

TargetFacts targetNamed(const std::string& name, int threads, const std::string& device) {
  if (name == kProcessor || name == kGpu) return backend(name).target(threads, device);
  if (name == kPlainProcessor) {
    TargetFacts facts = backend(kProcessor).target(threads, {});
    facts.lowering = Lowering::Plain;
    return facts;
  }
  for (const GpuArchitecture& architecture : presetArchitectures())
    if (name == kPresets + architecture.name()) return cudaTarget(gpuPreset(architecture));
  throw InputError(fmt::format("there is no target \"{}\"; known are: {}", name,
                               fmt::join(targetNames(), ", ")));
}

std::string targetWith(const std::string& name, Lowering lowering) {
  if (name != kProcessor && name != kPlainProcessor)
    throw UsageError(fmt::format("the programs of {} have one lowering; leave --lowering out, or "
                                 "choose the target {}",
                                 name, kProcessor));
  return lowering == Lowering::Plain ? kPlainProcessor : kProcessor;
}

Lowering loweringOf(const std::string& name) {
  return name == kPlainProcessor ? Lowering::Plain : Lowering::Full;
}

std::string nameHere(const TargetFacts& target) {
  return target.lowering == Lowering::Plain ? kPlainProcessor : target.backend;
}

} // namespace nestwright
