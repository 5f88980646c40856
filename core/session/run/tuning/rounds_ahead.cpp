#include "core/session/run/tuning/rounds_ahead.h"

#include "core/record/store/evolution_rows.h"
#include "core/session/run/round_phases.h"
#include "core/session/run/tuning/kept_proposal.h"
#include "core/session/run/tuning/session_records.h"
#include "core/support/error.h"
#include "core/support/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace nestwright {

TaskChosen choiceOf(const AheadRound& ahead) {
  const char* kindOfChoices = kind(Event(TaskChosen()));
  try {
    return std::get<TaskChosen>(eventFromJson(kindOfChoices, nlohmann::json::parse(ahead.chosen)));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("the stored choice of the session's next round cannot be read "
                                 "({}); the file was altered or is damaged",
                                 error.what()));
  }
}

std::vector<Event> dropAhead(RunLog& log, const std::string& why) {
  TuningState& state = log.state();
  const std::optional<AheadRound> ahead = std::exchange(state.ahead, std::nullopt);
  if (!ahead || ahead->proposal.empty()) return {}; // nothing was made yet
  const int round = state.round + 1;
  log.store().evolutions().drop(log.session(), round);
  return {ProposalDropped{ahead->task, round, why}};
}

bool RoundsAhead::isWanted(const TunedTask& task) const {
  if (settings_.config.ahead != Ahead::On || settings_.onTemplates() || !settings_.again.empty() ||
      settings_.programsPerTask > 0 || !settings_.policy->isRepeatable())
    return false;
  // A policy that learns waits for its model: what it draws without costs nothing, and whatever is
  // drawn ahead without would be so much less by the model.
  return !learner_.learns() || learner_.scorer(task) != nullptr;
}

void RoundsAhead::choose(const TunedTask& task, int count) {
  TuningState& state = log_.state();
  state.ahead.reset();
  if (!isWanted(task)) return;
  std::vector<TaskProgress> progress = tasks_.progress();
  for (TaskProgress& of : progress) {
    if (of.task != task.row.id) continue;
    ++of.rounds; // of the round that begins is known only that it takes place
    of.trials += count;
  }
  const TaskChoice choice = settings_.scheduler->next(progress, state.round + 1);
  if (choice.index < 0) return;
  const TunedTask& next = tasks_.tasks()[choice.index];
  if (!isWanted(next)) return;
  const SessionConfig& config = settings_.config;
  const RoundSize size = roundSize({.budget = config.trials,
                                    .used = log_.searchTrials() + count + polish_.budget(),
                                    .tasks = tasks_.tasks().size(),
                                    .largest = config.trialsPerRound,
                                    .room = tasks_.roomOf(next)});
  if (size.trials <= 0) return;
  TaskChosen chosen{next.row.id,  state.round + 1,   choice.reason,
                    choice.terms, choice.byGradient, choice.amongPinned};
  chosen.reason += fmt::format("; chosen when round {} began", state.round);
  chosen.trials = size.trials;
  if (size.trials < config.trialsPerRound) chosen.whyFewer = size.whyFewer;
  state.ahead = AheadRound{next.row.id, size.trials, toJson(Event(chosen)).dump(), {}, {}};
}

void RoundsAhead::begin(TunedTask& task, const Proposal& proposal,
                        const std::vector<Record>& before) {
  const std::optional<AheadRound>& ahead = log_.state().ahead;
  if (proposing_ || !ahead || !ahead->proposal.empty()) return;
  std::unordered_set<std::string> ofRound;
  for (const Record& record : before)
    ofRound.insert(record.program);
  TunedTask& next = tasks_.of(ahead->task);
  const bool isSame = next.row.id == task.row.id;
  const std::uint64_t draw = isSame ? proposal.nextDraw : tasks_.memoryOf(next).nextDraw;
  std::unordered_set<std::string> known = next.measured;
  if (isSame)
    for (const Candidate& candidate : proposal.candidates)
      known.insert(candidate.programId);
  try {
    proposing_ = std::make_unique<ProposingAhead>(*settings_.policy, ahead->count,
                                                  inputs_.gather(next, ahead->count, draw, ofRound),
                                                  std::move(known));
  } catch (const InputError& error) { // such as a program that is to be a parent and is gone
    fail(error.what());
  }
}

