#pragma once
/// \file Targets that do not use all that a processor can do: each stands in for processors that
/// cannot do more, in studies of how programs and cost models travel
/// (handbook/ansor.md 11.6).

#include "core/target/target.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// "native", "sse4.2", "avx2", "avx512".
const char* name(InstructionSet set);
std::vector<std::string> instructionSetNames();
/// Throws InputError that lists the names.
InstructionSet instructionSetFromName(std::string_view name);

/// All that programs for it may use, as the operating system names it, sorted: the levels 2 to 4 of
/// x86-64. Empty for Native.
const std::vector<std::string>& featuresOf(InstructionSet set);
/// The processor that has these and no more, as LLVM names it: "x86-64-v3". Empty for Native.
const char* processorOf(InstructionSet set);

/// Of its vectors; 0 for Native.
int vectorBytesOf(InstructionSet set);

/// Whether a machine can run programs for it.
bool canRun(const TargetFacts& machine, InstructionSet set);

/// The machine as a target whose programs use this set alone: features, vectors and the peak rates
/// that depend on them follow, and so do its text and id. Throws UsageError for a GPU, SystemError
/// that says what is missing where canRun() is false.
TargetFacts withInstructionSet(TargetFacts machine, InstructionSet set);

/// The machine as a target such as this one, which was known before: with its lowering and its
/// instruction set. Throws as withInstructionSet() does.
TargetFacts alike(TargetFacts machine, const TargetFacts& target);

} // namespace nestwright
