#include "core/session/run/tuning/phase_log.h"

#include "core/record/store/evolution_rows.h"
#include "core/session/run/round_phases.h"
#include "core/support/clock.h"
#include "core/support/quantity.h"

#include <fmt/format.h>

#include <utility>

namespace nestwright {

void PhaseLog::obey(PhaseGate& gate) {
  gate_ = &gate;
  stoppedAfter_.reset();
}

bool PhaseLog::isBehind(SearchPhase phase) const {
  const std::optional<OpenRound>& open = log_.state().open;
  return open && open->phases > static_cast<int>(phase);
}

bool PhaseLog::finishSketches(const std::string& what) {
  return finish(SearchPhase::Sketches, what);
}

bool PhaseLog::finishProposing(SearchPhase phase, const SearchLog& search, bool hasModel,
                               bool onTemplates) {
  const TuningState& state = log_.state();
  if (phase == SearchPhase::Sampling) return finish(phase, samplingSentence(search));
  if (phase == SearchPhase::Evolution && search.plan)
    return finish(phase, planSentence(*search.plan), {},
                  {ConfigsPlanned{state.open->task, state.round, *search.plan}});
  if (phase == SearchPhase::Evolution && !isBehind(phase))
    return finish(phase, evolutionSentence(search), [&] {
      EvolutionRow row = keptGenerations(search);
      row.session = log_.session();
      row.task = state.open->task;
      row.round = state.round;
      log_.store().evolutions().save(row);
    });
  if (phase == SearchPhase::Selection && search.generations.empty())
    skip(SearchPhase::Evolution, noEvolutionSentence(hasModel, onTemplates));
  return true;
}

bool PhaseLog::finishMadeAhead(const MadeAhead& made) {
  if (!finish(SearchPhase::Sampling, made.sampling)) return false;
  if (made.evolved) return finish(SearchPhase::Evolution, made.evolution);
  skip(SearchPhase::Evolution, made.evolution);
  return true;
}

bool PhaseLog::finishSelection(const Proposal& proposal) {
  const TuningState& state = log_.state();
  return finish(
      SearchPhase::Selection, selectionSentence(proposal, state.open->count), {},
      {CandidatesSelected{state.open->task, state.round, selectedCandidates(proposal.candidates)}});
}

bool PhaseLog::finishMeasuring(const TunedTask& task, const RoundWork& work) {
  return finish(SearchPhase::Measuring,
                fmt::format("{} built, checked and timed; {} of the task so far, "
                            "{} of them failed",
                            quantity(work.trials, "program"), quantity(task.trials, "trial"),
                            task.errors));
}

bool PhaseLog::goesOnAfter(SearchPhase phase) {
  if (!gate_->stopsAfter(phase)) return true;
  stoppedAfter_ = phase;
  return false;
}

bool PhaseLog::finish(SearchPhase phase, const std::string& sentence,
                      const std::function<void()>& alsoStore, std::vector<Event> alsoTell) {
  const double seconds = secondsSince(start_);
  startTimer();
  if (isBehind(phase)) return true; // told before an interruption
  TuningState& state = log_.state();
  state.open->phases = static_cast<int>(phase) + 1;
  std::vector<Event> events = std::move(alsoTell);
  events.push_back(PhaseFinished{state.open->task, state.round, phase, false, seconds, sentence});
  log_.storeAndTell(events, [&] {
    log_.save();
    if (alsoStore) alsoStore();
  });
  return goesOnAfter(phase);
}

void PhaseLog::skip(SearchPhase phase, const std::string& why) {
  if (isBehind(phase)) return;
  TuningState& state = log_.state();
  state.open->phases = static_cast<int>(phase) + 1;
  log_.storeAndTell({PhaseFinished{state.open->task, state.round, phase, true, 0, why}}, [] {});
}

} // namespace nestwright
