#include "ui/lesson/replay_bar.h"

#include "core/record/rows/mark_row.h"
#include "ui/document/document.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/lesson/lesson_marks.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleOptionSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr double kSpeeds[] = {1, 2, 5, 10, 30, 100, 300, 1000};

} // namespace

TimeSlider::TimeSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
  setRange(0, kSteps);
  setPageStep(kSteps / 20);
  setSingleStep(kSteps / 200);
  setFocusPolicy(Qt::StrongFocus);
}

void TimeSlider::setMarks(std::vector<double> marks) {
  marks_ = std::move(marks);
  update();
}

void TimeSlider::paintEvent(QPaintEvent* event) {
  QSlider::paintEvent(event);
  QPainter painter(this);
  painter.setPen(QPen(colours().accent, 2));
  const int handle = style()->pixelMetric(QStyle::PM_SliderLength, nullptr, this);
  for (const double mark : marks_) {
    const int x = handle / 2 + static_cast<int>(mark * (width() - handle));
    painter.drawLine(x, 0, x, height() / 4);
  }
}

/// A click goes there, instead of a page towards it.
void TimeSlider::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    const int handle = style()->pixelMetric(QStyle::PM_SliderLength, nullptr, this);
    const int span = std::max(1, width() - handle);
    setValue(QStyle::sliderValueFromPosition(minimum(), maximum(),
                                             event->position().toPoint().x() - handle / 2, span));
    Q_EMIT sliderMoved(value());
  }
  QSlider::mousePressEvent(event);
}

ReplayBar::ReplayBar(Document& document, QWidget* parent)
    : QToolBar(tr("Replay"), parent), document_(document), marks_(new LessonMarks(document, this)) {
  setObjectName(QStringLiteral("replayBar"));
  setMovable(false);
  toggleViewAction()->setVisible(false);
  auto* content = new QWidget(this);
  auto* rows = new QVBoxLayout(content);
  rows->setContentsMargins(6, 2, 6, 2);
  rows->setSpacing(2);
  caption_ = new QLabel(content);
  caption_->setWordWrap(true);
  caption_->setMinimumWidth(1); // a long sentence takes lines, not width
  caption_->setObjectName(QStringLiteral("caption"));
  caption_->setAccessibleName(tr("Sentence of the present mark"));
  time_ = new QLabel(content);
  time_->setToolTip(tr("Time in the session, of its whole duration, and the trials made until "
                       "then."));
  auto* words = new QHBoxLayout;
  words->addWidget(caption_, 1);
  words->addWidget(time_, 0, Qt::AlignTop);
  rows->addLayout(words);
  auto* row = new QHBoxLayout;
  row->setSpacing(2);
  rows->addLayout(row);
  addWidget(content);

  const auto put = [&](QToolButton* button) { row->addWidget(button); };
  put(addButton("previous_round", tr("Previous round"), tr("To the beginning of the round before."),
                QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Left), &ReplayBar::previousRound));
  put(addButton("back", tr("One event back"), tr("One event back."),
                QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Left), &ReplayBar::back));
  play_ = addButton("start", tr("Play"), tr("Play or hold the replay."),
                    QKeySequence(Qt::CTRL | Qt::Key_Space), &ReplayBar::togglePlay);
  put(play_);
  put(addButton("step", tr("One event on"), tr("One event on."),
                QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Right), &ReplayBar::forward));
  put(addButton("next_round", tr("Next round"), tr("To the beginning of the next round."),
                QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Right), &ReplayBar::nextRound));
  slider_ = new TimeSlider(content);
  slider_->setAccessibleName(tr("Time in the session"));
  slider_->setToolTip(tr("Time in the session, on its own clock: pauses are left out. Drag to see "
                         "any moment in all views."));
  row->addWidget(slider_, 1);
  speeds_ = new QComboBox(content);
  speeds_->setAccessibleName(tr("Speed of the replay"));
  speeds_->setToolTip(tr("How many seconds of the session pass in one second."));
  for (const double speed : kSpeeds)
    speeds_->addItem(tr("%1×").arg(countText(static_cast<std::int64_t>(speed))), speed);
  row->addWidget(speeds_);
  previousMark_ =
      addButton("previous_mark", tr("Previous mark"), tr("To the mark before, with its sentence."),
                {}, &ReplayBar::previousMark);
  put(previousMark_);
  nextMark_ = addButton("next_mark", tr("Next mark"), tr("To the next mark, with its sentence."),
                        {}, &ReplayBar::nextMark);
  put(nextMark_);
  markButton_ = addButton("mark", tr("Marks"),
                          tr("Moments with a sentence, saved in the document: "
                             "a lesson to step through."),
                          {}, nullptr);
  markMenu_ = new QMenu(markButton_);
  markButton_->setMenu(markMenu_);
  markButton_->setPopupMode(QToolButton::InstantPopup);
  put(markButton_);
  end_ =
      addButton("", tr("End the replay"), tr("Back to the present of the session."), {}, nullptr);
  end_->setText(tr("End"));
  put(end_);

  connect(end_, &QToolButton::clicked, &document_.replayMode(), &ReplayMode::end);
  connect(slider_, &QSlider::actionTriggered, this, [this] {
    if (Replay* replay = document_.replayMode().replay(); replay && !slider_->isSliderDown())
      replay->seekTime(replay->duration() * slider_->sliderPosition() / TimeSlider::kSteps);
  });
  connect(slider_, &QSlider::sliderMoved, this, [this](int value) {
    if (Replay* replay = document_.replayMode().replay())
      replay->seekTime(replay->duration() * value / TimeSlider::kSteps);
  });
  connect(speeds_, &QComboBox::activated, this, [this](int index) {
    if (Replay* replay = document_.replayMode().replay())
      replay->setSpeed(speeds_->itemData(index).toDouble());
  });
  connect(markMenu_, &QMenu::aboutToShow, this, &ReplayBar::fillMarks);
  connect(marks_, &LessonMarks::changed, this, &ReplayBar::refresh);
  connect(&document_.replayMode(), &ReplayMode::changed, this, &ReplayBar::follow);
  connect(&Theme::instance(), &Theme::changed, this, &ReplayBar::refreshIcons);
  refreshIcons();
  follow();
}

