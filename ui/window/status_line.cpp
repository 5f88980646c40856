#include "ui/window/status_line.h"

#include "core/session/run/row_contents.h"
#include "ui/document/document.h"
#include "ui/document/import/import_following.h"
#include "ui/document/import/importer.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/scope_text.h"
#include "ui/document/session_follower.h"
#include "ui/kit/colours.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/scheduler/budget_watch.h"
#include "ui/tasks/tuning_origins.h"
#include "ui/window/guidance/health_light.h"
#include "ui/window/guidance/status_dot.h"
#include "ui/window/measuring_saved.h"

#include <QLabel>
#include <QProgressBar>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace nestwright::ui {
QString statusText(const Document& document) {
  switch (document.state()) {
  case DocumentState::Empty:
    return StatusLine::tr("no document");
  case DocumentState::Loading:
    return StatusLine::tr("loading");
  case DocumentState::Failed:
    return StatusLine::tr("not opened");
  case DocumentState::Ready:
    break;
  }
  if (const Replay* replay = document.replayMode().replay()) {
    if (!replay->isReady())
      return StatusLine::tr("reading the past, %1").arg(percentText(replay->loaded()));
    const QString time = durationText(replay->time());
    return replay->isPlaying() ? StatusLine::tr("replay at %1×, %2").arg(replay->speed()).arg(time)
                               : StatusLine::tr("replay, held at %1").arg(time);
  }
  switch (document.session().pending()) {
  case Pending::Start:
    return StatusLine::tr("starting …");
  case Pending::Pause:
    return StatusLine::tr("pausing …");
  case Pending::Stop:
    return StatusLine::tr("stopping …");
  case Pending::None:
    break;
  }
  if (isImporting(document)) {
    const ImportState state = document.importer().state();
    return state == ImportState::Waiting    ? StatusLine::tr("import waits")
           : state == ImportState::Stopping ? StatusLine::tr("import pauses …")
                                            : StatusLine::tr("importing");
  }
  if (document.follower().elsewhere().isBusy()) return StatusLine::tr("tuned by another program");
  if (isImport(document.session().row()))
    return document.session().status() == SessionStatus::Finished
               ? StatusLine::tr("imported")
               : StatusLine::tr("import not finished");
  switch (document.session().status()) {
  case SessionStatus::Ready:
    return StatusLine::tr("ready");
  case SessionStatus::Running:
    return StatusLine::tr("tuning");
  case SessionStatus::Paused:
    return StatusLine::tr("paused");
  case SessionStatus::Finished:
    return StatusLine::tr("finished");
  case SessionStatus::Failed:
    return StatusLine::tr("failed");
  }
  return {};
}

QString stateToolTip(const Document& document) {
  const LiveSession& session = document.session();
  if (document.replayMode().isOn())
    return StatusLine::tr("The past of the session is shown; nothing is tuned. At this moment the "
                          "session was %1.")
        .arg(qs(nestwright::name(session.status())));
  if (const QString& runner = document.follower().elsewhere().runner(); !runner.isEmpty())
    return StatusLine::tr("It is tuned by %1.").arg(runner);
  if (session.wasKilled())
    return StatusLine::tr("It was interrupted; every announced record is in the file.");
  const QString reason = qs(session.statusReason());
  return reason.isEmpty() ? StatusLine::tr("State of the session.") : reason;
}

namespace {

/// The state's colour, never shown without the words.
QColor statusColour(const Document& document) {
  const Colours& c = colours();
  if (document.state() == DocumentState::Failed) return c.failed;
  if (document.state() != DocumentState::Ready) return c.faint;
  if (document.replayMode().isOn()) return c.accent;
  if (document.session().pending() != Pending::None) return c.waiting;
  if (isImporting(document))
    return document.importer().state() == ImportState::Running ? c.running : c.waiting;
  if (document.follower().elsewhere().isBusy()) return c.running;
  switch (document.session().status()) {
  case SessionStatus::Running:
    return c.running;
  case SessionStatus::Paused:
    return c.waiting;
  case SessionStatus::Failed:
    return c.failed;
  default:
    return c.faint;
  }
}

} // namespace

