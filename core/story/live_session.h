#pragma once
/// \file What is known of a session: what its file says, grown by what is told since. A value, the
/// same for a session that runs and for one that is replayed.

#include "core/record/rows/session_row.h"
#include "core/session/run/command.h"
#include "core/story/live_state.h"
#include "core/story/loading_history.h"
#include "core/story/round_story.h"
#include "core/story/session_contents.h"

#include <string>
#include <vector>

namespace nestwright {

struct Moment;

/// A command whose effect has not been told yet.
enum class Pending { None, Start, Pause, Stop };

class LiveSession {
 public:
  /// Nothing is known: isLoaded() is false.
  LiveSession() = default;
  /// As the file has it; its curves are still to be read. A session that was killed counts as
  /// paused.
  explicit LiveSession(SessionContents contents);

  bool isLoaded() const { return contents_.session.id != 0; }
  /// What the file says of the session and of what is beside it; but its tasks and its settings,
  /// which change, are below, and here there are none.
  const SessionContents& contents() const { return contents_; }
  /// The same with tasks and settings, as they are now.
  SessionContents completeContents() const;
  /// The session itself.
  const SessionRow& row() const { return contents_.session; }
  /// Whose measurements its tasks' summaries and its curves are made of. A replay shows what the
  /// session knew, which were the bests of the whole file.
  Scope scope() const { return state_.scope; }
  const SessionConfig& config() const { return state_.config; }
  const std::vector<TaskEntry>& tasks() const { return state_.tasks; }
  /// Null when there is none of this id.
  const TaskEntry* task(RowId id) const { return taskIn(state_.tasks, id); }

  const TuningHistory& history() const { return state_.history; }
  bool historyLoading() const { return loading_.loading; }
  const Progress& progress() const { return state_.progress; }
  const RoundStory& round() const { return state_.round; }
  SessionStatus status() const { return state_.status; }
  bool isRunning() const { return state_.status == SessionStatus::Running; }
  /// Why it paused or failed by itself.
  const std::string& statusReason() const { return state_.statusReason; }
  /// It is paused, as the file has it, because its program ended while it ran. What it had
  /// announced is in the file.
  bool wasKilled() const { return state_.killed; }
  /// Whether somebody has to do something before it can go on.
  bool needsHelp() const { return nestwright::needsHelp(state_.status, state_.pauseCause); }
  Pending pending() const { return pending_; }

  // How it grows.
  /// Takes in what was told. When it is `replayed`, the trials that the file counts come once more.
  void apply(const Event& event, LiveChanges& changes, bool replayed = false);
  /// Shows what the command is going to change, as far as that is known beforehand. Throws
  /// UsageError, and shows nothing, for search options that cannot be.
  LiveChanges anticipate(const Command& command);
  void setPending(Pending pending) { pending_ = pending; }
  /// Another program has written to the file; the curves still lack what is new.
  void refresh(SessionContents contents);
  /// All was read once more, curves excepted; these events were told since reading began.
  void reread(SessionContents contents, const std::vector<Event>& told);
  void jumpTo(Moment& moment);
  void setProgress(const Progress& progress) { state_.progress = progress; }
  void setImported(const std::vector<FastestImported>& fastest) {
    nestwright::setImported(state_.tasks, fastest);
  }
  void setRound(RoundStory round) { state_.round = std::move(round); }
  /// To be read from the file, until finishCurves().
  TuningHistory& curves() { return state_.history; }
  void finishCurves() { loading_.finish(state_.history); }

 private:
  void take(SessionContents contents);
  void takeNumbers();

  SessionContents contents_; // without tasks and config
  LiveState state_;
  LoadingHistory loading_; // of the state's history
  Pending pending_ = Pending::None;
};

} // namespace nestwright
