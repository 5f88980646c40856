#include "ui/window/guidance/guidance_line.h"

#include "ui/document/document.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/scheduler/budget_watch.h"
#include "ui/window/guidance/health_light.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kGuidanceMilliseconds = 1000; // a line that changes faster cannot be read

QString titleOf(const Document& document, RowId task) {
  const TaskEntry* entry = document.session().task(task);
  return entry == nullptr ? QString() : taskTitle(entry->row.name);
}

/// What the button does: "Show Its Roofline".
QString guidanceAction(const Guidance& guidance) {
  switch (guidance.kind) {
  case GuidanceKind::NoProgram:
    return GuidanceLine::tr("Show Its Errors");
  case GuidanceKind::Noise:
    return GuidanceLine::tr("Pause");
  case GuidanceKind::Contested:
    return GuidanceLine::tr("Show Them");
  case GuidanceKind::BudgetSpent:
    return GuidanceLine::tr("Stop Here");
  case GuidanceKind::BehindSibling:
    return GuidanceLine::tr("Double Its Importance");
  case GuidanceKind::BelowRoof:
    return GuidanceLine::tr("Show Its Roofline");
  }
  return {};
}

/// "Conv 3x3 … runs at 41 % of the machine's peak: up to 9.3 % of the total are there."
QString guidanceText(const Guidance& guidance, const Document& document) {
  const QString task = titleOf(document, guidance.task);
  const QString gain = percentText(guidance.gain), count = countText(guidance.trials);
  switch (guidance.kind) {
  case GuidanceKind::NoProgram:
    return GuidanceLine::tr("All %1 trials of %2 failed: it runs with its naive program.")
        .arg(count, task);
  case GuidanceKind::Noise:
    return GuidanceLine::tr("Measurements scatter too much to tell programs apart. Pause until the "
                            "machine is quiet.");
  case GuidanceKind::Contested:
    return GuidanceLine::tr("%1 programs looked faster than the bests once, within noise.")
        .arg(count);
  case GuidanceKind::BudgetSpent:
    return GuidanceLine::tr("The remaining %1 trials are expected to bring %2.").arg(count, gain);
  case GuidanceKind::BehindSibling:
    return GuidanceLine::tr("%1 runs at %2 of the rate of %3: %4 of the total are there to gain.")
        .arg(task, percentText(guidance.reached), titleOf(document, guidance.sibling), gain);
  case GuidanceKind::BelowRoof:
    return GuidanceLine::tr(
               "%1 is farthest from what the machine could do: at %2 of its peak, with "
               "at most %3 of the total to gain.")
        .arg(task, percentText(guidance.reached), gain);
  }
  return {};
}

} // namespace

GuidanceLine::GuidanceLine(Document& document, const HealthLight& health, QWidget* parent)
    : QWidget(parent), document_(document), health_(health),
      watch_(new BudgetWatch(document, this)), sign_(new QLabel(this)),
      text_(new ElidedLabel(this)), act_(new QPushButton(this)), next_(new QToolButton(this)),
      close_(new QToolButton(this)) {
  setObjectName(QStringLiteral("guidance"));
  setAccessibleName(tr("What now?"));
  sign_->setText(tr("What now?"));
  sign_->setToolTip(
      tr("Where to look next, by rules over what was measured, the most urgent first; "
         "gains are upper bounds."));
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  next_->setText(tr("Next"));
  next_->setToolTip(tr("What comes after this."));
  close_->setText(QStringLiteral("✕"));
  close_->setAccessibleName(tr("Close"));
  close_->setToolTip(tr("No line of guidance; View ▸ What Now? brings it back."));
  for (QToolButton* button : {next_, close_})
    button->setAutoRaise(true);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(10, 2, 6, 2);
  layout->setSpacing(8);
  layout->addWidget(sign_);
  layout->addWidget(text_, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{act_, next_, close_})
    layout->addWidget(widget);
  timer_.setSingleShot(true);
  timer_.setInterval(kGuidanceMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &GuidanceLine::refresh);
  const auto later = [this] {
    if (!timer_.isActive()) timer_.start();
  };
  connect(&document.follower(), &SessionFollower::tasksChanged, this, later);
  connect(&document.follower(), &SessionFollower::statusChanged, this, later);
  connect(watch_, &BudgetWatch::changed, this, later);
  connect(&health, &HealthLight::changed, this, later);
  connect(&document, &Document::stateChanged, this, [this] {
    place_ = 0;
    refresh();
  });
  connect(&document.replayMode(), &ReplayMode::changed, this, &GuidanceLine::refresh);
  connect(act_, &QPushButton::clicked, this, &GuidanceLine::act);
  connect(next_, &QToolButton::clicked, this, &GuidanceLine::showNext);
  connect(close_, &QToolButton::clicked, this, [this] { setWanted(false); });
  const auto restyle = [this] {
    QFont bold = font();
    bold.setBold(true);
    sign_->setFont(bold);
  };
  connect(&Theme::instance(), &Theme::changed, this, restyle);
  restyle();
  refresh();
}

QString GuidanceLine::text() const {
  return shown_ ? text_->text() : QString();
}

void GuidanceLine::setWanted(bool wanted) {
  if (std::exchange(wanted_, wanted) == wanted) return;
  refresh();
  Q_EMIT wantedChanged(wanted);
}

void GuidanceLine::refresh() {
  timer_.stop();
  std::vector<Guidance> found;
  // The past has been decided.
  if (wanted_ && document_.state() == DocumentState::Ready && !document_.replayMode().isOn())
    found = guidance(document_.session(), {health_.health(), watch_->outlook().rest});
  say(found);
}

void GuidanceLine::showNext() {
  ++place_;
  refresh();
}

void GuidanceLine::say(const std::vector<Guidance>& found) {
  shown_.reset();
  setVisible(!found.empty());
  if (found.empty()) return;
  shown_ = found[std::size_t(place_) % found.size()];
  text_->setText(guidanceText(*shown_, document_));
  text_->setToolTip(text_->text());
  act_->setText(guidanceAction(*shown_));
  next_->setVisible(found.size() > 1);
}

void GuidanceLine::act() {
  if (!shown_) return;
  const Guidance guidance = *shown_;
  if (guidance.task != 0) document_.selection().selectTask(guidance.task);
  switch (guidance.kind) {
  case GuidanceKind::Noise:
    document_.steering().pause();
    break;
  case GuidanceKind::BudgetSpent:
    document_.steering().stop();
    break;
  case GuidanceKind::BehindSibling:
    if (const TaskEntry* task = document_.session().task(guidance.task))
      document_.steering().steer(SetImportance{guidance.task, 2 * task->importance});
    break;
  case GuidanceKind::NoProgram:
  case GuidanceKind::Contested:
  case GuidanceKind::BelowRoof:
    break;
  }
  Q_EMIT placeWanted(guidance);
}

} // namespace nestwright::ui

#include "moc_guidance_line.cpp"