void RoundsAhead::fail(const std::string& why) {
  const AheadRound failed = *std::exchange(log_.state().ahead, std::nullopt);
  log_.saveAndTell({ProposalDropped{failed.task, log_.state().round + 1, why}});
}

bool RoundsAhead::keep(const std::atomic<bool>& interrupt) {
  if (!proposing_) return !log_.state().ahead || !log_.state().ahead->proposal.empty();
  const InPart choosing(log_.parts(), RoundPart::Choosing);
  const std::unique_ptr<ProposingAhead> proposing = std::move(proposing_);
  std::optional<ProposedAhead> made;
  try {
    made = proposing->take(interrupt);
  } catch (const std::exception& error) {
    fail(error.what());
    return true;
  }
  if (!made) return false;
  store(std::move(*made));
  return true;
}

void RoundsAhead::store(ProposedAhead made) {
  TuningState& state = log_.state();
  AheadRound& ahead = *state.ahead;
  const TunedTask& task = tasks_.of(ahead.task);
  tasks_.addReasons(task, made.proposal.candidates);
  for (Candidate& candidate : made.proposal.candidates)
    if (candidate.trace.predictedScore) candidate.trace.ranking = learner_.ranking(task);
  const SearchLog& search = made.search;
  ahead.made.seconds = made.seconds;
  ahead.made.sampling =
      fmt::format("{}; all of this proposal was made in {} while round {} was measured",
                  samplingSentence(search), formatSeconds(made.seconds), state.round);
  ahead.made.evolved = !search.generations.empty();
  ahead.made.evolution = ahead.made.evolved ? evolutionSentence(search)
                                            : noEvolutionSentence(learner_.learns(), false);
  ahead.proposal = toText(made.proposal);
  log_.storeAndTell({}, [&] {
    log_.save();
    if (!ahead.made.evolved) return;
    EvolutionRow row = keptGenerations(search);
    row.session = log_.session();
    row.task = ahead.task;
    row.round = state.round + 1;
    log_.store().evolutions().save(row);
  });
}

std::vector<MeasureRequest> RoundsAhead::requests() const {
  const std::optional<AheadRound>& ahead = log_.state().ahead;
  std::vector<MeasureRequest> requests;
  if (!ahead || ahead->proposal.empty()) return requests;
  const TunedTask& task = tasks_.of(ahead->task);
  for (const Candidate& candidate :
       proposalFromText(ahead->proposal, task.dag, settings_.space).candidates)
    requests.push_back(programRequest(programText(task.row, candidate), 0));
  return requests;
}

std::string RoundsAhead::obstacle(const AheadRound& ahead) const {
  const std::vector<TaskProgress> tasks = tasks_.progress();
  const auto of = std::ranges::find(tasks, ahead.task, &TaskProgress::task);
  if (of == tasks.end() || !takesTrials(*of)) return "the task takes no more trials";
  return {};
}

std::optional<AheadRound> RoundsAhead::take() {
  std::optional<AheadRound>& ahead = log_.state().ahead;
  if (!ahead) return std::nullopt;
  if (std::string why = obstacle(*ahead); !why.empty() || ahead->proposal.empty()) {
    drop(why);
    return std::nullopt;
  }
  return std::exchange(ahead, std::nullopt);
}

void RoundsAhead::drop(const std::string& why) {
  if (!log_.state().ahead) return;
  if (const std::vector<Event> events = dropAhead(log_, why); !events.empty())
    log_.saveAndTell(events);
}

} // namespace nestwright