StatusLine::StatusLine(Document& document, QWidget* parent)
    : QStatusBar(parent), document_(document), watch_(new BudgetWatch(document, this)),
      origins_(new TuningOrigins(document, this)),
      measuringSaved_(new MeasuringSaved(document, this)) {
  setSizeGripEnabled(false);
  dot_ = addPart({});
  state_ = addPart(tr("State of the session."));
  network_ = addPart(tr("What is tuned, and for which machine."), Qt::ElideMiddle);
  progress_ = new QProgressBar(this);
  progress_->setTextVisible(false);
  progress_->setFixedSize(96, 8);
  progress_->setRange(0, 1000);
  progress_->setAccessibleName(tr("Progress of the session"));
  addWidget(progress_);
  trials_ = addPart(tr("Trials made, of the session's budget."));
  rate_ = addPart(tr("Trials per second over the last half minute."));
  best_ = addPart(bestToolTip());
  errors_ = addPart(tr("Share of trials that ended in an error."));
  saved_ = addPart({});
  left_ = addPart(leftToolTip());
  health_ = new HealthLight(document, this);
  addPermanentWidget(health_);
  connect(&document, &Document::stateChanged, this, &StatusLine::refreshSoon);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &StatusLine::refreshSoon);
  connect(&document.replayMode(), &ReplayMode::changed, this, &StatusLine::refreshSoon);
  connect(&document.follower(), &SessionFollower::tasksChanged, this, &StatusLine::refreshSoon);
  connect(&document.follower(), &SessionFollower::progressChanged, this, &StatusLine::refreshSoon);
  connect(&document.follower(), &SessionFollower::historyChanged, this, [this] {
    if (!document_.session().historyLoading()) refreshSoon(); // what it says is whole only then
  });
  connect(watch_, &BudgetWatch::changed, this, &StatusLine::refreshSoon);
  connect(measuringSaved_, &MeasuringSaved::changed, this, &StatusLine::refreshSoon);
  connect(origins_, &TuningOrigins::changed, this, &StatusLine::refreshSoon);
  connect(&Theme::instance(), &Theme::changed, this, &StatusLine::refreshSoon);
  connect(this, &QStatusBar::messageChanged, this, [this](const QString& message) {
    if (message.isEmpty()) refresh();
  });
  refresh();
}

QString StatusLine::leftToolTip() {
  return tr("Estimated time until the budget is used up, and how much lower the total is expected "
            "to be then. Plan and Budget, in the scheduler, says more.");
}

void StatusLine::showRest() {
  const auto& rest = watch_->outlook().rest;
  const bool known = rest && document_.session().isRunning();
  left_->setText(
      known ? tr("%1 left, worth %2")
                  .arg(durationRangeText(rest->seconds), percentText(rest->forecast.gain.value))
      : document_.session().isRunning() && std::isfinite(document_.session().progress().secondsLeft)
          ? tr("%1 left").arg(durationText(document_.session().progress().secondsLeft))
          : QString());
  left_->setToolTip(known ? leftToolTip() + QLatin1Char('\n') +
                                tr("The rest is worth %1.").arg(gainText(rest->forecast.gain))
                          : leftToolTip());
}

QString StatusLine::bestToolTip() {
  return tr("Weighted total of the best programs: the estimated latency of the network, or of all "
            "networks together, and how many times faster that is than the naive programs. Lower "
            "is better.");
}

QLabel* StatusLine::addPart(const QString& toolTip, Qt::TextElideMode cut) {
  auto* label = new ElidedLabel(this, cut);
  label->setToolTip(toolTip);
  label->setContentsMargins(3, 0, 12, 0);
  addWidget(label);
  return label;
}

void StatusLine::allot() {
  constexpr double kMost = 0.5; // of the line
  constexpr int kNothing = 1;   // a long text must not widen the window
  const std::array figures{state_, trials_, rate_, errors_, left_};
  int all = 0;
  for (const QLabel* label : figures)
    if (!label->text().isEmpty()) all += label->sizeHint().width();
  dot_->setMinimumWidth(dot_->sizeHint().width());
  const bool whole = all <= kMost * width();
  for (QLabel* label : {network_, best_, saved_})
    label->setMinimumWidth(kNothing);
  for (QLabel* label : figures)
    label->setMinimumWidth(whole && !label->text().isEmpty() ? label->sizeHint().width()
                                                             : kNothing);
}

