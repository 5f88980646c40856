#pragma once
/// \file What verbs that look at a task's space are given: the task, the target and the rules.

#include "core/measure/worker_launch.h"
#include "core/session/run/subject.h"
#include "core/space/sketch.h"

#include <string>

namespace CLI {
class App;
}

namespace nestwright::cli {

struct SpaceGiven {
  std::string subject, target; // target: empty for this machine
  std::string device;          // of the target "cuda", as DeviceOptions has it
  std::string rules = kDefaultRules;
  int threads = 0;
  bool tf32 = false; // SpaceOptions::tf32
};

/// Adds the task and the options; `given` outlives the parsing.
void addSpaceOptions(CLI::App& verb, SpaceGiven& given);

/// The one task of the subject. Throws UsageError when it has several.
SubjectTask taskOf(const SpaceGiven& given);
struct Space {
  SpaceOptions options;
  SketchRules rules;
};
/// The target's options, with the draws that the rules want, and the rules for it. With a command
/// of the person's, "cuda" is the GPU of its workers. Throws as measuredTarget() and sketchRules()
/// do.
Space spaceOf(const SpaceGiven& given, const WorkerLaunch& launch = {});

} // namespace nestwright::cli
