#include "core/session/crossing.h"

#include "core/plugin/plugin.h"
#include "core/session/cost_learner.h"
#include "core/session/recombination_plan.h"
#include "core/session/session.h"
#include "core/support/error.h"
#include "core/target/target_json.h"
#include "core/tensor/text.h"

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <memory>
#include <set>

namespace nestwright {

namespace {

CrossingParent parentOf(const Record& record) {
  return {record.id, record.program, record.result.median(), record.steps};
}

TargetFacts targetOf(const RecordStore& store, const TaskRow& task) {
  for (const TargetRow& row : store.targets())
    if (row.id == task.target) return targetFactsFromJson(nlohmann::json::parse(row.facts));
  throw InputError(fmt::format("{} does not say for which machine the task is", store.path()));
}

/// What the session has learned; null when that is nothing.
std::unique_ptr<CostLearner> learnerOf(const RecordStore& store, const SessionConfig& config,
                                       RowId session, const TargetFacts& target) {
  const std::optional<std::string> bytes = store.model(session, config.model);
  if (!bytes) return nullptr;
  try {
    auto learner = std::make_unique<CostLearner>(costModel(config.model), target,
                                                 featureChoice(config.features));
    learner->load(*bytes);
    return learner->trained() ? std::move(learner) : nullptr;
  } catch (const Error& e) { // without its plugin: crosses are as good, only nothing is predicted
    spdlog::warn("no predictions for crosses: {}", e.what());
    return nullptr;
  }
}

} // namespace

std::vector<CrossingParent> crossingParents(const RecordStore& store,
                                            const CrossingConfig& config) {
  std::vector<RowId> records = config.records;
  if (records.empty())
    for (const RankedProgram& program :
         fastestPrograms(store, config.task, config.top, config.session))
      records.push_back(program.record);
  std::vector<CrossingParent> parents;
  std::set<std::string> seen;
  for (const RowId id : records) {
    const std::optional<Record> record = store.record(id);
    if (!record) throw InputError(fmt::format("{} has no record {}", store.path(), id));
    if (record->task != config.task)
      throw InputError(fmt::format("record {} is a program of another task; only programs of one "
                                   "task can be crossed",
                                   id));
    if (seen.insert(record->program).second) parents.push_back(parentOf(*record));
  }
  return parents;
}

Crossing crossRecords(const RecordStore& store, const CrossingConfig& config) {
  const std::optional<SessionRow> session = store.session(config.session);
  const std::optional<TaskRow> task = store.task(config.task);
  if (!session || !task)
    throw InputError(fmt::format("{} has no session {} with a task {}", store.path(),
                                 config.session, config.task));
  const SessionConfig settings = sessionConfigFromJson(nlohmann::json::parse(session->config));
  const ComputeDag dag = parseDag(task->dag);
  Crossing crossing;
  crossing.parents = crossingParents(store, config);
  CrossingRequest request;
  request.dag = &dag;
  request.count = config.count;
  request.seed = config.seed;
  request.grain = CrossGrain::Step;
  request.space.target = targetOf(store, *task);
  for (const CrossingParent& parent : crossing.parents)
    request.parents.push_back({parent.steps, parent.program});
  std::set<std::string> known;
  for (std::string& program : store.measuredPrograms(config.session, config.task))
    known.insert(std::move(program));
  request.known = [&known](const std::string& program) { return known.contains(program); };
  const std::unique_ptr<CostLearner> learner =
      learnerOf(store, settings, config.session, request.space.target);
  request.scorer = learner.get();
  crossing.predicted = learner != nullptr;
  crossing.children = crossPrograms(request);
  return crossing;
}

NamedProgram namedProgram(const Crossing& crossing, const CrossChild& child) {
  std::vector<CrossParent> parents;
  for (const CrossingParent& parent : crossing.parents)
    parents.push_back({parent.steps, parent.program});
  NamedProgram program;
  program.steps = child.steps;
  program.trace = traceOf(child, parents);
  program.trace->selection = "crossing lab";
  return program;
}

std::vector<CrossedStep> crossedSteps(const ComputeDag& dag, const CrossChild& child) {
  std::vector<CrossedStep> steps;
  State state(dag);
  for (std::size_t i = 0; i < child.steps.size(); ++i) {
    const Step& step = child.steps[i];
    const auto* at = std::get_if<ComputeAtStep>(&step);
    steps.push_back({inWords(step, state), state.stage(at ? at->targetStage : stageOf(step)).name(),
                     child.origins.at(i)});
    state.apply(step);
  }
  return steps;
}

} // namespace nestwright
