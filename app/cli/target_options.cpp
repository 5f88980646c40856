#include "app/cli/target_options.h"

#include "app/cli/checks.h"
#include "core/plugin/target_named.h"
#include "core/support/units.h"
#include "core/target/instruction_set.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright::cli {

CLI::Option* addTarget(CLI::App& verb, std::string& target, const std::string& what) {
  return verb.add_option("--target", target,
                         fmt::format("{}: {}. cuda is the GPU of this machine, or of the workers "
                                     "that --worker-command starts",
                                     what, fmt::join(targetNames(), ", ")));
}

void addLowering(CLI::App& verb, std::string& target) {
  verb.add_option_function<std::string>(
          "--lowering",
          [&target](const std::string& name) {
            target = targetWith(target, loweringFromName(name));
          },
          "How programs for a processor are compiled: full, plain (with the loops as the schedule "
          "says and no more), or plain-packed (beside that, the second operand of a product is "
          "stored as it is read). Their records never mix")
      ->check(CLI::IsMember(loweringNames()));
}

void addInstructionSet(CLI::App& verb, std::string& target) {
  verb.add_option_function<std::string>(
          "--isa",
          [&target](const std::string& name) {
            target = targetWith(target.empty() ? "llvm" : target, instructionSetFromName(name));
          },
          "What programs may use of this machine's processor: native (all that it has), or no more "
          "than sse4.2, avx2 or avx512. Each is an instruction-set target of this machine, whose "
          "records never mix with others")
      ->check(CLI::IsMember(instructionSetNames()));
}

void addPlace(CLI::App& verb, std::string& target) {
  verb.add_option("--target", target,
                  "Where it runs: llvm (this machine's processor) or cuda (its GPU); default: what "
                  "the file's newest session tuned the network for")
      ->check(CLI::IsMember({"llvm", "cuda"}));
}

void addDevice(CLI::App& verb, std::string& device) {
  verb.add_option("--device", device,
                  "Which GPU: its number, or a part of its name (default: the first)");
}

void addEvaluator(CLI::App& verb, Evaluator& evaluator) {
  verb.add_option_function<std::string>(
      "--evaluator", [&evaluator](const std::string& text) { evaluator = evaluatorFromText(text); },
      "How a program is timed: fixed (a few repeats), fixed:runs=500,batch=50,seconds=2 "
      "(micro-batches until all runs are made or the seconds spent), or adaptive (until their "
      "speeds agree), with options as `nestwright doctor` lists them (default fixed)");
}

void addRepeats(CLI::App& verb, MeasureOptions& options) {
  verb.add_option("--repeats", options.repeats, "Timed repeats of each program")
      ->check(positive())
      ->capture_default_str();
  verb.add_option_function<std::string>(
      "--min-repeat",
      [&options](const std::string& time) { options.minRepeatSeconds = parseSeconds(time); },
      "Least time of a repeat, in which a short kernel runs several times (20ms): a shorter one "
      "gives more programs an hour, and noisier times");
}

void addTf32(CLI::App& verb, bool& tf32) {
  verb.add_flag("--tf32", tf32,
                "Let a GPU's tensor cores round the factors of float32 products to TF32: 10 digits "
                "behind the point");
}

void addTf32Programs(CLI::App& verb, bool& tf32) {
  verb.add_flag("--tf32", tf32,
                "Also run programs that round factors of float32 products to TF32; without it the "
                "fastest other program of each task runs");
}

} // namespace nestwright::cli
