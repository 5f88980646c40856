#include "core/story/round_story.h"

namespace nestwright {

void RoundStory::begin(const TaskChosen& chosen) {
  const bool wasStepping = stepping;
  *this = RoundStory();
  stepping = wasStepping;
  task = chosen.task;
  round = chosen.round;
  choice = chosen;
  phases[0].state = PhaseStory::State::Active;
}

void RoundStory::finish(const PhaseFinished& finished) {
  const auto index = static_cast<std::size_t>(finished.phase);
  if (round != finished.round) {
    // The round began before this story.
    const bool wasStepping = stepping;
    *this = RoundStory();
    stepping = wasStepping;
    task = finished.task;
    round = finished.round;
    for (std::size_t i = 0; i < index; ++i)
      phases[i].state = PhaseStory::State::Done;
  }
  phases[index] = {finished.skipped ? PhaseStory::State::Skipped : PhaseStory::State::Done,
                   finished.seconds, finished.sentence};
  if (index + 1 == phases.size())
    ended = true;
  else if (phases[index + 1].state == PhaseStory::State::Waiting)
    phases[index + 1].state = PhaseStory::State::Active;
}

bool RoundStory::apply(const Event& event) {
  if (const auto* chosen = std::get_if<TaskChosen>(&event)) {
    begin(*chosen);
  } else if (const auto* finished = std::get_if<PhaseFinished>(&event)) {
    finish(*finished);
  } else if (const auto* picked = std::get_if<CandidatesSelected>(&event)) {
    selected = picked->candidates;
  } else if (const auto* changed = std::get_if<SteppingChanged>(&event)) {
    stepping = changed->on;
  } else if (std::holds_alternative<RoundFinished>(event)) {
    ended = true;
    // Whatever the log does not tell of.
    for (PhaseStory& phase : phases)
      if (phase.state == PhaseStory::State::Waiting || phase.state == PhaseStory::State::Active)
        phase.state = PhaseStory::State::Untold;
  } else {
    return false;
  }
  return true;
}

} // namespace nestwright
