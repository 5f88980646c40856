#include "ui/document/steering.h"

#include "core/session/run/row_contents.h"
#include "core/support/error.h"
#include "core/support/overloaded.h"
#include "ui/document/change.h"
#include "ui/document/notices.h"
#include "ui/document/session_follower.h"
#include "ui/document/session_runner.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace nestwright::ui {

Steering::Steering(SessionFollower& follower, SessionRunner& runner, QUndoStack& undo,
                   Notices& notices, std::function<Obstacles()> obstacles, QObject* parent)
    : QObject(parent), follower_(follower), runner_(runner), undo_(undo), notices_(notices),
      obstacles_(std::move(obstacles)) {
  connect(&runner, &SessionRunner::failed, this, [this](const QString& why) {
    follower_.setPending(Pending::None);
    notices_.warn(tr("The session cannot start. %1").arg(why));
  });
}

const LiveSession& Steering::session() const {
  return follower_.session();
}

// --- what can be now

bool Steering::startResumes() const {
  return session().progress().trials > 0;
}

QString Steering::whyNotChange() const {
  if (!session().isLoaded()) return tr("No document is open.");
  if (obstacles_().replaying)
    return tr("A replay is shown, and the past cannot be changed: end the replay first.");
  return {};
}

QString Steering::pendingText() const {
  switch (session().pending()) {
  case Pending::None:
    return {};
  case Pending::Start:
    return tr("The session is starting.");
  case Pending::Pause:
    return tr("The session is pausing.");
  case Pending::Stop:
    return tr("The session is stopping.");
  }
  return {};
}

QString Steering::whyNotMeasure() const {
  if (QString why = whyNotChange(); !why.isEmpty()) return why;
  if (obstacles_().readOnly) return tr("The document can only be read.");
  if (follower_.elsewhere().isBusy()) return tr("Another program is tuning this session.");
  return {};
}

QString Steering::whyNotTuneLonger() const {
  if (QString why = whyNotMeasure(); !why.isEmpty()) return why;
  if (isImport(session().row()))
    return tr("These records were imported from logs: there is no session to go on with. New "
              "Session tunes on this machine.");
  return pendingText();
}

QString Steering::whyNotStart() const {
  if (QString why = whyNotTuneLonger(); !why.isEmpty()) return why;
  if (obstacles_().importing) return tr("Records are being imported into this document.");
  if (session().isRunning()) return tr("The session is running.");
  const Progress& progress = session().progress();
  if (session().status() == SessionStatus::Finished && progress.trials >= progress.budget)
    return tr("The trials are used up. Session ▸ Plan ▸ Budget allows more.");
  return {};
}

QString Steering::whyNotPause() const {
  if (QString why = whyNotChange(); !why.isEmpty()) return why;
  if (QString why = pendingText(); !why.isEmpty()) return why;
  return session().isRunning() ? QString() : tr("The session is not running.");
}

QString Steering::whyNotStop() const {
  if (QString why = whyNotChange(); !why.isEmpty()) return why;
  const Pending pending = session().pending();
  if (pending != Pending::None && pending != Pending::Pause) return pendingText();
  if (isImport(session().row())) return tr("Imported records are of no session of this program.");
  if (session().isRunning() || session().status() == SessionStatus::Paused) return {};
  return session().status() == SessionStatus::Ready ? tr("The session has not begun.")
                                                    : tr("The session has ended.");
}

bool Steering::canSteer(const Command& command) const {
  return std::visit(
      Overloaded{[&](const Start&) { return canStart(); }, [&](const Pause&) { return canPause(); },
                 [&](const Stop&) { return canStop(); },
                 [&](const RunPhase&) {
                   return session().pending() == Pending::None && !follower_.elsewhere().isBusy() &&
                          (session().isRunning() || canStart());
                 },
                 [&](const auto&) { return changesSomething(session(), command); }},
      command);
}

bool Steering::refusesInReplay() {
  if (!obstacles_().replaying) return false;
  notices_.warn(tr("This is a replay, and the past cannot be changed. End the replay to go on "
                   "with the session."));
  return true;
}

// --- doing it

void Steering::steer(const Command& command, const QString& undoText) {
  if (!session().isLoaded() || !canSteer(command) || refusesInReplay()) return;
  if (const std::optional<Plan> plan = planWith(session().config(), command))
    return setPlan(*plan, undoText);
  const std::optional<Command> back = opposite(session(), command);
  if (!back) return carryOut({command});
  const auto* importance = std::get_if<SetImportance>(&command); // a slider sends many
  undo_.push(new Change(
      undoText.isEmpty() ? undoTextOf(command) : undoText, [=, this] { carryOut({command}); },
      [=, this] { carryOut({possible(session(), *back)}); },
      importance ? QStringLiteral("importance/%1").arg(importance->task) : QString()));
}

void Steering::carryOut(const std::vector<Command>& commands) {
  if (!session().isLoaded() || refusesInReplay()) return;
  const bool anew = session().status() == SessionStatus::Paused && session().needsHelp();
  const LiveChanges changes = follower_.anticipate(commands);
  // What it needed may be a setting of the person's, which a session has from when it is prepared.
  if (anew) runner_.letGo();
  for (const Command& command : commands)
    runner_.post(command);
  follower_.announce(changes);
}

void Steering::setPlan(const Plan& plan, const QString& what) {
  const Plan before = planOf(session().config());
  if (!session().isLoaded() || plan == before || refusesInReplay()) return;
  try {
    SessionConfig config = session().config();
    config.objective = plan.objective;
    withSearchOptions(config, plan.search); // its checks
  } catch (const Error& problem) {
    notices_.warn(qs(problem.what()));
    return;
  }
  undo_.push(new Change(
      what.isEmpty() ? tr("plan of the session") : what,
      [=, this] { carryOut(commandsBetween(before, plan)); },
      [=, this] { carryOut(commandsBetween(plan, before)); }));
}

void Steering::tuneFor(double seconds) {
  if (!canTuneLonger()) return;
  setPlan(planUntil(session(), session().progress().wallSeconds + seconds));
  if (canStart()) start();
}

void Steering::extendTime(double seconds) {
  if (!canTuneLonger()) return;
  const double now = std::max(session().config().maxSeconds, session().progress().wallSeconds);
  setPlan(planUntil(session(), now + seconds), tr("extending by %1").arg(budgetTimeText(seconds)));
}

QString Steering::undoTextOf(const Command& command) const {
  const auto taskName = [&](RowId id) { return taskTitle(session().task(id)->row.name); };
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

} // namespace nestwright::ui

#include "moc_steering.cpp"
