#include "core/session/crossing/crossing.h"

#include "core/plugin/plugin.h"
#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/record/store/trial_rows.h"
#include "core/session/crossing/impartial_judges.h"
#include "core/session/recombination/recombination_plan.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

CrossingParent parentOf(const Record& record) {
  return {record.id, record.program, record.result.latency(), record.steps};
}

} // namespace

std::vector<CrossingParent> crossingParents(const RecordStore& store,
                                            const CrossingConfig& config) {
  std::vector<RowId> records = config.records;
  if (records.empty())
    for (const RankedProgram& program :
         fastestPrograms(store, config.task, config.top, config.session, /*tf32=*/true))
      records.push_back(program.record);
  std::vector<CrossingParent> parents;
  std::set<std::string> seen;
  for (const RowId id : records) {
    const std::optional<Record> record = store.records().one(id);
    if (!record) throw InputError(fmt::format("{} has no record {}", store.path(), id));
    if (record->task != config.task)
      throw InputError(fmt::format("record {} is a program of another task; only programs of one "
                                   "task can be crossed",
                                   id));
    if (isOfTemplate(*record))
      throw InputError(
          fmt::format("record {} is a template's program; only programs of sketches can "
                      "be crossed, for those of a template may differ in their layouts",
                      id));
    if (seen.insert(record->program).second) parents.push_back(parentOf(*record));
  }
  return parents;
}

Crossing crossRecords(const RecordStore& store, const CrossingConfig& config) {
  const std::optional<SessionRow> session = store.sessions().one(config.session);
  const std::optional<TaskRow> task = store.tasks().one(config.task);
  if (!session || !task)
    throw InputError(fmt::format("{} has no session {} with a task {}", store.path(),
                                 config.session, config.task));
  const SessionConfig settings = configOf(*session);
  const ComputeDag dag = parseDag(task->dag);
  Crossing crossing;
  crossing.parents = crossingParents(store, config);
  CrossingRequest request;
  request.dag = &dag;
  request.count = config.count;
  request.seed = config.seed;
  request.grain = CrossGrain::Step;
  request.space = spaceOptionsFor(targetOf(store, *task), drawsOf(settings.rules));
  request.space.tf32 = settings.tf32;
  for (const CrossingParent& parent : crossing.parents)
    request.parents.push_back({parent.steps, parent.program});
  std::set<std::string> known;
  for (std::string& program : store.trials().measuredPrograms(config.session, config.task))
    known.insert(std::move(program));
  request.known = [&known](const std::string& program) { return known.contains(program); };
  JudgeRequest judged{config.session, config.task, {}};
  for (const CrossingParent& parent : crossing.parents)
    judged.judged.push_back(parent.program);
  const Judges judges = impartialJudges(store, settings, judged);
  request.judges = judges.of;
  crossing.predicted = !judges.of.empty();
  crossing.unpredicted = judges.refusal;
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
  program.trace->selection = PickReason::CrossingLab;
  return program;
}

const char* name(CrossStanding standing) {
  constexpr NameTable<CrossStanding, 4> kNames = {{"slower", "contested", "tie", "best"}};
  return kNames.of(standing);
}

CrossStanding standingOf(const Record& record, int repeats) {
  if (record.best) return CrossStanding::Best;
  if (!record.contested) return CrossStanding::Slower;
  const auto once = static_cast<std::size_t>(std::max(1, repeats));
  return record.result.seconds.size() > once ? CrossStanding::Tie : CrossStanding::Contested;
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
