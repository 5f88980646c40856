#include "ui/kit/step_player.h"

#include "ui/kit/elided_label.h"
#include "ui/kit/look/enable_unless.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>

namespace nestwright::ui {

StepPlayer::StepPlayer(QWidget* parent)
    : QWidget(parent), slider_(new QSlider(Qt::Horizontal, this)), text_(new ElidedLabel(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 3, 8, 3);
  row->setSpacing(2);
  first_ = addButton(QStringLiteral("|◀"), tr("First"), tr("Before the first step."));
  back_ = addButton(QStringLiteral("◀"), tr("Back"), tr("Before this step."));
  play_ = addButton(tr("Play"), tr("Play"), tr("Apply one step after the other."));
  forward_ = addButton(QStringLiteral("▶"), tr("Forward"), tr("Apply the next step."));
  last_ = addButton(QStringLiteral("▶|"), tr("Last"), tr("After the last step."));
  slider_->setAccessibleName(tr("Step"));
  slider_->setPageStep(1);
  slider_->setMinimumWidth(80);
  slider_->setMaximumWidth(260);
  text_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(slider_, 1);
  row->addSpacing(8);
  row->addWidget(text_, 3);
  timer_.setInterval(kMillisecondsPerStep);
  connect(&timer_, &QTimer::timeout, this, &StepPlayer::advance);
  connect(first_, &QToolButton::clicked, this, [this] { setPosition(0); });
  connect(back_, &QToolButton::clicked, this, [this] { setPosition(position() - 1); });
  connect(forward_, &QToolButton::clicked, this, [this] { setPosition(position() + 1); });
  connect(last_, &QToolButton::clicked, this, [this] { setPosition(steps()); });
  connect(play_, &QToolButton::clicked, this, [this] { isPlaying() ? stop() : play(); });
  connect(slider_, &QSlider::valueChanged, this, [this](int value) {
    refresh();
    Q_EMIT positionChanged(value);
  });
  refresh();
}

QToolButton* StepPlayer::addButton(const QString& text, const QString& name, const QString& tip) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setAutoRaise(true);
  button->setAccessibleName(name);
  button->setToolTip(tip);
  layout()->addWidget(button);
  return button;
}

int StepPlayer::steps() const {
  return slider_->maximum();
}

int StepPlayer::position() const {
  return slider_->value();
}

void StepPlayer::setSteps(int steps) {
  stop();
  const QSignalBlocker quiet(slider_);
  slider_->setRange(0, steps);
  slider_->setValue(steps);
  refresh();
}

void StepPlayer::setPosition(int position) {
  slider_->setValue(position);
}

void StepPlayer::setText(const QString& text) {
  text_->setText(text);
  text_->setToolTip(text);
}

void StepPlayer::setTip(const QString& tip) {
  slider_->setToolTip(tip);
}

void StepPlayer::play() {
  if (steps() == 0) return;
  if (position() == steps()) setPosition(0);
  timer_.start();
  refresh();
}

void StepPlayer::stop() {
  timer_.stop();
  refresh();
}

void StepPlayer::advance() {
  if (isVisible()) setPosition(position() + 1);
  if (position() == steps() || !isVisible()) stop();
}

void StepPlayer::refresh() {
  enableUnless(this, steps() > 0 ? QString() : tr("There are no steps."));
  for (QToolButton* button : {first_, back_})
    enableUnless(button, position() > 0 ? QString() : tr("This is the beginning."));
  for (QToolButton* button : {forward_, last_})
    enableUnless(button, position() < steps() ? QString() : tr("This is the last step."));
  play_->setText(isPlaying() ? tr("Stop") : tr("Play"));
  play_->setAccessibleName(isPlaying() ? tr("Stop playing") : tr("Play"));
}

} // namespace nestwright::ui

#include "moc_step_player.cpp"
