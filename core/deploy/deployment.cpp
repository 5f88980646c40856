#include "core/deploy/deployment.h"

#include "core/deploy/onnxruntime_op.h"
#include "core/network/zoo/zoo.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"
#include "core/target/instruction_set.h"

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
/// the caller packs it, once, as while it was measured.
Partition partitionOf(const SubjectTask& task) {
  Partition parts;
  TaskGroup group;
  group.task = 0;
  group.name = task.name;
  const auto add = [&](const Op& op) {
    Constant packed;
    if (isLayoutFree(task.dag, op->name())) packed = Constant::lazy([] { return Array{}; });
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

/// "a, b, c and 4 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", names[i]);
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

/// Which records the deployment lacks, and of which other targets the file has some, without a
/// full stop; empty when it has as many as its options want.
std::string missingRecords(const Deployment& deployment, const RecordStore* store) {
  if (deployment.coverage() >= deployment.options.leastTuned()) return {};
  std::vector<std::string> missing;
  for (const DeployedTask& task : deployment.tasks)
    if (task.tunable && task.origin != TuningOrigin::Here) missing.push_back(task.name);
  const std::string where = store ? store->path() : "no file";
  std::string text =
      fmt::format("{} has no verified record for {} of {} tasks on {}: {}", where, missing.size(),
                  deployment.searchedCount(), deployment.target.text(), listed(missing));
  if (store)
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

} // namespace

std::size_t Deployment::searchedCount() const {
  return static_cast<std::size_t>(std::ranges::count_if(tasks, &DeployedTask::tunable));
}

std::size_t Deployment::tunedCount() const {
  return static_cast<std::size_t>(std::ranges::count_if(tasks, [](const DeployedTask& task) {
    return task.tunable && task.origin == TuningOrigin::Here;
  }));
}

double Deployment::coverage() const {
  const std::size_t searched = searchedCount();
  return searched == 0 ? 1 : static_cast<double>(tunedCount()) / static_cast<double>(searched);
}

double Deployment::tunedWork() const {
  double all = 0, tuned = 0;
  for (const DeployedTask& task : tasks) {
    if (!task.tunable) continue;
    all += task.weight * task.flops;
    if (task.origin == TuningOrigin::Here) tuned += task.weight * task.flops;
  }
  return all > 0 ? tuned / all : 1;
}

std::optional<double> Deployment::tunedTime() const {
  std::vector<OriginShare> shares;
  for (const DeployedTask& task : tasks)
    if (task.tunable)
      shares.push_back(
          {task.origin, task.weight * (task.record ? task.seconds : task.naiveSeconds)});
  const std::optional<double> untuned = untunedShare(shares);
  return untuned ? std::optional(1 - *untuned) : std::nullopt;
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
  deployment.target = withInstructionSet(machine, options.instructionSet);
  deployment.partition = subject.isNetwork ? optimisedPartition(parseNetworkSpec(text))
                                           : partitionOf(subject.tasks.front());
  if (options.onnxRuntime) requireOnnxFile(deployment);
  ProgramChoice chosen =
      store ? choosePrograms(deployment.partition, *store, deployment.target,
                             deployment.isNetwork ? ProgramSource::Kept : ProgramSource::Best)
            : fallbackPrograms(deployment.partition, deployment.target);
  const RowId target = store ? targetRow(*store, deployment.target) : 0;
  for (std::size_t i = 0; i < chosen.tasks.size(); ++i) {
    const BuiltTask& built = chosen.tasks[i];
    DeployedTask task{built.name, deployment.partition.tasks[i].key, built.weight, built.tunable};
    task.flops = deployment.partition.tasks[i].flops;
    task.record = built.record;
    task.origin = built.record           ? TuningOrigin::Here
                  : built.tunedElsewhere ? TuningOrigin::Elsewhere
                                         : TuningOrigin::Fallback;
    if (store) fillTimes(task, *store, target);
    deployment.tasks.push_back(std::move(task));
  }
  deployment.plans = std::move(chosen.plans);
  return deployment;
}

std::vector<std::string> otherTargets(const RecordStore& store, const Deployment& deployment) {
  std::vector<std::string> texts;
  for (const TargetRow& target : store.targets().all())
    if (target.key != deployment.target.id() &&
        std::ranges::any_of(deployment.tasks, [&](const DeployedTask& task) {
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

nlohmann::json tasksJson(const Deployment& deployment) {
  const auto known = [](double seconds) {
    return seconds > 0 ? nlohmann::json(seconds) : nlohmann::json();
  };
  nlohmann::json tasks = nlohmann::json::array();
  for (const DeployedTask& task : deployment.tasks)
    tasks.push_back({{"name", task.name},
                     {"key", task.key},
                     {"weight", task.weight},
                     {"searched", task.tunable},
                     {"origin", name(task.origin)},
                     {"program", name(task.program)},
                     {"record", task.record ? nlohmann::json(task.record) : nlohmann::json()},
                     {"seconds", known(task.seconds)},
                     {"naive_seconds", known(task.naiveSeconds)}});
  return tasks;
}

std::string coverageText(const Deployment& deployment) {
  const std::size_t searched = deployment.searchedCount();
  std::string text = fmt::format("{} of {} searched tasks tuned ({})", deployment.tunedCount(),
                                 searched, percent(deployment.coverage()));
  if (const std::size_t others = deployment.tasks.size() - searched)
    text += fmt::format(", {} that {} never searched", others, others == 1 ? "is" : "are");
  return text;
}

} // namespace nestwright