void StatusLine::resizeEvent(QResizeEvent* event) {
  QStatusBar::resizeEvent(event);
  allot();
}

QString StatusLine::text() {
  if (isDue_) refresh();
  QStringList parts;
  for (const QLabel* label : {state_, network_, trials_, rate_, best_, errors_, saved_, left_})
    if (!label->text().isEmpty()) parts.append(label->text());
  return parts.join(QStringLiteral(" · "));
}

void StatusLine::showTrials() {
  const Progress& p = document_.session().progress();
  const double time = document_.session().config().maxSeconds;
  const bool imported = isImport(document_.session().row()), within = p.trials <= p.budget;
  const auto share = [](double done, double all) {
    return all > 0 ? std::min(1.0, done / all) : 0;
  };
  progress_->setVisible(!imported);
  progress_->setValue(static_cast<int>(
      1000 * std::max(share(double(p.trials), double(p.budget)), share(p.wallSeconds, time))));
  const QString made = countText(p.trials), budget = countText(p.budget);
  if (imported) {
    trials_->setText(tr("%1 records imported").arg(made));
    trials_->setToolTip(tr("Records that were taken from logs. They have no budget: nothing is "
                           "measured here."));
  } else if (time > 0) {
    // The trials may be a mere reserve; where they are not, they are used up well before the time.
    const double rate = p.trialsPerSecond > 0 ? p.trialsPerSecond
                        : p.wallSeconds > 0   ? double(p.trials) / p.wallSeconds
                                              : 0;
    const bool scarce = within && 2 * double(p.budget - p.trials) < rate * (time - p.wallSeconds);
    const QString spent = tr("%1 of %2").arg(durationText(p.wallSeconds), budgetTimeText(time));
    trials_->setText(scarce ? tr("%1, %2 of %3 trials").arg(spent, made, budget)
                            : tr("%1, %2 trials").arg(spent, made));
    trials_->setToolTip(tr("Time on the session's own clock, pauses left out, of its time budget, "
                           "and trials made. It ends after %1 or %2 trials, whichever comes "
                           "first.")
                            .arg(budgetTimeText(time), budget));
  } else {
    trials_->setText(within ? tr("%1 of %2 trials").arg(made, budget) : tr("%1 trials").arg(made));
    trials_->setToolTip(tr("Trials made, of the session's budget."));
  }
  // The budget is the session's; what the tasks count besides is said.
  std::int64_t all = 0;
  for (const TaskEntry& task : document_.session().tasks())
    all += task.summary.trials;
  if (all > p.trials && !scopeText(document_).isEmpty()) {
    trials_->setText(tr("%1 (%2 in the file)").arg(trials_->text(), countText(all)));
    trials_->setToolTip(tr("%1 The sessions of the file made %2 trials of these tasks together.")
                            .arg(trials_->toolTip(), countText(all)));
  }
}

