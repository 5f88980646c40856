#include "core/plugin/target_named.h"

#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/target/instruction_set.h"

#include <fmt/ranges.h>

#include <optional>

namespace nestwright {

namespace {

constexpr const char* kProcessor = "llvm";
constexpr const char* kGpu = "cuda";
constexpr const char* kPresets = "cuda:";

/// What the name of a processor says.
struct Processor {
  Lowering lowering = Lowering::Full;
  InstructionSet set = InstructionSet::Native;
};

/// "llvm", "llvm:plain", "llvm:avx2", "llvm:plain-packed:sse4.2".
std::string nameOf(const Processor& processor) {
  std::string name = kProcessor;
  if (processor.lowering != Lowering::Full)
    name += fmt::format(":{}", nestwright::name(processor.lowering));
  if (processor.set != InstructionSet::Native)
    name += fmt::format(":{}", nestwright::name(processor.set));
  return name;
}

/// Nothing for another target.
std::optional<Processor> processorOf(const std::string& target) {
  for (const std::string& lowering : loweringNames())
    for (const std::string& set : instructionSetNames())
      if (const Processor processor{loweringFromName(lowering), instructionSetFromName(set)};
          target == nameOf(processor))
        return processor;
  return std::nullopt;
}

} // namespace

std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (const std::string& lowering : loweringNames())
    names.push_back(nameOf({loweringFromName(lowering)}));
  names.push_back(kGpu);
  for (const GpuArchitecture& architecture : presetArchitectures())
    names.push_back(kPresets + architecture.name());
  return names;
}

TargetFacts targetNamed(const std::string& name, int threads, const std::string& device) {
  if (name == kGpu) return backend(name).target(threads, device);
  if (const auto processor = processorOf(name)) {
    TargetFacts facts =
        withInstructionSet(backend(kProcessor).target(threads, device), processor->set);
    facts.lowering = processor->lowering;
    return facts;
  }
  for (const GpuArchitecture& architecture : presetArchitectures())
    if (name == kPresets + architecture.name()) return cudaTarget(gpuPreset(architecture));
  throw InputError(
      fmt::format("there is no target \"{}\"; known are: {}; an instruction set may stand "
                  "behind a processor's, as in llvm:avx2",
                  name, fmt::join(targetNames(), ", ")));
}

bool namesGpu(const std::string& name) {
  return name == kGpu || name.starts_with(kPresets);
}

std::string targetWith(const std::string& name, Lowering lowering) {
  const auto processor = processorOf(name);
  if (!processor)
    throw UsageError(fmt::format("the programs of {} have one lowering; leave --lowering out, or "
                                 "choose the target {}",
                                 name, kProcessor));
  return nameOf({lowering, processor->set});
}

std::string targetWith(const std::string& name, InstructionSet set) {
  const auto processor = processorOf(name);
  if (!processor)
    throw UsageError(fmt::format("the programs of {} use one instruction set; leave --isa out, or "
                                 "choose the target {}",
                                 name, kProcessor));
  return nameOf({processor->lowering, set});
}

Lowering loweringOf(const std::string& name) {
  return processorOf(name).value_or(Processor()).lowering;
}

InstructionSet instructionSetOf(const std::string& name) {
  return processorOf(name).value_or(Processor()).set;
}

std::string nameHere(const TargetFacts& target) {
  const Processor processor{target.lowering, target.instructionSet};
  return nameOf(processor) == kProcessor ? target.backend : nameOf(processor);
}

} // namespace nestwright
