#include "core/session/run/tuning/proposal_inputs.h"

#include "core/search/draft/draft_score.h"
#include "core/session/run/memory/session_memory.h"
#include "core/session/run/tuning/session_records.h"

#include <algorithm>
#include <utility>

namespace nestwright {

ProposalInputs InputGatherer::gather(TunedTask& task, int count, std::uint64_t firstDraw,
                                     const std::unordered_set<std::string>& ofRound) const {
  const RecordStore& store = log_.store();
  const std::optional<TaskTemplate>& of = tasks_.templateOf(task).of;
  ProposalInputs inputs;
  SearchContext& context = inputs.context;
  context.dag = &task.dag;
  context.taskKey = task.row.key;
  context.sketches = &tasks_.sketchesOf(task);
  context.space = settings_.space;
  context.seed = settings_.config.seed;
  context.firstDraw = firstDraw;
  context.scorer = learner_.scorer(task);
  context.configScorer = learner_.configScorer(task);
  const TaskMemory& memory = tasks_.memoryOf(task);
  if (memory.statePolicy == settings_.policy->name()) context.policyState = memory.policyState;
  if (of) {
    context.taskTemplate = &*of;
    context.measuredConfigs = tasks_.configsOf(task, ofRound);
  }
  if (!of && (context.scorer || settings_.climbs))
    context.measuredBest = searchParents(store, log_.session(), task.row.id, ofRound);
  context.draft = draftOf(settings_.target);
  context.draftUse = draftUseFromName(settings_.config.draft).value_or(DraftUse::Off);
  const auto begin = [&](std::vector<RecordProgram> seeds, std::vector<Steps>& steps) {
    for (RecordProgram& seed : seeds)
      if (of && seed.config)
        context.seedConfigs.push_back(of->space.indexOf(seed.config->entities));
      else
        steps.push_back(std::move(seed.steps));
  };
  begin(tasks_.firstOf(task), inputs.first);
  begin(tasks_.rememberedOf(task, std::max(1, count / kRoundsShare)), inputs.first);
  begin(tasks_.seedsOf(task), context.seeds);
  if (context.scorer && !of) begin(tasks_.rememberedParentsOf(task), context.seeds);
  context.given = [this, &task](std::uint64_t first, int most) {
    return given_.programs(log_.store(), task.row.key, task.dag, first, most);
  };
  return inputs;
}

} // namespace nestwright