QToolButton* ReplayBar::addButton(const char* icon, const QString& name, const QString& tip,
                                  const QKeySequence& shortcut, void (ReplayBar::*act)()) {
  auto* button = new QToolButton(this);
  button->setAutoRaise(true);
  button->setAccessibleName(name);
  button->setObjectName(QString::fromLatin1(icon));
  const QString keys = shortcut.toString(QKeySequence::NativeText);
  button->setToolTip(keys.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, keys));
  button->setShortcut(shortcut);
  if (act) connect(button, &QToolButton::clicked, this, act);
  return button;
}

void ReplayBar::refreshIcons() {
  const int side = qRound(16 * Theme::instance().zoom());
  for (QToolButton* button : findChildren<QToolButton*>())
    if (const QString icon = button->objectName(); !icon.isEmpty()) {
      button->setIcon(Theme::instance().icon(icon));
      button->setIconSize(QSize(side, side));
    }
  slider_->setMinimumHeight(qRound(22 * Theme::instance().zoom()));
  QFont font = this->font();
  font.setPointSizeF(font.pointSizeF() * 1.25);
  caption_->setFont(font);
  refresh();
}

void ReplayBar::follow() {
  if (Replay* replay = document_.replayMode().replay()) {
    connect(replay, &Replay::changed, this, &ReplayBar::refresh);
    connect(replay, &Replay::loading, this, &ReplayBar::refresh);
    connect(replay, &Replay::ready, this, &ReplayBar::refresh);
  }
  refresh();
}

/// A restored arrangement of the window may want to show it without a replay.
void ReplayBar::showEvent(QShowEvent* event) {
  QToolBar::showEvent(event);
  if (!document_.replayMode().isOn()) QMetaObject::invokeMethod(this, "hide", Qt::QueuedConnection);
}

// Marks are found by the event that they follow: a moment that was sought stands at its event, a
// moment in which the replay was held may be later.
const MarkRow* ReplayBar::presentMark() const {
  const Replay* replay = document_.replayMode().replay();
  if (!replay || !replay->isReady()) return nullptr;
  const MarkRow* last = nullptr;
  for (const MarkRow& mark : marks_->all())
    if (replay->timeline()->events().positionAt(mark.wallSeconds) <= replay->position())
      last = &mark;
  return last;
}

const MarkRow* ReplayBar::markTowards(int direction) const {
  const Replay* replay = document_.replayMode().replay();
  if (!replay || !replay->isReady()) return nullptr;
  const MarkRow* before = nullptr;
  for (const MarkRow& mark : marks_->all()) {
    const std::size_t at = replay->timeline()->events().positionAt(mark.wallSeconds);
    if (direction > 0 && at > replay->position()) return &mark;
    if (at < replay->position()) before = &mark;
  }
  return direction > 0 ? nullptr : before;
}

/// A tool bar knows no height for a width: the sentence gets the lines that it needs, three at
/// most.
void ReplayBar::fitCaption() {
  const int line = caption_->fontMetrics().lineSpacing();
  const int room = width() - time_->sizeHint().width() - 30;
  caption_->setFixedHeight(std::clamp(room > 0 ? caption_->heightForWidth(room) : line, line,
                                      std::max(line, window()->height() / 5)));
  caption_->setToolTip(caption());
}

