/// What a round measures: the search's proposal, from what the session knows of the task.

#include "core/plugin/plugin.h"
#include "core/record/store/record_rows.h"
#include "core/session/run/round_phases.h"
#include "core/session/run/tuning_run.h"

#include <unordered_set>
#include <utility>

namespace nestwright {

Proposal TuningRun::propose(Task& task, const OpenRound& open, const std::atomic<bool>& interrupt) {
  const std::vector<Sketch>& sketches = sketchesOf(task);
  Proposal stopped;
  stopped.stopped = true;
  if (!finishPhase(SearchPhase::Sketches, sketchesSentence(sketches))) return stopped;
  // What this very round measured before an interruption must be proposed again, not skipped.
  std::unordered_set<std::string> ofThisRound;
  roundPrograms_.clear();
  const std::vector<Record> measured = recordsOfRound(open);
  measuredInRound_ = static_cast<int>(measured.size());
  takeUpClaims(measured);
  for (const Record& record : measured) {
    ofThisRound.insert(record.program);
    roundPrograms_.push_back(measuredProgram(record));
  }

  SearchContext context;
  context.dag = &task.dag;
  context.taskKey = task.row.key;
  context.sketches = &sketches;
  context.space = space_;
  context.seed = config_.seed;
  context.firstDraw = open.firstDraw;
  context.known = [&](const std::string& program) {
    return task.measured.contains(program) && !ofThisRound.contains(program);
  };
  if (learner_ && learner_->trained()) context.scorer = learner_.get();
  if (context.scorer || climbs_) context.measuredBest = fastestPrograms(task, ofThisRound);
  context.seeds = seedsOf(task);
  SearchLog log;
  context.log = &log;
  context.afterPhase = [&](SearchPhase phase) { return finishSearchPhase(phase, log); };
  context.stop = &interrupt;
  return policy_->propose(open.count, context);
}

std::vector<Steps>
TuningRun::fastestPrograms(const Task& task, const std::unordered_set<std::string>& without) const {
  constexpr int kParents = 409; // a fifth of the population, as the reference takes
  RecordQuery fastest;
  fastest.task = task.row.id;
  fastest.session = row_.id;
  fastest.verdict = Verdict::Ok;
  fastest.order = RecordQuery::Order::Fastest;
  fastest.limit = kParents + static_cast<int>(without.size());
  std::vector<Steps> programs;
  std::unordered_set<std::string> taken = without; // a program may have been measured again
  for (Record& record : store_.records().page(fastest))
    if (taken.insert(record.program).second) programs.push_back(std::move(record.steps));
  return programs;
}

} // namespace nestwright
