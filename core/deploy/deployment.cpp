#include "core/deploy/deployment.h"

#include "core/deploy/onnxruntime_op.h"
#include "core/execute/fastest_definitions.h"
#include "core/network/zoo/zoo.h"
#include "core/plugin/target_named.h"
#include "core/record/format/target_facts.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "core/support/first_names.h"
#include "core/support/quantity.h"
#include "core/target/instruction_set.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

/// Whether an operator of the DAG allows the input another layout.
bool isLayoutFree(const ComputeDag& dag, const std::string& input) {
  return std::ranges::any_of(dag.ops(), [&](const Op& op) {
    const std::vector<std::string>& free = op->attributes.layoutFreeInputs;
    return std::ranges::find(free, input) != free.end();
  });
}

/// A network of the one operator: its buffers are planned and its kernel compiled as a network's
/// are. What the operator takes in another layout stands in it as a constant, which nobody makes:
/// the caller packs it, once, as while it was measured. Without `packs`, as on a GPU, all are taken
/// as they are.
Partition partitionOf(const SubjectTask& task, bool packs) {
  Partition parts;
  TaskGroup group;
  group.task = 0;
  group.name = task.name;
  const auto add = [&](const Op& op) {
    Constant packed;
    if (packs && isLayoutFree(task.dag, op->name()))
      packed = Constant::lazy([] { return Array{}; });
    parts.network.tensors.push_back(
        {op->name(), op->output->shape, op->output->type, std::move(packed), false});
    return static_cast<TensorId>(parts.network.tensors.size()) - 1;
  };
  for (const Op& input : task.dag.inputs())
    group.inputs.push_back(add(input));
  const std::vector<Op> outputs = task.dag.outputs();
  if (outputs.size() != 1)
    throw InputError(fmt::format("{} has {} outputs; a library can be made of an operator with one",
                                 task.name, outputs.size()));
  group.output = add(outputs.front());
  parts.network.name = task.name;
  parts.network.inputs = group.inputs;
  parts.network.outputs = {group.output};
  parts.tasks.push_back(
      {workloadKey(task.dag), task.dag, 1, task.name, flops(task.dag), /*tunable=*/true});
  parts.groups.push_back(std::move(group));
  return parts;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

/// Whether a task lacks nothing but the leave to round to TF32.
bool hasOnlyRounding(const DeployedVariant& variant) {
  return std::ranges::any_of(variant.tasks, [](const DeployedTask& task) {
    return task.record == 0 && task.why == NetworkRefusal::Tf32;
  });
}

/// Which records the variants lack, and of which other targets the file has some, without a full
/// stop; empty when each has as many as the options want.
std::string missingRecords(const Deployment& deployment, const RecordStore* store) {
  constexpr std::size_t kNamed = 5;
  const std::string where = store ? store->path() : "no file";
  std::string text;
  for (const DeployedVariant& variant : deployment.variants) {
    if (variant.coverage() >= deployment.options.leastTuned()) continue;
    std::vector<std::string> missing;
    for (const DeployedTask& task : variant.tasks)
      if (task.tunable && task.origin != TuningOrigin::Here)
        missing.push_back(fmt::format("\"{}\"", task.name));
    text += fmt::format("{}no verified record for {} of {} on {}: {}",
                        text.empty() ? where + " has " : ", and ", missing.size(),
                        quantity(std::int64_t(variant.searchedCount()), "task"),
                        variant.target.text(), firstNames(missing, kNamed));
  }
  if (!text.empty() && std::ranges::any_of(deployment.variants, hasOnlyRounding))
    text += "; some have programs that round float32 factors to TF32, which --tf32 would take";
  if (store && !text.empty())
    for (const std::string& other : otherTargets(*store, deployment))
      text += fmt::format("; it has records of {}", other);
  return text;
}

void fillTimes(DeployedTask& task, const RecordStore& store, RowId target) {
  const std::optional<TaskRow> row = target ? store.tasks().find(task.key, target) : std::nullopt;
  if (!row) return;
  const TaskSummary summary = store.tasks().summary(row->id);
  if (std::isfinite(summary.naiveSeconds)) task.naiveSeconds = summary.naiveSeconds;
  if (const auto record = task.record ? store.records().one(task.record) : std::nullopt)
    task.seconds = record->result.latency();
}

DeployedVariant draftVariant(const Deployment& deployment, const RecordStore* store,
                             TargetFacts facts) {
  DeployedVariant variant;
  variant.target = std::move(facts);
  ProgramChoice chosen =
      store ? choosePrograms(deployment.partition, *store, variant.target,
                             deployment.isNetwork ? ProgramSource::Kept : ProgramSource::Best,
                             deployment.options.tf32)
            : fallbackPrograms(deployment.partition, variant.target);
  const RowId target = store ? targetRow(*store, variant.target) : 0;
  for (std::size_t i = 0; i < chosen.tasks.size(); ++i) {
    const BuiltTask& built = chosen.tasks[i];
    DeployedTask task{built.name, deployment.partition.tasks[i].key, built.weight, built.tunable};
    task.flops = deployment.partition.tasks[i].flops;
    task.record = built.record;
    task.tf32 = built.tf32;
    task.passedOver = built.passedOver;
    task.why = built.why;
    task.origin = built.record           ? TuningOrigin::Here
                  : built.tunedElsewhere ? TuningOrigin::Elsewhere
                                         : TuningOrigin::Fallback;
    if (store) fillTimes(task, *store, target);
    variant.tasks.push_back(std::move(task));
  }
  variant.plans = std::move(chosen.plans);
  return variant;
}

} // namespace