void StatusLine::showBest() {
  const auto known = [](double seconds) {
    return std::isfinite(seconds) ? timeText(seconds) : noValue();
  };
  const double best = bestTotal(document_.session().tasks());
  const double naive = document_.session().history().naiveTotal();
  QString total = tr("best %1").arg(known(best));
  const std::vector<SessionNetwork>& networks = document_.session().contents().networks;
  const std::vector<NetworkTotals> totals =
      totalsOf(document_.session().contents().networks, document_.session().tasks());
  const Objective& objective = document_.session().config().objective;
  QStringList each, lines;
  for (std::size_t i = 0; i < totals.size() && i < networks.size(); ++i) {
    const QString name = qs(networks[i].name);
    each.append(name + QLatin1Char(' ') + known(totals[i].best));
    QString line = tr("%1: %2, naive %3").arg(name, known(totals[i].best), known(totals[i].naive));
    if (const double given = objective.secondsOf(i); given > 0)
      line += objective.kind == ObjectiveKind::SpeedUp
                  ? tr(", reference %1").arg(timeText(given))
                  : tr(", required %1: %2")
                        .arg(timeText(given), totals[i].best <= given ? tr("met") : tr("not met"));
    lines.append(line);
  }
  if (each.size() > 1) total += QStringLiteral(" = ") + each.join(QStringLiteral(" + "));
  if (std::isfinite(best) && std::isfinite(naive) && best > 0)
    total += tr(" (%1 naive)").arg(factorText(naive / best));
  if (const std::optional<double> untuned = origins_->untunedShare()) {
    if (*untuned > 0) total += tr(", %1 not tuned here").arg(percentText(*untuned));
    lines.append(tr("%1 of this time is spent in programs that were not tuned on this machine; "
                    "the Tasks panel says which.")
                     .arg(percentText(*untuned)));
  }
  if (objective.kind == ObjectiveKind::SpeedUp)
    lines.append(
        tr("Objective f3: mean speed-up %1").arg(factorText(-presentValue(objective, totals))));
  best_->setText(total);
  best_->setToolTip(
      withScope(bestToolTip() + QLatin1Char('\n') + lines.join(QLatin1Char('\n')), document_));
}

void StatusLine::refreshSoon() {
  if (std::exchange(isDue_, true)) return;
  QMetaObject::invokeMethod(this, &StatusLine::refresh, Qt::QueuedConnection);
}

void StatusLine::refresh() {
  isDue_ = false;
  if (!currentMessage().isEmpty()) return; // it has the place of all parts
  dot_->setPixmap(statusDot(statusColour(document_), *this));
  state_->setText(statusText(document_));
  state_->setToolTip(stateToolTip(document_));
  const bool ready = document_.state() == DocumentState::Ready;
  progress_->setVisible(ready);
  for (QLabel* label : {network_, trials_, rate_, best_, errors_, saved_, left_})
    label->setVisible(ready);
  if (!ready) {
    for (QLabel* label : {network_, trials_, rate_, best_, errors_, saved_, left_})
      label->clear();
    return;
  }
  const Progress& p = document_.session().progress();
  const QString network = qs(document_.session().contents().network);
  const QString machine = qs(document_.session().config().machine);
  network_->setText(machine.isEmpty() ? network : tr("%1, recorded machine").arg(network));
  network_->setToolTip(
      machine.isEmpty()
          ? tr("%1\nfor %2").arg(network, qs(document_.session().contents().target))
          : tr("%1\nfor %2\nNothing is measured: %3 answers, and its results never count as "
               "measured here.")
                .arg(network, qs(document_.session().contents().target), machine));
  showTrials();
  rate_->setText(document_.session().isRunning() ? rateText(p.trialsPerSecond) : QString());
  showBest();
  errors_->setText(p.trials > 0
                       ? tr("%1 errors").arg(percentText(double(p.errors) / double(p.trials)))
                       : QString());
  saved_->setText(savedText(measuringSaved_->saved()));
  saved_->setToolTip(
      savedToolTip(measuringSaved_->saved(), document_.session().config().measure.evaluator));
  showRest();
  if (isImporting(document_) && !document_.session().isRunning()) {
    // In place of the numbers of a session that does not run meanwhile.
    const Importer& importer = document_.importer();
    const ImportProgress& now = importer.progress();
    progress_->setVisible(true);
    progress_->setValue(static_cast<int>(1000 * importer.done()));
    trials_->setText(importer.resultText());
    rate_->setText(now.recordsPerSecond > 0
                       ? tr("%1 records/s").arg(countText(std::int64_t(now.recordsPerSecond)))
                       : QString());
    left_->setText(std::isfinite(now.secondsLeft) ? tr("%1 left").arg(durationText(now.secondsLeft))
                                                  : QString());
  }
  for (QLabel* label : {rate_, errors_, saved_, left_})
    label->setVisible(!label->text().isEmpty());
  allot();
}

} // namespace nestwright::ui

#include "moc_status_line.cpp"
