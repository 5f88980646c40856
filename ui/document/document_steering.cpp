/// Steering the session from the window: each command can be undone, and returns at once.

#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "ui/document/change.h"
#include "ui/document/document.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::ui {

Plan planOf(const SessionConfig& config) {
  return {config.trials, config.maxSeconds, searchOptions(config), config.objective};
}

void Document::setTaskMode(RowId task, TaskMode mode) {
  const TaskEntry* entry = find(task);
  if (!entry || entry->mode == mode || refusesInReplay()) return;
  const TaskMode before = entry->mode;
  const QString what = mode == TaskMode::Pinned   ? tr("pinning %1")
                       : mode == TaskMode::Paused ? tr("pausing %1")
                                                  : tr("freeing %1");
  undo_.push(new Change(
      what.arg(taskTitle(entry->row.name)), [=, this] { applyTaskMode(task, mode); },
      [=, this] { applyTaskMode(task, before); }));
}

void Document::applyTaskMode(RowId task, TaskMode mode) {
  TaskEntry* entry = find(task);
  if (!entry || refusesInReplay()) return;
  entry->mode = mode;
  command([=](SessionPort& session) { session.setTaskMode(task, mode); });
  Q_EMIT tasksChanged();
}

void Document::setPlan(const Plan& plan, const QString& what) {
  const Plan before = planOf(contents_.config);
  if (state_ != DocumentState::Ready || plan == before || refusesInReplay()) return;
  try {
    SessionConfig config = contents_.config;
    config.objective = plan.objective;
    withSearchOptions(config, plan.search); // its checks
  } catch (const Error& problem) {
    Q_EMIT warning(qs(problem.what()));
    return;
  }
  undo_.push(new Change(
      what.isEmpty() ? tr("plan of the session") : what, [=, this] { applyPlan(plan); },
      [=, this] { applyPlan(before); }));
}

/// Time is to decide when the session ends, so the trials must last for it, also when it gets
/// quicker.
Plan Document::planUntil(double wallSeconds) const {
  constexpr double kLeastRate = 10, kReserve = 2;
  const double rate = std::max(progress_.trialsPerSecond, kLeastRate);
  const double seconds = std::max(0.0, wallSeconds - progress_.wallSeconds);
  Plan plan = planOf(contents_.config);
  plan.maxSeconds = std::ceil(wallSeconds);
  plan.trials = std::max(plan.trials,
                         progress_.trials + static_cast<std::int64_t>(kReserve * rate * seconds));
  return plan;
}

void Document::tuneFor(double seconds) {
  if (!canTuneLonger()) return;
  setPlan(planUntil(progress_.wallSeconds + seconds));
  if (canStart()) start();
}

void Document::extendTime(double seconds) {
  if (!canTuneLonger()) return;
  setPlan(planUntil(std::max(contents_.config.maxSeconds, progress_.wallSeconds) + seconds),
          tr("extending by %1").arg(budgetTimeText(seconds)));
}

void Document::applyPlan(const Plan& plan) {
  if (state_ != DocumentState::Ready || refusesInReplay()) return;
  const Plan before = planOf(contents_.config);
  SessionConfig config = contents_.config;
  config.objective = plan.objective;
  config = withSearchOptions(config, plan.search);
  config.trials = plan.trials;
  config.maxSeconds = plan.maxSeconds;
  contents_.config = config;
  progress_.budget += plan.trials - before.trials;
  command([plan, before](SessionPort& session) {
    // A scheduler that takes every objective comes first and goes last.
    const bool any = followsObjective(plan.search.scheduler);
    if (any && plan.search != before.search) session.setSearchOptions(plan.search);
    if (plan.objective != before.objective) session.setObjective(plan.objective);
    if (!any && plan.search != before.search) session.setSearchOptions(plan.search);
    if (plan.trials != before.trials) session.setTrialBudget(plan.trials);
    if (plan.maxSeconds != before.maxSeconds) session.setTimeBudget(plan.maxSeconds);
  });
  Q_EMIT settingsChanged();
  Q_EMIT progressChanged();
  Q_EMIT statusChanged();
}