std::string DeployedVariant::processor() const {
  return target.gpu ? target.gpu->architecture.name() : processorName(target.instructionSet);
}

std::size_t DeployedVariant::searchedCount() const {
  return static_cast<std::size_t>(std::ranges::count_if(tasks, &DeployedTask::tunable));
}

std::size_t DeployedVariant::tunedCount() const {
  return static_cast<std::size_t>(std::ranges::count_if(tasks, [](const DeployedTask& task) {
    return task.tunable && task.origin == TuningOrigin::Here;
  }));
}

double DeployedVariant::coverage() const {
  const std::size_t searched = searchedCount();
  return searched == 0 ? 1 : static_cast<double>(tunedCount()) / static_cast<double>(searched);
}

double DeployedVariant::tunedWork() const {
  double all = 0, tuned = 0;
  for (const DeployedTask& task : tasks) {
    if (!task.tunable) continue;
    all += task.weight * task.flops;
    if (task.origin == TuningOrigin::Here) tuned += task.weight * task.flops;
  }
  return all > 0 ? tuned / all : 1;
}

std::optional<double> DeployedVariant::tunedTime() const {
  std::vector<OriginShare> shares;
  for (const DeployedTask& task : tasks)
    if (task.tunable)
      shares.push_back(
          {task.origin, task.weight * (task.record ? task.seconds : task.naiveSeconds)});
  const std::optional<double> untuned = untunedShare(shares);
  return untuned ? std::optional(1 - *untuned) : std::nullopt;
}

double Deployment::coverage() const {
  double least = 1;
  for (const DeployedVariant& variant : variants)
    least = std::min(least, variant.coverage());
  return least;
}

Deployment draftDeployment(const std::string& text, const RecordStore* store,
                           const TargetFacts& machine, const DeployOptions& options) {
  const Subject subject = resolveSubject(text);
  Deployment deployment;
  deployment.subject = subject.spec;
  deployment.isNetwork = subject.isNetwork;
  deployment.options = options;
  if (options.name.empty()) deployment.options.name = libraryName(subject.name);
  requireIdentifier(deployment.options.name);
  deployment.options.instructionSets = arrangedSets(options.instructionSets);
  if (machine.gpu)
    deployment.options.threading = Threading::Serial; // its own threads run all loops
  std::vector<TargetFacts> targets;
  for (const InstructionSet set : deployment.options.instructionSets)
    targets.push_back(withInstructionSet(machine, set));
  if (!subject.isNetwork) // its inputs are the caller's, who has no transformed kernel
    deployment.partition = partitionOf(subject.tasks.front(), !machine.gpu);
  else if (store) // one definition for all variants, which share the constants
    deployment.partition = fastestPartition(parseNetworkSpec(text), options.alternatives, *store,
                                            targets, ProgramSource::Kept, options.tf32);
  else
    deployment.partition = optimisedPartition(parseNetworkSpec(text));
  if (options.onnxRuntime) requireOnnxFile(deployment);
  if (options.onnxRuntime && machine.gpu)
    throw UsageError("an operator of ONNX Runtime is code for processors: leave --onnxruntime out "
                     "where the library is for a GPU");
  for (TargetFacts& target : targets)
    deployment.variants.push_back(draftVariant(deployment, store, std::move(target)));
  return deployment;
}

