#pragma once
/// \file What a session's events change of a document: the same for a session that runs now and for
/// one that is replayed, so that both end in the same state.

#include "ui/contents.h"
#include "ui/history.h"
#include "ui/round_story.h"

#include <QString>

#include <vector>

namespace nestwright::ui {

/// What the events of one batch changed; one signal each at its end.
struct LiveChanges {
  bool status = false, tasks = false, progress = false, history = false, records = false;
  bool round = false, settings = false;
};

/// The parts, wherever they are kept.
struct LiveParts {
  std::vector<TaskEntry>& tasks;
  TuningHistory& history;
  Progress& progress;
  SessionStatus& status;
  QString& statusReason;
  RoundStory& round;
  SessionConfig& config;
  /// Where points of the curve go while the history is still being read; null otherwise.
  std::vector<CurvePoint>* waiting = nullptr;

  void apply(const Event& event, LiveChanges& changes);

 private:
  TaskEntry* find(RowId task);
  void applyStatus(const StateChanged& change, LiveChanges& changes);
  void applyMeasured(const Measured& measured, LiveChanges& changes);
  void applySettings(const SettingsChanged& settings, LiveChanges& changes);
  void applyBest(const NewBest& best, LiveChanges& changes);
};

} // namespace nestwright::ui
