#include "core/story/weigh_config.h"

#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/schedule/bounds.h"
#include "core/schedule/state.h"
#include "core/session/run/row_contents.h"
#include "core/space/legality.h"
#include "core/support/error.h"
#include "core/tensor/text.h"

namespace nestwright {

ConfigOutcome weighConfig(const RecordStore& store, const ConfigQuestion& question) {
  const std::optional<TaskRow> task = store.tasks().one(question.task);
  if (!task) throw InputError(fmt::format("{} has no task {}", store.path(), question.task));
  ConfigOutcome outcome;
  try {
    const TemplateProgram program = templateProgram(parseDag(task->dag), question.config);
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
  for (const ProgramRecord& row : store.trials().programRecords(question.session, question.task))
    if (row.program == outcome.programId) outcome.measured = row.record;
  return outcome;
}

} // namespace nestwright