TargetFacts deployTarget(const std::string& name, const RecordStore* store, int cores) {
  TargetFacts named = targetNamed(name, cores);
  if (!named.gpu || !named.gpu->name.empty() || !store) return named; // a machine at hand
  std::vector<TargetFacts> devices;
  for (const TargetRow& row : store->targets().all())
    if (const std::optional<TargetFacts> facts = factsIfKnown(row);
        facts && facts->gpu && !facts->recorded &&
        facts->gpu->architecture == named.gpu->architecture &&
        std::ranges::any_of(store->tasks().all(), [&](const TaskRow& task) {
          return task.target == row.id && store->tasks().summary(task.id).bestRecord != 0;
        }))
      devices.push_back(*facts);
  if (devices.empty()) return named;
  if (devices.size() == 1) return devices.front();
  std::vector<std::string> names;
  for (const TargetFacts& device : devices)
    names.push_back(device.modelName);
  throw InputError(fmt::format("{} has records of several devices of {}: {}; deploy on the machine "
                               "that has the one you mean, with --target cuda",
                               store->path(), named.gpu->architecture.name(),
                               fmt::join(names, ", ")));
}

std::vector<std::string> otherTargets(const RecordStore& store, const Deployment& deployment) {
  std::vector<std::string> texts;
  for (const TargetRow& target : store.targets().all())
    if (std::ranges::none_of(
            deployment.variants,
            [&](const DeployedVariant& variant) { return variant.target.id() == target.key; }) &&
        std::ranges::any_of(deployment.partition.tasks, [&](const Task& task) {
          const std::optional<TaskRow> row = store.tasks().find(task.key, target.id);
          return row && store.tasks().summary(row->id).bestRecord != 0;
        }))
      texts.push_back(target.text);
  return texts;
}

Deployment planDeployment(const std::string& subject, const RecordStore* store,
                          const TargetFacts& machine, const DeployOptions& options) {
  Deployment deployment = draftDeployment(subject, store, machine, options);
  const std::string missing = missingRecords(deployment, store);
  if (missing.empty()) return deployment;
  if (options.requireTuned)
    throw InputError(fmt::format("{}. {} are tuned, and --require-tuned wants {}", missing,
                                 percent(deployment.coverage()), percent(*options.requireTuned)));
  throw InputError(missing + ". Tune them first, or pass --allow-naive to ship them untuned");
}

nlohmann::json tasksJson(const DeployedVariant& variant) {
  const auto known = [](double seconds) {
    return seconds > 0 ? nlohmann::json(seconds) : nlohmann::json();
  };
  nlohmann::json tasks = nlohmann::json::array();
  for (const DeployedTask& task : variant.tasks)
    tasks.push_back({{"name", task.name},
                     {"key", task.key},
                     {"weight", task.weight},
                     {"searched", task.tunable},
                     {"origin", name(task.origin)},
                     {"program", name(task.program)},
                     {"record", task.record ? nlohmann::json(task.record) : nlohmann::json()},
                     {"tf32", task.tf32},
                     {"passed_over", task.passedOver},
                     {"passed_over_because", name(task.why)},
                     {"seconds", known(task.seconds)},
                     {"naive_seconds", known(task.naiveSeconds)}});
  return tasks;
}

std::string coverageText(const DeployedVariant& variant) {
  const std::size_t searched = variant.searchedCount();
  std::string text =
      fmt::format("{} of {} tuned ({})", variant.tunedCount(),
                  quantity(std::int64_t(searched), "searched task"), percent(variant.coverage()));
  if (const std::size_t others = variant.tasks.size() - searched)
    text += fmt::format(", {} that {} never searched", others, others == 1 ? "is" : "are");
  return text;
}

} // namespace nestwright
