#include "core/story/live_session.h"

#include "core/session/run/row_contents.h"
#include "core/session/run/trouble.h"
#include "core/story/replay_timeline.h"
#include "core/support/overloaded.h"

#include <algorithm>
#include <utility>

namespace nestwright {
namespace {

LiveChanges settingsChange() {
  LiveChanges changes;
  changes.settings = changes.progress = changes.status = true;
  return changes;
}

LiveChanges tasksChange() {
  LiveChanges changes;
  changes.tasks = true;
  return changes;
}

LiveChanges statusChange() {
  LiveChanges changes;
  changes.status = true;
  return changes;
}

} // namespace

LiveSession::LiveSession(SessionContents contents) {
  take(std::move(contents));
  takeNumbers();
  loading_.begin(state_.history, state_.tasks, state_.scope);
}

void LiveSession::take(SessionContents contents) {
  contents_ = std::move(contents);
  state_.scope = contents_.scope;
  state_.tasks = std::exchange(contents_.tasks, {});
  state_.config = std::exchange(contents_.config, {});
}

SessionContents LiveSession::completeContents() const {
  SessionContents contents = contents_;
  contents.tasks = state_.tasks;
  contents.config = state_.config;
  return contents;
}

/// What the file says of the session as a whole.
void LiveSession::takeNumbers() {
  Progress& progress = state_.progress = {};
  progress.budget = isImport(row()) ? 0 : state_.config.trials + contents_.demandedTrials;
  progress.wallSeconds = contents_.session.wallSeconds;
  progress.secondsLeft = kUnknown;
  progress.trials = contents_.summary.trials;
  progress.errors = contents_.summary.errors;
  progress.kernelSeconds = contents_.summary.kernelSeconds;
  state_.killed = contents_.session.status == SessionStatus::Running;
  state_.status = state_.killed ? SessionStatus::Paused : contents_.session.status;
  state_.statusReason.clear();
  state_.pauseCause = PauseCause::None;
}

void LiveSession::apply(const Event& event, LiveChanges& changes, bool replayed) {
  if (const auto* state = std::get_if<StateChanged>(&event)) {
    pending_ = Pending::None;
    changes.status = true;
    if (state->cause == PauseCause::InUse) return; // it is what it was, and goes on elsewhere
  }
  state_.apply(event, changes, replayed ? 0 : contents_.lastTrial,
               loading_.loading ? &loading_.waiting : nullptr);
}

LiveChanges LiveSession::anticipate(const Command& command) {
  const auto waitFor = [&](Pending pending) {
    pending_ = pending;
    return statusChange();
  };
  const auto changeTask = [&](RowId id, auto change) {
    if (TaskEntry* task = taskIn(state_.tasks, id)) change(*task);
    return tasksChange();
  };
  SessionConfig& config = state_.config;
  return std::visit(
      Overloaded{
          [&](const Start&) { return waitFor(Pending::Start); },
          [&](const Pause&) { return waitFor(Pending::Pause); },
          [&](const Stop&) { return waitFor(Pending::Stop); },
          [&](const RunPhase&) { return isRunning() ? LiveChanges{} : waitFor(Pending::Start); },
          [&](const SetImportance& c) {
            return changeTask(c.task, [&](TaskEntry& t) { t.importance = c.importance; });
          },
          [&](const SetTaskMode& c) {
            return changeTask(c.task, [&](TaskEntry& t) { t.mode = c.mode; });
          },
          [&](const SetTrialBudget& c) {
            state_.progress.budget += c.trials - config.trials;
            config.trials = c.trials;
            return settingsChange();
          },
          [&](const SetTimeBudget& c) {
            config.maxSeconds = c.seconds;
            return settingsChange();
          },
          [&](const SetObjective& c) {
            config.objective = c.objective;
            return settingsChange();
          },
          [&](const SetSearchOptions& c) {
            config = withSearchOptions(config, c.options);
            return settingsChange();
          },
          [](const auto&) { return LiveChanges{}; }}, // known when the session tells it
      command);
}

void LiveSession::refresh(SessionContents contents) {
  take(std::move(contents));
  takeNumbers();
  loading_.resume(state_.history, state_.tasks);
}

void LiveSession::reread(SessionContents contents, const std::vector<Event>& told) {
  for (TaskEntry& entry : contents.tasks)
    if (const TaskEntry* old = task(entry.row.id)) entry.active = old->active;
  for (const Event& event : told) {
    applyToTasks(contents.tasks, event, contents.lastTrial, contents.scope);
    if (std::holds_alternative<SettingsChanged>(event)) contents.config = state_.config;
  }
  take(std::move(contents));
  state_.progress.errors = contents_.summary.errors;
  state_.progress.totalSeconds = bestTotal(state_.tasks);
  loading_.begin(state_.history, state_.tasks, state_.scope);
}

void LiveSession::jumpTo(Moment& moment) {
  state_ = std::move(moment.state);
}

} // namespace nestwright
