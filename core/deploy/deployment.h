#pragma once
/// \file What will be inside of a library, before anything is compiled: which program runs each
/// task, and where it was tuned.

#include "core/deploy/deploy_options.h"
#include "core/execute/network_runner.h"
#include "core/execute/tuning_origin.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

struct DeployedTask {
  std::string name, key;
  double weight = 1;   // runs of it in one run of the network
  bool tunable = true; // false: it only moves elements, and is never searched
  TuningOrigin origin = TuningOrigin::Fallback;
  RowId record = 0;                          // that its program comes from; 0: of none
  RowId passedOver = 0;                      // a faster one that networkBest() passes over
  NetworkRefusal why = NetworkRefusal::None; // that it does
  bool tf32 = false;                         // that one's program rounds float32 factors to TF32
  double flops = 0;                          // of one run
  double seconds = 0;                        // of that record; 0 when there is none
  double naiveSeconds = 0;                   // of the naive program, by the file; 0: not known
  ProgramKind program = ProgramKind::Naive;  // that runs it; known once it is compiled
};

/// What is inside for one kind of processor.
struct DeployedVariant {
  TargetFacts target; // that the code is for
  std::vector<DeployedTask> tasks;
  std::vector<KernelPlan> plans; // by task

  /// "native", "x86-64-v3", or the architecture of a GPU, "sm_90".
  std::string processor() const;
  std::size_t searchedCount() const; // tasks that are searched at all
  std::size_t tunedCount() const;    // of them, those with a record of the target
  double coverage() const;           // the share of these; 1 where nothing is searched
  /// Likewise the share of the searched tasks' operations, and of the time that they take in one
  /// run, untuned ones by their naive programs; nothing while the file does not know one of these.
  double tunedWork() const;
  std::optional<double> tunedTime() const;
};

struct Deployment {
  std::string subject; // its complete text
  bool isNetwork = false;
  DeployOptions options;                 // with a name
  Partition partition;                   // an operator's has one group
  std::vector<DeployedVariant> variants; // in the order of the options' sets; at least one

  bool isGpu() const { return variants.front().target.gpu.has_value(); }
  double coverage() const; // of the variant with the least
};

/// Chooses as `run` does: the programs that were kept from a recombination, else each task's best.
/// `subject` is a network, an operator, a task of a network or a DAG file, as resolveSubject() has
/// it; `store` may be null. Each variant has the records of its own target. Throws InputError that
/// names the tasks without one unless the options allow them, and as draftDeployment() does.
Deployment planDeployment(const std::string& subject, const RecordStore* store,
                          const TargetFacts& machine, const DeployOptions& options);

/// The same whatever records there are. Throws UsageError for a name that is no C identifier, as
/// requireOnnxFile() does where the options want an operator of ONNX Runtime, and as
/// resolveSubject(), arrangedSets() and withInstructionSet() do.
Deployment draftDeployment(const std::string& subject, const RecordStore* store,
                           const TargetFacts& machine, const DeployOptions& options);

/// What a library for a target of this name is made for. Of "cuda:sm_90", which names no device, it
/// is the one device of the architecture that the file has verified records of any task of, so that
/// a library can be made without it. Throws as targetNamed() does, and InputError where the file
/// has several such devices.
TargetFacts deployTarget(const std::string& name, const RecordStore* store, int cores);

/// The targets, by their texts, of which the file has verified records of the deployment's tasks,
/// beside its variants'.
std::vector<std::string> otherTargets(const RecordStore& store, const Deployment& deployment);

/// What people's scripts read of the tasks: name, weight, origin, program, record, seconds.
nlohmann::json tasksJson(const DeployedVariant& variant);

/// "12 of 13 searched tasks tuned (92.3 %), 8 that are never searched".
std::string coverageText(const DeployedVariant& variant);

} // namespace nestwright
