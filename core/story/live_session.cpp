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

LiveSession::LiveSession(SessionContents contents) : contents_(std::move(contents)) {
  takeNumbers();
  history_.begin(contents_.tasks);
}

TaskEntry* LiveSession::find(RowId task) {
  const auto found =
      std::ranges::find(contents_.tasks, task, [](const TaskEntry& entry) { return entry.row.id; });
  return found == contents_.tasks.end() ? nullptr : &*found;
}

const TaskEntry* LiveSession::task(RowId id) const {
  return const_cast<LiveSession*>(this)->find(id);
}

std::vector<NetworkTotals> LiveSession::networkTotals() const {
  return totalsOf(contents_.networks, contents_.tasks);
}

double LiveSession::bestTotal() const {
  double total = contents_.tasks.empty() ? kUnknown : 0;
  for (const TaskEntry& task : contents_.tasks)
    total += task.summary.bestRecord ? task.row.weight * task.summary.bestSeconds : kUnknown;
  return total;
}

double LiveSession::presentTotal() const {
  double total = 0;
  for (const TaskEntry& task : contents_.tasks)
    total += task.row.weight *
             (task.summary.bestRecord ? task.summary.bestSeconds : task.summary.naiveSeconds);
  return total;
}

/// What the file says of the session as a whole.
void LiveSession::takeNumbers() {
  progress_ = {};
  progress_.budget = isImport(row()) ? 0 : contents_.config.trials + contents_.demandedTrials;
  progress_.wallSeconds = contents_.session.wallSeconds;
  progress_.secondsLeft = kUnknown;
  progress_.trials = contents_.summary.trials;
  progress_.errors = contents_.summary.errors;
  progress_.kernelSeconds = contents_.summary.kernelSeconds;
  status_ = contents_.session.status;
  statusReason_.clear();
  pauseCause_ = PauseCause::None;
  killed_ = status_ == SessionStatus::Running;
  if (killed_) status_ = SessionStatus::Paused; // which nobody did
}

void LiveSession::apply(const Event& event, LiveChanges& changes, bool replayed) {
  if (std::holds_alternative<StateChanged>(event)) {
    pending_ = Pending::None;
    killed_ = false;
  }
  LiveParts{contents_.tasks,
            history_.curves,
            progress_,
            status_,
            statusReason_,
            pauseCause_,
            round_,
            contents_.config,
            history_.loading ? &history_.waiting : nullptr,
            replayed ? 0 : contents_.lastTrial}
      .apply(event, changes);
}

LiveChanges LiveSession::anticipate(const Command& command) {
  const auto waitFor = [&](Pending pending) {
    pending_ = pending;
    return statusChange();
  };
  const auto changeTask = [&](RowId id, auto change) {
    if (TaskEntry* task = find(id)) change(*task);
    return tasksChange();
  };
  SessionConfig& config = contents_.config;
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
            progress_.budget += c.trials - config.trials;
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
  contents_ = std::move(contents);
  takeNumbers();
  history_.loading = true;
}

void LiveSession::reread(SessionContents contents, const std::vector<Event>& told) {
  for (TaskEntry& task : contents.tasks)
    if (const TaskEntry* old = find(task.row.id)) task.active = old->active;
  for (const Event& event : told) {
    applyToTasks(contents.tasks, event, contents.lastTrial);
    if (std::holds_alternative<SettingsChanged>(event)) contents.config = contents_.config;
  }
  contents_ = std::move(contents);
  progress_.errors = contents_.summary.errors;
  progress_.totalSeconds = bestTotal();
  history_.begin(contents_.tasks);
}

void LiveSession::jumpTo(Moment& moment) {
  contents_.tasks = std::move(moment.tasks);
  history_.curves = std::move(moment.history);
  progress_ = moment.progress;
  status_ = moment.status;
  killed_ = false;
  statusReason_ = moment.statusReason;
  pauseCause_ = moment.pauseCause;
  round_ = std::move(moment.round);
  contents_.config = std::move(moment.config);
}

} // namespace nestwright