void ReplayBar::resizeEvent(QResizeEvent* event) {
  QToolBar::resizeEvent(event);
  fitCaption();
}

QString ReplayBar::caption() const {
  const MarkRow* mark = presentMark();
  return mark ? qs(mark->sentence) : QString();
}

void ReplayBar::refresh() {
  const Replay* replay = document_.replayMode().replay();
  setVisible(replay != nullptr);
  if (!replay) return;
  const bool ready = replay->isReady();
  for (QWidget* part : std::initializer_list<QWidget*>{slider_, play_, speeds_, markButton_})
    enableUnless(part, ready ? QString() : tr("The session's past is being read."));
  play_->setIcon(Theme::instance().icon(replay->isPlaying() ? QStringLiteral("pause")
                                                            : QStringLiteral("start")));
  if (!slider_->isSliderDown() && replay->duration() > 0)
    slider_->setValue(qRound(TimeSlider::kSteps * replay->time() / replay->duration()));
  time_->setText(ready ? tr("%1 of %2 · trial %3")
                             .arg(durationText(replay->time()), durationText(replay->duration()),
                                  countText(document_.session().progress().trials))
                       : tr("Reading the session's past … %1").arg(percentText(replay->loaded())));
  for (int i = 0; i < speeds_->count(); ++i)
    if (speeds_->itemData(i).toDouble() == replay->speed()) speeds_->setCurrentIndex(i);
  refreshMarks();
  Q_EMIT moved();
}

void ReplayBar::refreshMarks() {
  const double duration = document_.replayMode().replay()->duration();
  std::vector<double> places;
  for (const MarkRow& mark : marks_->all())
    if (duration > 0) places.push_back(mark.wallSeconds / duration);
  slider_->setMarks(std::move(places));
  const MarkRow* mark = presentMark();
  caption_->setText(mark ? tr("<b>%1 of %2</b>  %3")
                               .arg(mark - marks_->all().data() + 1)
                               .arg(marks_->all().size())
                               .arg(qs(mark->sentence).toHtmlEscaped())
                         : QString());
  fitCaption();
  enableUnless(previousMark_, canGoToMark(-1) ? QString() : tr("No mark is before this."));
  enableUnless(nextMark_, canGoToMark(1) ? QString() : tr("No mark comes after this."));
}

void ReplayBar::fillMarks() {
  markMenu_->clear();
  markMenu_->addAction(tr("Mark This Moment …"), this, &ReplayBar::askMark);
  const Replay* replay = document_.replayMode().replay();
  if (marks_->all().empty() || !replay) {
    markMenu_->addAction(tr("No marks yet"))->setEnabled(false);
    return;
  }
  const MarkRow* here = presentMark();
  if (here)
    markMenu_->addAction(tr("Remove \"%1\"").arg(qs(here->sentence)), this,
                         [this, id = here->id] { marks_->remove(id); });
  markMenu_->addAction(tr("Export the Lesson …"), this, &ReplayBar::lessonExportRequested);
  markMenu_->addSeparator();
  for (const MarkRow& mark : marks_->all()) {
    QAction* action = markMenu_->addAction(
        QStringLiteral("%1  –  %2").arg(durationText(mark.wallSeconds), qs(mark.sentence)), this,
        [this, time = mark.wallSeconds] {
          if (Replay* replay = document_.replayMode().replay()) replay->seekTime(time);
        });
    action->setCheckable(true);
    action->setChecked(here && here->id == mark.id);
  }
}

void ReplayBar::goToMark(int direction) {
  if (const MarkRow* mark = markTowards(direction))
    document_.replayMode().replay()->seekTime(mark->wallSeconds);
}

void ReplayBar::askMark() {
  bool ok = false;
  const QString text = QInputDialog::getText(this, tr("Mark This Moment"),
                                             tr("A sentence for those who replay the session:"),
                                             QLineEdit::Normal, caption(), &ok);
  if (ok) marks_->add(text);
}

void ReplayBar::togglePlay() {
  Replay* replay = document_.replayMode().replay();
  if (!replay) return;
  if (replay->isPlaying())
    replay->pause();
  else
    replay->play();
}
void ReplayBar::back() {
  if (Replay* replay = document_.replayMode().replay()) replay->stepBack();
}
void ReplayBar::forward() {
  if (Replay* replay = document_.replayMode().replay()) replay->stepForward();
}
void ReplayBar::previousRound() {
  if (Replay* replay = document_.replayMode().replay()) replay->previousRound();
}
void ReplayBar::nextRound() {
  if (Replay* replay = document_.replayMode().replay()) replay->nextRound();
}

} // namespace nestwright::ui

#include "moc_replay_bar.cpp"
