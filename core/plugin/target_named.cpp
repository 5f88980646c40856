#include "core/plugin/target_named.h"

#include "core/plugin/plugin.h"
#include "core/support/error.h"

#include <fmt/ranges.h>

#include <optional>

namespace nestwright {

namespace {

constexpr const char* kProcessor = "llvm";
constexpr const char* kGpu = "cuda";
constexpr const char* kPresets = "cuda:";

/// "llvm", "llvm:plain", "llvm:plain-packed".
std::string processorWith(Lowering lowering) {
  return lowering == Lowering::Full ? kProcessor : fmt::format("{}:{}", kProcessor, name(lowering));
}

/// Of a processor; nothing for another target.
std::optional<Lowering> processorLowering(const std::string& target) {
  for (const std::string& known : loweringNames())
    if (const Lowering lowering = loweringFromName(known); target == processorWith(lowering))
      return lowering;
  return std::nullopt;
}

} // namespace

std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (const std::string& lowering : loweringNames())
    names.push_back(processorWith(loweringFromName(lowering)));
  names.push_back(kGpu);
  for (const GpuArchitecture& architecture : presetArchitectures())
    names.push_back(kPresets + architecture.name());
  return names;
}

TargetFacts targetNamed(const std::string& name, int threads, const std::string& device) {
  if (name == kGpu) return backend(name).target(threads, device);
  if (const auto lowering = processorLowering(name)) {
    TargetFacts facts = backend(kProcessor).target(threads, device);
    facts.lowering = *lowering;
    return facts;
  }
  for (const GpuArchitecture& architecture : presetArchitectures())
    if (name == kPresets + architecture.name()) return cudaTarget(gpuPreset(architecture));
  throw InputError(fmt::format("there is no target \"{}\"; known are: {}", name,
                               fmt::join(targetNames(), ", ")));
}

bool namesGpu(const std::string& name) {
  return name == kGpu || name.starts_with(kPresets);
}

std::string targetWith(const std::string& name, Lowering lowering) {
  if (!processorLowering(name))
    throw UsageError(fmt::format("the programs of {} have one lowering; leave --lowering out, or "
                                 "choose the target {}",
                                 name, kProcessor));
  return processorWith(lowering);
}

Lowering loweringOf(const std::string& name) {
  return processorLowering(name).value_or(Lowering::Full);
}

std::string nameHere(const TargetFacts& target) {
  return target.lowering == Lowering::Full ? target.backend : processorWith(target.lowering);
}

} // namespace nestwright
