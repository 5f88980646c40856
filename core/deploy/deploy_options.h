#pragma once
/// \file What a person decides about a library before it is made.

#include "core/network/partition/partition.h"
#include "core/target/target.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// Who runs the parallel loops of a library.
enum class Threading : std::uint8_t {
  Serial,   // nobody: they run in the caller's thread
  OpenMp,   // libgomp, as while tuning
  Callback, // the application, through a function that it gives
};
/// "serial", "openmp", "callback"
const char* name(Threading threading);
std::vector<std::string> threadingNames();
/// Throws InputError that lists the names.
Threading threadingFromName(std::string_view name);

struct DeployOptions {
  std::string name; // of the library, a C identifier; empty: after the subject
  /// Processors that the code is for, as arrangedSets() has them: the library has a variant for
  /// each, and runs the first that fits the machine.
  std::vector<InstructionSet> instructionSets = {InstructionSet::Native};
  Threading threading = Threading::OpenMp;
  bool embed = false;       // constants inside of the library instead of beside it
  bool onnxRuntime = false; // also an operator of ONNX Runtime, and a file that calls it
  /// Which definitions of an operator its records may choose.
  Alternatives alternatives = Alternatives::All;
  bool tf32 = false;                  // also programs that round float32 factors to TF32
  bool allowNaive = false;            // also tasks without a record
  std::optional<double> requireTuned; // share of the searched tasks that must have a record, 0 to 1

  /// That share; without it all of them, or none where naive ones are allowed.
  double leastTuned() const { return requireTuned.value_or(allowNaive ? 0.0 : 1.0); }
};

/// "native", "x86-64-v2", "x86-64-v3", "x86-64-v4": the sets as compilers call processors.
std::vector<std::string> processorNames();
const char* processorName(InstructionSet set);
/// Throws UsageError that lists the names.
InstructionSet instructionSetOfProcessor(std::string_view name);

/// Each once, the one that needs the most of a processor first. Throws UsageError where there is
/// none, or Native stands beside another: it needs all that the machine has.
std::vector<InstructionSet> arrangedSets(std::vector<InstructionSet> sets);
/// "x86-64-v3,x86-64-v4", arranged. Throws as both of the above do.
std::vector<InstructionSet> parseProcessors(std::string_view text);
/// "x86-64-v4, x86-64-v3"
std::string processorsText(const std::vector<InstructionSet>& sets);

/// "95%" or "0.95" as a share from 0 to 1. Throws UsageError for anything else.
double parseShare(std::string_view text);

/// A C identifier from any text; "library" from one without a letter.
std::string identifierFrom(std::string_view text);
/// The name of a subject's library where none is given: without parameters, folder and ending.
std::string libraryName(const std::string& subject);
/// Why the name cannot begin the names of a C and C++ interface, and which one could; empty when it
/// can.
std::string identifierProblem(std::string_view name);
/// Throws UsageError that has the problem, where there is one.
void requireIdentifier(std::string_view name);
/// Names for parameters of a C function, from any texts: each is an identifier, no keyword, none of
/// `taken`, and there once.
std::vector<std::string> parameterNames(const std::vector<std::string>& texts,
                                        std::vector<std::string> taken);

} // namespace nestwright
