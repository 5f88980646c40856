#include "core/target/instruction_set.h"

#include "core/support/error.h"
#include "core/support/name_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace nestwright {

namespace {

constexpr NameTable<InstructionSet, 4> kSets = {{"native", "sse4.2", "avx2", "avx512"}};

struct Level {
  const char* processor; // as LLVM names it
  int vectorBytes;
  std::vector<std::string> features;
};

/// Each level has all of the one before.
std::array<Level, 4> makeLevels() {
  std::array<Level, 4> levels = {{
      {"", 0, {}},
      {"x86-64-v2",
       16,
       {"cmov", "cx16", "cx8", "fpu", "fxsr", "lahf_lm", "mmx", "pni", "popcnt", "sse", "sse2",
        "sse4_1", "sse4_2", "ssse3"}},
      {"x86-64-v3", 32, {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"}},
      {"x86-64-v4", 64, {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}},
  }};
  for (std::size_t i = 1; i < levels.size(); ++i) {
    std::vector<std::string>& features = levels[i].features;
    features.insert(features.end(), levels[i - 1].features.begin(), levels[i - 1].features.end());
    std::ranges::sort(features);
  }
  return levels;
}

const Level& levelOf(InstructionSet set) {
  static const std::array<Level, 4> kLevels = makeLevels();
  return kLevels[static_cast<std::size_t>(set)];
}

std::vector<std::string> missingOf(const TargetFacts& machine, InstructionSet set) {
  std::vector<std::string> missing;
  for (const std::string& feature : featuresOf(set))
    if (std::ranges::find(machine.features, feature) == machine.features.end())
      missing.push_back(feature);
  return missing;
}

} // namespace

const char* name(InstructionSet set) {
  return kSets.of(set);
}

std::vector<std::string> instructionSetNames() {
  return {kSets.names.begin(), kSets.names.end()};
}

InstructionSet instructionSetFromName(std::string_view text) {
  if (const auto set = kSets.find(text)) return *set;
  throw InputError(fmt::format("\"{}\" is no instruction set; there are {}", text,
                               fmt::join(instructionSetNames(), ", ")));
}

const std::vector<std::string>& featuresOf(InstructionSet set) {
  return levelOf(set).features;
}

const char* processorOf(InstructionSet set) {
  return levelOf(set).processor;
}

int vectorBytesOf(InstructionSet set) {
  return levelOf(set).vectorBytes;
}

bool canRun(const TargetFacts& machine, InstructionSet set) {
  if (set == InstructionSet::Native) return true;
  return !machine.gpu && missingOf(machine, set).empty();
}

TargetFacts withInstructionSet(TargetFacts machine, InstructionSet set) {
  if (set == machine.instructionSet) return machine;
  NW_ASSERT(machine.instructionSet == InstructionSet::Native, "a machine is narrowed down once");
  if (machine.gpu)
    throw UsageError("a GPU's programs use one instruction set; leave --isa out, or choose the "
                     "target llvm");
  if (const std::vector<std::string> missing = missingOf(machine, set); !missing.empty()) {
    std::vector<std::string> others;
    for (const std::string& known : instructionSetNames())
      if (canRun(machine, instructionSetFromName(known))) others.push_back(known);
    throw SystemError(fmt::format("this machine's processor cannot run programs for {}: it lacks "
                                  "{}; choose another instruction set ({}) or another machine",
                                  name(set), fmt::join(missing, ", "), fmt::join(others, ", ")));
  }
  const Level& level = levelOf(set);
  const double narrower = static_cast<double>(level.vectorBytes) / machine.vectorBytes;
  machine.instructionSet = set;
  machine.cpuName = level.processor;
  machine.features = level.features;
  machine.vectorBytes = level.vectorBytes;
  machine.peakFlopsPerCore *= narrower;
  machine.peakBytesPerCore *= narrower;
  return machine;
}

TargetFacts alike(TargetFacts machine, const TargetFacts& target) {
  machine.lowering = target.lowering;
  return withInstructionSet(std::move(machine), target.instructionSet);
}

} // namespace nestwright
