#include "core/story/decisions/weigh_config.h"

#include "core/record/store/session_rows.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/schedule/bounds.h"
#include "core/schedule/state.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "core/space/legality.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

namespace nestwright {

namespace {

SeedFit seedFitOf(const RecordStore& store, const ComputeDag& task,
                  const ConfigQuestion& question) {
  const std::optional<SessionRow> session = store.sessions().one(question.session);
  if (!session)
    throw InputError(fmt::format("{} has no session {}", store.path(), question.session));
  const SessionConfig config = sessionConfigFromJson(configJson(*session));
  const bool onTemplates = config.space == SearchSpace::Templates;
  return seedFit(
      onTemplates,
      onTemplates
          ? chosenTemplate(task, templateNames(config.templates), templateMachine(config.target)).of
          : std::nullopt,
      question.config);
}

} // namespace

ConfigOutcome weighConfig(const RecordStore& store, const ConfigQuestion& question) {
  const std::optional<TaskRow> task = store.tasks().one(question.task);
  if (!task) throw InputError(fmt::format("{} has no task {}", store.path(), question.task));
  ConfigOutcome outcome;
  const ComputeDag dag = parseDag(task->dag);
  try {
    const TemplateProgram program = templateProgram(dag, question.config);
    const State state = State::replay(program.dag, program.steps);
    const Bounds bounds = inferBounds(state);
    const TargetFacts target = targetOf(store, *task);
    if (target.gpu)
      if (const auto illegal =
              illegality(state, bounds, spaceOptionsFor(target), KernelLimits::Templates)) {
        outcome.impossible = illegal->text;
        return outcome;
      }
    outcome.programId = programId(program.dag, program.steps);
  } catch (const IllegalSchedule& illegal) {
    outcome.impossible = illegal.what();
    return outcome;
  }
  outcome.seed = seedFitOf(store, dag, question);
  for (const ProgramRecord& row : store.trials().programRecords(question.session, question.task))
    if (row.program == outcome.programId) outcome.measured = row.record;
  return outcome;
}

} // namespace nestwright
