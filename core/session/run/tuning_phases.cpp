#include "core/record/store/evolution_rows.h"
#include "core/session/run/round_phases.h"
#include "core/session/run/tuning_run.h"
#include "core/support/clock.h"

#include <fmt/format.h>

namespace nestwright {

bool TuningRun::isBehind(SearchPhase phase) const {
  return state_.open && state_.open->phases > static_cast<int>(phase);
}

bool TuningRun::finishPhase(SearchPhase phase, const std::string& sentence,
                            const std::function<void()>& alsoStore, std::vector<Event> alsoTell) {
  const double seconds = secondsSince(phaseStart_);
  phaseStart_ = std::chrono::steady_clock::now();
  if (isBehind(phase)) return true; // told before an interruption
  state_.open->phases = static_cast<int>(phase) + 1;
  std::vector<Event> events = std::move(alsoTell);
  events.push_back(PhaseFinished{state_.open->task, state_.round, phase, false, seconds, sentence});
  storeAndTell(events, [&] {
    save();
    if (alsoStore) alsoStore();
  });
  return !stopsAfter(phase);
}

bool TuningRun::stopsAfter(SearchPhase phase) {
  if (!gate_->stopsAfter(phase)) return false;
  stoppedAfter_ = phase;
  return true;
}

void TuningRun::skipPhase(SearchPhase phase, const std::string& why) {
  if (isBehind(phase)) return;
  state_.open->phases = static_cast<int>(phase) + 1;
  storeAndTell({PhaseFinished{state_.open->task, state_.round, phase, true, 0, why}}, [] {});
}

bool TuningRun::finishSearchPhase(SearchPhase phase, const SearchLog& log) {
  if (phase == SearchPhase::Sampling) return finishPhase(phase, samplingSentence(log));
  if (phase == SearchPhase::Evolution && !isBehind(phase))
    return finishPhase(phase, evolutionSentence(log), [&] {
      EvolutionRow row = keptGenerations(log);
      row.session = row_.id;
      row.task = state_.open->task;
      row.round = state_.round;
      store_.evolutions().save(row);
    });
  if (phase == SearchPhase::Selection && log.generations.empty())
    skipPhase(SearchPhase::Evolution, noEvolutionSentence(learner_ != nullptr));
  // The end of selection is told with what was selected, when the proposal is there.
  return true;
}

bool TuningRun::finishSelection(const Proposal& proposal) {
  return finishPhase(SearchPhase::Selection, selectionSentence(proposal.candidates), {},
                     {CandidatesSelected{state_.open->task, state_.round,
                                         selectedCandidates(proposal.candidates)}});
}

bool TuningRun::finishMeasuring(const Task& task, const RoundWork& work) {
  return finishPhase(SearchPhase::Measuring,
                     fmt::format("{} programs built, checked and timed; {} trials of the task so "
                                 "far, {} of them failed",
                                 work.trials, task.trials, task.errors));
}

} // namespace nestwright
