#pragma once
/// \file What a session's events change of what is known of it: the same for a session that runs
/// now and for one that is replayed, so that both end in the same state.

#include "core/story/round_story.h"
#include "core/story/session_contents.h"
#include "core/story/tuning_history.h"

#include <string>
#include <vector>

namespace nestwright {

/// What the events of one batch changed.
struct LiveChanges {
  bool status = false, tasks = false, progress = false, history = false, records = false;
  bool round = false, settings = false;
};

/// What the event changes of the tasks and their summaries, which count the trials up to `counted`
/// already; true when it is about them.
bool applyToTasks(std::vector<TaskEntry>& tasks, const Event& event, std::int64_t counted);

/// The parts, wherever they are kept.
struct LiveParts {
  std::vector<TaskEntry>& tasks;
  TuningHistory& history;
  Progress& progress;
  SessionStatus& status;
  std::string& statusReason;
  PauseCause& pauseCause;
  RoundStory& round;
  SessionConfig& config;
  /// Where points of the curve go while the history is still being read; null otherwise.
  std::vector<CurvePoint>* waiting = nullptr;
  /// The trials up to this one are in the tasks' summaries.
  std::int64_t counted = 0;

  void apply(const Event& event, LiveChanges& changes);

 private:
  void applyStatus(const StateChanged& change, LiveChanges& changes);
  void applyMeasured(const Measured& measured, LiveChanges& changes);
  void applySettings(const SettingsChanged& settings, LiveChanges& changes);
  void applyBest(const NewBest& best, LiveChanges& changes);
  void applySettled(const ClaimSettled& settled, LiveChanges& changes);
  void applyCompared(const AnswersCompared& compared, LiveChanges& changes);
};

} // namespace nestwright