void Document::measureNow(RowId record) {
  const RowId task = selection_.task;
  if (state_ != DocumentState::Ready || !find(task) || record == 0 || refusesInReplay()) return;
  command([=](SessionPort& session) { session.measureNow(task, {record, {}}); });
}

void Document::measureNow(RowId task, const std::vector<NamedProgram>& programs) {
  if (state_ != DocumentState::Ready || !find(task) || programs.empty() || refusesInReplay())
    return;
  command([task, programs](SessionPort& session) {
    for (const NamedProgram& program : programs)
      session.measureNow(task, program);
  });
}

bool Document::isSeed(RowId task, RowId record) const {
  const TaskEntry* entry = this->task(task);
  return entry && std::ranges::find(entry->seeds, record) != entry->seeds.end();
}

void Document::setSeed(RowId task, RowId record, bool added) {
  const TaskEntry* entry = find(task);
  if (!entry || record == 0 || isSeed(task, record) == added || refusesInReplay()) return;
  undo_.push(new Change(
      added ? tr("seeding with record %1").arg(record) : tr("taking back the seed %1").arg(record),
      [=, this] { applySeed(task, record, added); },
      [=, this] { applySeed(task, record, !added); }));
}

void Document::addSeed(RowId task, const NamedProgram& program, const QString& name) {
  if (state_ != DocumentState::Ready || !find(task) || refusesInReplay()) return;
  const auto apply = [=, this](bool added) {
    if (!refusesInReplay())
      command([=](SessionPort& session) { session.setSeed(task, program, added); });
  };
  undo_.push(new Change(
      tr("seeding with %1").arg(name), [=] { apply(true); }, [=] { apply(false); }));
}

void Document::applySeed(RowId task, RowId record, bool added) {
  if (refusesInReplay()) return;
  command([=](SessionPort& session) { session.setSeed(task, {record, {}}, added); });
}

void Document::forget(const std::vector<RowId>& records, bool forgotten) {
  if (state_ != DocumentState::Ready || records.empty() || refusesInReplay()) return;
  const QString what = records.size() == 1
                           ? tr("record %1").arg(records.front())
                           : tr("%1 records").arg(countText(static_cast<qint64>(records.size())));
  undo_.push(new Change((forgotten ? tr("forgetting %1") : tr("restoring %1")).arg(what),
                        [=, this] { applyForget(records, forgotten); },
                        [=, this] { applyForget(records, !forgotten); }));
}

void Document::applyForget(const std::vector<RowId>& records, bool forgotten) {
  if (refusesInReplay()) return;
  command([=](SessionPort& session) { session.forget(records, forgotten); });
}

/// What the session tells of steering, beside what LiveParts does with it.
void Document::applySteering(const Event& event) {
  if (std::holds_alternative<RecordsForgotten>(event)) {
    rereadRecords();
  } else if (const auto* refused = std::get_if<CommandRefused>(&event)) {
    Q_EMIT warning(
        tr("That could not be done (%1): %2").arg(qs(refused->command), qs(refused->reason)));
    rereadRecords(); // what was shown in advance is not so
  }
}

void Document::rereadRecords() {
  rereading_ = true;
  toldWhileRereading_.clear(); // what was told before is in the file
  reader_.ask<SessionContents>(
      Reader::Channel::Contents,
      [session = contents_.session.id](const RecordStore& store) {
        return readContents(store, session);
      },
      [this](SessionContents contents) { takeReread(std::move(contents)); },
      [this](const QString& error) {
        rereading_ = false;
        Q_EMIT warning(error);
      });
}

void Document::takeReread(SessionContents contents) {
  rereading_ = false;
  for (TaskEntry& task : contents.tasks)
    if (const TaskEntry* old = find(task.row.id)) task.active = old->active;
  for (const Event& event : std::exchange(toldWhileRereading_, {})) {
    applyToTasks(contents.tasks, event, contents.lastTrial);
    if (std::holds_alternative<SettingsChanged>(event)) contents.config = contents_.config;
  }
  contents_ = std::move(contents);
  progress_.errors = contents_.summary.errors;
  progress_.totalSeconds = bestTotal();
  resetHistory();
  announce({true, true, true, true, true});
  Q_EMIT settingsChanged();
  Q_EMIT recordsReread();
  loadInherited(0);
}

} // namespace nestwright::ui
