/// Steering the session from the window: commands are shown at once, and most can be undone.

#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/support/overloaded.h"
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

/// What makes one plan of the other. A scheduler that takes every objective comes first and goes
/// last.
std::vector<Command> commandsBetween(const Plan& before, const Plan& after) {
  std::vector<Command> commands;
  const bool any = followsObjective(after.search.scheduler);
  const bool search = after.search != before.search;
  if (any && search) commands.push_back(SetSearchOptions{after.search});
  if (after.objective != before.objective) commands.push_back(SetObjective{after.objective});
  if (!any && search) commands.push_back(SetSearchOptions{after.search});
  if (after.trials != before.trials) commands.push_back(SetTrialBudget{after.trials});
  if (after.maxSeconds != before.maxSeconds) commands.push_back(SetTimeBudget{after.maxSeconds});
  return commands;
}

/// The plan with what the command changes of it; nothing for one that is about something else.
std::optional<Plan> planWith(const SessionConfig& config, const Command& command) {
  Plan plan = planOf(config);
  const bool isPlan = std::visit(Overloaded{[&](const SetTimeBudget& c) {
                                              plan.maxSeconds = c.seconds;
                                              return true;
                                            },
                                            [&](const SetObjective& c) {
                                              plan.objective = c.objective;
                                              return true;
                                            },
                                            [&](const SetSearchOptions& c) {
                                              plan.search = c.options;
                                              return true;
                                            },
                                            [](const auto&) { return false; }},
                                 command);
  return isPlan ? std::optional(plan) : std::nullopt;
}

} // namespace

void Document::steer(const Command& command, const QString& undoText) {
  if (state_ != DocumentState::Ready || !canSteer(command) || refusesInReplay()) return;
  if (const std::optional<Plan> plan = planWith(contents_.config, command))
    return setPlan(*plan, undoText);
  const std::optional<Command> back = opposite(command);
  if (!back) return carryOut({command});
  const auto* importance = std::get_if<SetImportance>(&command); // a slider sends many
  undo_.push(new Change(
      undoText.isEmpty() ? undoTextOf(command) : undoText, [=, this] { carryOut({command}); },
      [=, this] { carryOut({possible(*back)}); },
      importance ? QStringLiteral("importance/%1").arg(importance->task) : QString()));
}

bool Document::canSteer(const Command& command) {
  return std::visit(
      Overloaded{
          [&](const Start&) { return canStart(); }, [&](const Pause&) { return canPause(); },
          [&](const Stop&) { return canStop(); },
          [&](const RunPhase&) {
            return pending_ == Pending::None && !isBusyElsewhere() && (isRunning() || canStart());
          },
          [&](const PauseAfterPhases& c) { return c.on != round_.stepping; },
          [&](const SetImportance& c) {
            const TaskEntry* task = find(c.task);
            return task && std::isfinite(c.importance) && c.importance >= 0 &&
                   c.importance != task->importance;
          },
          [&](const SetTaskMode& c) {
            const TaskEntry* task = find(c.task);
            return task && task->mode != c.mode;
          },
          [&](const SetTrialBudget& c) {
            return c.trials != contents_.config.trials && possible(c) == Command(c);
          },
          [&](const MeasureProgram& c) { return find(c.task) != nullptr; },
          [&](const SeedWith& c) {
            return find(c.task) &&
                   (c.program.record == 0 || isSeed(c.task, c.program.record) != c.added);
          },
          [&](const Forget& c) { return !c.records.empty(); }, [](const auto&) { return true; }},
      command);
}

std::optional<Command> Document::opposite(const Command& command) const {
  using Back = std::optional<Command>;
  return std::visit(Overloaded{[&](const SetImportance& c) -> Back {
                                 return SetImportance{c.task, task(c.task)->importance};
                               },
                               [&](const SetTaskMode& c) -> Back {
                                 return SetTaskMode{c.task, task(c.task)->mode};
                               },
                               [&](const SetTrialBudget&) -> Back {
                                 return SetTrialBudget{contents_.config.trials};
                               },
                               [](SeedWith c) -> Back {
                                 c.added = !c.added;
                                 return c;
                               },
                               [](Forget c) -> Back {
                                 c.forgotten = !c.forgotten;
                                 return c;
                               },
                               [](const auto&) -> Back { return std::nullopt; }},
                    command);
}

Command Document::possible(const Command& command) const {
  const auto* budget = std::get_if<SetTrialBudget>(&command);
  if (!budget) return command;
  const std::int64_t onDemand = progress_.budget - contents_.config.trials; // on top of the budget
  return SetTrialBudget{std::max(budget->trials, progress_.trials - onDemand)};
}

QString Document::undoTextOf(const Command& command) const {
  const auto taskName = [&](RowId id) { return taskTitle(task(id)->row.name); };
  return std::visit(
      Overloaded{
          [&](const SetImportance& c) { return tr("importance of %1").arg(taskName(c.task)); },
          [&](const SetTaskMode& c) {
            const QString what = c.mode == TaskMode::Pinned   ? tr("pinning %1")
                                 : c.mode == TaskMode::Paused ? tr("pausing %1")
                                                              : tr("freeing %1");
            return what.arg(taskName(c.task));
          },
          [](const SetTrialBudget&) { return tr("trial budget"); },
          [](const SeedWith& c) {
            return (c.added ? tr("seeding with record %1") : tr("taking back the seed %1"))
                .arg(c.program.record);
          },
          [](const Forget& c) {
            const QString what =
                c.records.size() == 1
                    ? tr("record %1").arg(c.records.front())
                    : tr("%1 records").arg(countText(static_cast<qint64>(c.records.size())));
            return (c.forgotten ? tr("forgetting %1") : tr("restoring %1")).arg(what);
          },
          [](const auto& c) { return qs(c.kForm.words); }},
      command);
}

LiveChanges Document::anticipate(const Command& command) {
  const auto waitFor = [&](Pending pending) {
    setPending(pending);
    return LiveChanges{};
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

void Document::carryOut(const std::vector<Command>& commands) {
  if (state_ != DocumentState::Ready || refusesInReplay()) return;
  LiveChanges all;
  for (const Command& command : commands) {
    const LiveChanges changes = anticipate(command);
    all.tasks |= changes.tasks;
    all.settings |= changes.settings;
    all.progress |= changes.progress;
    all.status |= changes.status;
    post(command);
  }
  announce(all);
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
      what.isEmpty() ? tr("plan of the session") : what,
      [=, this] { carryOut(commandsBetween(before, plan)); },
      [=, this] { carryOut(commandsBetween(plan, before)); }));
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

bool Document::isSeed(RowId task, RowId record) const {
  const TaskEntry* entry = this->task(task);
  return entry && std::ranges::find(entry->seeds, record) != entry->seeds.end();
}

/// What the session tells of steering, beside what LiveParts does with it.
void Document::applySteering(const Event& event) {
  if (std::holds_alternative<RecordsForgotten>(event)) {
    rereadRecords();
  } else if (const auto* refused = std::get_if<CommandRefused>(&event)) {
    Q_EMIT warning(tr("That could not be done (%1): %2")
                       .arg(qs(words(refused->command)), qs(refused->reason)));
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
