#pragma once
/// \file Where the present round stands: its phases as they were told, and what it picked. A plain
/// value that grows event by event, live or replayed.

#include "core/session/run/events.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

struct PhaseStory {
  /// Untold: the round is over, and the file does not say what happened here.
  enum class State : std::uint8_t { Waiting, Active, Done, Skipped, Untold };
  State state = State::Waiting;
  double seconds = 0;
  std::string sentence; // what came out, or why it was left out
};

struct RoundStory {
  RowId task = 0;
  int round = 0;                    // 0 while there was none
  bool ended = false;               // the next one has not begun
  std::optional<TaskChosen> choice; // unless the story began later
  std::array<PhaseStory, kSearchPhases.size()> phases;
  std::vector<SelectedCandidate> selected;
  bool stepping = false; // the session pauses after each phase

  /// True when the event changed something.
  bool apply(const Event& event);
  const PhaseStory& of(SearchPhase phase) const { return phases[static_cast<std::size_t>(phase)]; }

 private:
  void begin(const TaskChosen& chosen);
  void finish(const PhaseFinished& finished);
};

} // namespace nestwright
