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
/// already and are in this scope; true when it is about them.
bool applyToTasks(std::vector<TaskEntry>& tasks, const Event& event, std::int64_t counted,
                  Scope scope = Scope::WholeFile);

/// All that a session's events change of what is known of it.
struct LiveState {
  Scope scope = Scope::WholeFile; // of the tasks' summaries and of the history
  std::vector<TaskEntry> tasks;
  TuningHistory history;
  Progress progress;
  SessionStatus status = SessionStatus::Ready;
  std::string statusReason;
  PauseCause pauseCause = PauseCause::None;
  bool killed = false; // it is paused because its program ended while it ran
  RoundStory round;
  SessionConfig config;

  /// Takes in what was told. The trials up to `counted` are in the tasks' summaries; points of the
  /// curve go to `waiting`, unless that is null, while the history is still being read.
  void apply(const Event& event, LiveChanges& changes, std::int64_t counted = 0,
             std::vector<CurvePoint>* waiting = nullptr);

 private:
  void applyStatus(const StateChanged& change, LiveChanges& changes);
  void applyMeasured(const Measured& measured, LiveChanges& changes,
                     std::vector<CurvePoint>* waiting);
  void applySettings(const SettingsChanged& settings, LiveChanges& changes);
  void applyBest(const NewBest& best, LiveChanges& changes, std::vector<CurvePoint>* waiting);
  void applySettled(const ClaimSettled& settled, LiveChanges& changes,
                    std::vector<CurvePoint>* waiting);
  void applyCompared(const AnswersCompared& compared, LiveChanges& changes,
                     std::vector<CurvePoint>* waiting);
};

} // namespace nestwright
