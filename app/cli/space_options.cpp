#include "app/cli/space_options.h"

#include "app/cli/checks.h"
#include "app/cli/target_options.h"
#include "core/measure/worker_target.h"
#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/support/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace nestwright::cli {

void addSpaceOptions(CLI::App& verb, SpaceGiven& given) {
  verb.add_option("task", given.subject, "Task: matmul:m=512,n=512,k=512, resnet18#3, my.dag")
      ->required();
  verb.add_option("--target", given.target,
                  fmt::format("What the programs are for: {} (default: this machine)",
                              fmt::join(targetNames(), ", ")));
  addInstructionSet(verb, given.target);
  addDevice(verb, given.device);
  verb.add_option("--threads", given.threads, "Threads of the tuned kernels (0: all cores)")
      ->check(notNegative());
  verb.add_option("--rules", given.rules, "Sketch rules, in their order")->capture_default_str();
  addTf32(verb, given.tf32);
}

SubjectTask taskOf(const SpaceGiven& given) {
  const std::string& text = given.subject;
  const Subject subject = resolveSubject(text);
  if (subject.tasks.size() != 1)
    throw UsageError(
        fmt::format("{} has {} tasks; name one of them, e.g. {}#0 (nestwright tasks {} "
                    "lists them)",
                    text, subject.tasks.size(), text, text));
  return subject.tasks[0];
}

Space spaceOf(const SpaceGiven& given, const WorkerLaunch& launch) {
  MeasureOptions options;
  options.threads = given.threads;
  options.device = given.device;
  const TargetFacts target = given.target.empty() ? hostTarget(given.threads)
                                                  : measuredTarget(given.target, options, launch);
  Space space{spaceOptionsFor(target, drawsOf(given.rules)), sketchRules(given.rules, target)};
  space.options.tf32 = given.tf32;
  return space;
}

} // namespace nestwright::cli
