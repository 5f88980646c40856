#pragma once
/// \file The phases of the open round as they end: each is stored and told once, however often the
/// round is interrupted, and the session can pause after it.

#include "core/session/run/phase_gate.h"
#include "core/session/run/tuning/round_work.h"
#include "core/session/run/tuning/run_log.h"
#include "core/session/run/tuning/task_book.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// How far the open round is. What ended before an interruption is not told again.
class PhaseLog {
 public:
  explicit PhaseLog(RunLog& log) : log_(log) {}

  /// From here on `gate` says after which phase the round stops.
  void obey(PhaseGate& gate);
  /// The next phase to end begins now.
  void startTimer() { start_ = std::chrono::steady_clock::now(); }
  /// The phase after which the round stopped since obey(), if it did.
  std::optional<SearchPhase> stoppedAfter() const { return stoppedAfter_; }
  /// Whether the open round has this phase behind it.
  bool isBehind(SearchPhase phase) const;

  // All of these return false when the round stops there.
  /// `what` says which space is searched.
  bool finishSketches(const std::string& what);
  /// A phase of the proposal. The end of selection is told when the proposal is there.
  bool finishProposing(SearchPhase phase, const SearchLog& search, bool hasModel, bool onTemplates);
  /// Those of a proposal that was made ahead, but for the selection.
  bool finishMadeAhead(const MadeAhead& made);
  bool finishSelection(const Proposal& proposal);
  bool finishMeasuring(const TunedTask& task, const RoundWork& work);
  /// A phase whose end was told.
  bool goesOnAfter(SearchPhase phase);

 private:
  bool finish(SearchPhase phase, const std::string& sentence,
              const std::function<void()>& alsoStore = {}, std::vector<Event> alsoTell = {});
  void skip(SearchPhase phase, const std::string& why);

  RunLog& log_;
  PhaseGate* gate_ = nullptr; // of the round under way
  std::optional<SearchPhase> stoppedAfter_;
  std::chrono::steady_clock::time_point start_{};
};

} // namespace nestwright
