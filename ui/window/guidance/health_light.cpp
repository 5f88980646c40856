#include "ui/window/guidance/health_light.h"

#include "core/record/store/store.h"
#include "core/session/run/row_contents.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/window/guidance/status_dot.h"

#include <QHBoxLayout>
#include <QLabel>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kHealthMilliseconds = 5000;

QColor colourOf(HealthGrade grade) {
  const Colours& c = colours();
  switch (grade) {
  case HealthGrade::Quiet:
    return c.running;
  case HealthGrade::Uneasy:
    return c.waiting;
  case HealthGrade::Noisy:
    return c.failed;
  case HealthGrade::Unknown:
    break;
  }
  return c.faint;
}

QString wordOf(HealthGrade grade) {
  switch (grade) {
  case HealthGrade::Quiet:
    return HealthLight::tr("low noise");
  case HealthGrade::Uneasy:
    return HealthLight::tr("some noise");
  case HealthGrade::Noisy:
    return HealthLight::tr("high noise");
  case HealthGrade::Unknown:
    break;
  }
  return {};
}

/// The facts, a line each, and then the advice.
QString healthLines(const MeasuringHealth& health) {
  if (health.grade() == HealthGrade::Unknown)
    return HealthLight::tr("How steady the measured times are; nothing was measured yet.");
  QStringList lines{
      HealthLight::tr("The repeats of one program lie %1 apart: the median of the last %2 "
                      "measurements.")
          .arg(percentText(health.spread), countText(health.measurements))};
  if (health.settled > 0)
    lines << HealthLight::tr("%1 of %2 claims to a best were noise when measured again in turns.")
                 .arg(health.refuted)
                 .arg(health.settled);
  if (health.contested > 0)
    lines << HealthLight::tr("%1 programs were measured once below their task's best and are not "
                             "faster than it, or not yet known to be (contested).")
                 .arg(countText(health.contested));
  if (health.fastestClock > 0)
    lines << HealthLight::tr("Clock while measuring: %1 to %2.")
                 .arg(frequencyText(health.slowestClock), frequencyText(health.fastestClock));
  for (const EnvironmentFinding& finding : health.machine)
    if (finding.what == EnvironmentKind::Load || !finding.advice.empty())
      lines << sentenceOf(finding.fact);
  for (const std::string& advice : environmentAdvice(health.machine))
    lines << HealthLight::tr("→ %1").arg(qs(advice));
  if (health.grade() == HealthGrade::Noisy)
    lines << HealthLight::tr(
        "→ Pause until the machine is quiet, give kernels fewer threads, or "
        "ask for more repeats: bests within the spread are decided by chance.");
  return lines.join(QLatin1Char('\n'));
}

} // namespace

HealthLight::HealthLight(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), dot_(new QLabel(this)), word_(new QLabel(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(3, 0, 8, 0);
  layout->setSpacing(4);
  layout->addWidget(dot_);
  layout->addWidget(word_);
  timer_.setInterval(kHealthMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &HealthLight::ask);
  connect(&document, &Document::stateChanged, this, &HealthLight::ask);
  connect(&document.follower(), &SessionFollower::statusChanged, this, [this] {
    const bool runs = document_.session().isRunning();
    if (runs != timer_.isActive()) {
      runs ? timer_.start() : timer_.stop();
      ask();
    }
  });
  connect(&document.follower(), &SessionFollower::recordsReread, this, &HealthLight::ask);
  connect(&Theme::instance(), &Theme::changed, this, &HealthLight::restyle);
  restyle();
}

QString HealthLight::text() const {
  return word_->text() + QLatin1Char('\n') + toolTip();
}

void HealthLight::ask() {
  const LiveSession& session = document_.session();
  if (document_.state() != DocumentState::Ready || document_.replayMode().isOn() ||
      isImport(session.row())) {
    background_.cancel();
    return take({});
  }
  background_.ask<MeasuringHealth>(
      [path = document_.file().path().toStdString(), id = session.row().id,
       here = session.isRunning() && session.config().machine.empty()](const Job&) {
        MeasuringHealth health = readHealth(RecordStore::open(path, OpenMode::ReadOnly), id);
        if (here) health.machine = checkEnvironment();
        return health;
      },
      [this](MeasuringHealth health) { take(std::move(health)); },
      [this](const QString&) { take({}); }); // whatever reads the document next says why
}

void HealthLight::take(MeasuringHealth health) {
  health_ = std::move(health);
  setVisible(health_.grade() != HealthGrade::Unknown);
  restyle();
  Q_EMIT changed();
}

void HealthLight::restyle() {
  word_->setText(wordOf(health_.grade()));
  setToolTip(healthLines(health_));
  setAccessibleName(word_->text());
  setAccessibleDescription(toolTip());
  dot_->setPixmap(statusDot(colourOf(health_.grade()), *this));
}

} // namespace nestwright::ui

#include "moc_health_light.cpp"
