#pragma once
/// \file The options by which people say what programs are for and where they run, the same in
/// every verb that has them.

#include "core/measure/measure.h"
#include "core/result/evaluator.h"

#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace nestwright::cli {

/// Adds --target, one of targetNames(); `what` is what it says: "What to tune for".
CLI::Option* addTarget(CLI::App& verb, std::string& target, const std::string& what);
/// Adds --lowering, which makes of the target "llvm" the one with this lowering. To be added behind
/// --target.
void addLowering(CLI::App& verb, std::string& target);
/// Adds --isa, which makes of the target the one with this instruction set; an empty one is "llvm".
/// To be added behind --target and --lowering.
void addInstructionSet(CLI::App& verb, std::string& target);
/// Adds --target of a network that runs: "llvm", "cuda", or what it was tuned for.
void addPlace(CLI::App& verb, std::string& target);
/// Adds --device, as DeviceOptions has it.
void addDevice(CLI::App& verb, std::string& device);
/// Adds --evaluator (MeasureOptions::evaluator).
void addEvaluator(CLI::App& verb, Evaluator& evaluator);
/// Adds --repeats and --min-repeat, for the evaluator "fixed".
void addRepeats(CLI::App& verb, MeasureOptions& options);
/// Adds --tf32 (SpaceOptions::tf32).
void addTf32(CLI::App& verb, bool& tf32);
/// The same for a verb that runs programs of records: whether those that round so may run.
void addTf32Programs(CLI::App& verb, bool& tf32);

} // namespace nestwright::cli
