#pragma once
/// \file The targets that people choose by a name.

#include "core/target/target.h"

#include <string>
#include <vector>

namespace nestwright {

/// "llvm", "llvm:plain" and "llvm:plain-packed" for the same machine with another lowering, "cuda",
/// and a "cuda:sm_90" for each architecture whose programs can be made without a device. An
/// instruction set may stand behind a processor's name: "llvm:avx2", "llvm:plain:sse4.2".
std::vector<std::string> targetNames();

/// The target of this name, on `threads` threads where it has cores (0: all). "llvm" and "cuda" ask
/// the backend about this machine, "cuda" about the device that is named as in DeviceOptions;
/// "cuda:sm_90" is known without one. Throws InputError that lists the names, and for "llvm" and
/// "cuda" as backend() and Backend::target() do; SystemError where the processor lacks the
/// instruction set.
TargetFacts targetNamed(const std::string& name, int threads = 0, const std::string& device = {});

/// Whether it is the name of a GPU: "cuda", "cuda:sm_90".
bool namesGpu(const std::string& name);

/// The target of this name with a lowering: "llvm" with Plain is "llvm:plain". Throws UsageError
/// for a GPU, whose programs have one lowering.
std::string targetWith(const std::string& name, Lowering lowering);
/// Likewise with an instruction set, for which a GPU's programs have no choice either.
std::string targetWith(const std::string& name, InstructionSet set);

/// The lowering and the instruction set that the name of a target says.
Lowering loweringOf(const std::string& name);
InstructionSet instructionSetOf(const std::string& name);

/// The name by which the machine at hand is asked for a target such as this one, which was known
/// before: "llvm:plain", "cuda".
std::string nameHere(const TargetFacts& target);

} // namespace nestwright
