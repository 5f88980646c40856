#include "core/story/decisions/weigh_edit.h"

#include "core/dataset/feature_options.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright {
namespace {

void readModel(const RecordStore& store, const EditQuestion& question, EditCache& cache) {
  if (cache.file == question.file && cache.session == question.session) return;
  cache = {question.file, question.session, nullptr, {}};
  try {
    cache.model = std::make_shared<SavedModel>(savedModel(store, question.session));
  } catch (const Error& problem) {
    cache.noModel = problem.what();
  }
}

std::optional<double> scoreOf(const ComputeDag& dag, const Steps& steps, const TargetFacts& target,
                              const SavedModel& saved) {
  const CostModel& model = saved.model->ofTask(workloadKey(dag));
  const ProgramFeatures features =
      programFeatures(State::replay(dag, steps), programFeatureOptions(saved.features, target));
  FeatureTable table(saved.features.columns());
  table.add(features.values);
  const double score = model.predict(table).scores.front();
  return std::isfinite(score) ? std::optional(score) : std::nullopt;
}

EditEstimate estimate(const ComputeDag& dag, const Steps& steps, const TargetFacts& target,
                      const SavedModel* model) {
  EditEstimate result;
  const State state = State::replay(dag, steps);
  const Bounds bounds = inferBounds(state);
  std::vector<double> parallel(static_cast<std::size_t>(state.stageCount()), 1);
  for (const EditableLoop& loop : editableLoops(state, bounds)) {
    const auto extent = static_cast<double>(loop.extent);
    if (loop.annotation == Annotation::Parallel)
      parallel[static_cast<std::size_t>(loop.stage)] *= extent;
    if (loop.annotation == Annotation::Vectorize) result.lanes = std::max(result.lanes, extent);
  }
  result.parallel = *std::ranges::max_element(parallel);
  for (const StageBounds& stage : bounds.stages)
    result.guards += static_cast<int>(stage.guards.size());
  result.moved = movedBytes(dag, steps, target);
  if (model) result.score = scoreOf(dag, steps, target, *model);
  return result;
}

} // namespace

EditOutcome weighEdit(const RecordStore& store, const EditQuestion& question, EditCache& cache,
                      const std::function<void()>& check) {
  const std::optional<TaskRow> task = store.tasks().one(question.task);
  if (!task) throw InputError(fmt::format("{} has no task {}", store.path(), question.task));
  const ComputeDag dag = parseDag(task->dag);
  EditOutcome outcome;
  outcome.illegal = illegality(dag, question.after);
  outcome.steps = editableSteps(dag, question.after);
  const Steps& shown = outcome.illegal.empty() ? question.after : question.before;
  if (illegality(dag, shown).empty()) {
    const State state = State::replay(dag, shown);
    outcome.loops = editableLoops(state, inferBounds(state));
  }
  check();
  if (!outcome.illegal.empty()) return outcome;
  readModel(store, question, cache);
  outcome.noScore = cache.noModel;
  const TargetFacts target = targetOf(store, *task);
  if (illegality(dag, question.before).empty())
    outcome.before = estimate(dag, question.before, target, cache.model.get());
  check();
  outcome.after = estimate(dag, question.after, target, cache.model.get());
  outcome.programId = programId(dag, question.after);
  for (const ProgramRecord& row : store.trials().programRecords(question.session, question.task))
    if (row.program == outcome.programId) outcome.measured = row.record;
  return outcome;
}

} // namespace nestwright
