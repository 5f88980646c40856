#include "ui/lesson/lesson_recorder.h"

#include "core/record/rows/mark_row.h"
#include "core/support/version.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/reading/reader.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/kit/exporter.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QDateTime>
#include <QFileInfo>
#include <QWidget>

#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kLookMilliseconds = 50;

bool isReading(const Reader& reader) {
  for (int channel = 0; channel <= static_cast<int>(Reader::Channel::Predictions); ++channel)
    if (reader.busy(static_cast<Reader::Channel>(channel))) return true;
  return false;
}

/// Its words, or else the rows of its table that a page has room for.
QString textOf(const Exports& panel) {
  if (!panel.text.isEmpty()) return panel.text;
  const std::optional<ExportTable>& table = panel.clip ? panel.clip : panel.table;
  constexpr int kMostRows = 200;
  return table ? tsvOf(*table, kMostRows) : QString();
}

LessonFigure figureOf(const Exports& panel) {
  return {panel.title, imageOf(panel, kFigureScale), textOf(panel)};
}

} // namespace

LessonRecorder::LessonRecorder(QWidget& window, Panels panels, Document& document,
                               std::vector<MarkRow> marks, QString file, QObject* parent,
                               int settleMilliseconds)
    : QObject(parent), window_(window), panels_(std::move(panels)), document_(document),
      marks_(std::move(marks)), file_(std::move(file)), settle_(settleMilliseconds) {
  lesson_.title = tr("Lesson: %1").arg(qs(document.session().contents().network));
  lesson_.provenance = tr("%1, session of %2. %3, %4.")
                           .arg(QFileInfo(document.file().path()).fileName(),
                                momentText(document.session().row().createdAt), qs(versionText()),
                                QDateTime::currentDateTime().toString(Qt::ISODate));
  document.replayMode().replay()->pause();
  from_ = document.replayMode().replay()->time();
  timer_.setInterval(kLookMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &LessonRecorder::look);
  connect(&document.replayMode(), &ReplayMode::changed, this, [this] {
    if (!document_.replayMode().isOn())
      end(false, tr("The replay ended before the lesson was complete."));
  });
  QTimer::singleShot(0, this, &LessonRecorder::next);
}

void LessonRecorder::cancel() {
  end(false, {});
}

void LessonRecorder::next() {
  if (over_) return;
  if (taken() == count()) return write();
  since_.invalidate();
  document_.replayMode().replay()->seekTime(marks_[taken()].wallSeconds);
  timer_.start();
}

bool LessonRecorder::isShown() const {
  const Replay& replay = *document_.replayMode().replay();
  return replay.position() == replay.timeline()->events().positionAt(marks_[taken()].wallSeconds) &&
         !isReading(document_.reader());
}

void LessonRecorder::look() {
  if (!isShown())
    since_.invalidate();
  else if (!since_.isValid())
    since_.start();
  else if (since_.elapsed() >= settle_)
    take();
}

void LessonRecorder::take() {
  timer_.stop();
  const MarkRow& mark = marks_[taken()];
  const double best = bestTotal(document_.session().tasks());
  std::vector<LessonFigure> figures;
  for (const Exports& panel : panels_())
    figures.push_back(figureOf(panel));
  lesson_.pages.push_back(
      {qs(mark.sentence),
       tr("%1 · %2 trials · best total %3")
           .arg(durationText(mark.wallSeconds), countText(document_.session().progress().trials),
                std::isfinite(best) ? timeText(best) : tr("not known yet")),
       window_.grab().toImage(), std::move(figures)});
  Q_EMIT progressed();
  next();
}

void LessonRecorder::write() {
  workQueue_.run(
      this, [lesson = lesson_, file = file_] { writeLesson(lesson, file); },
      [this](const QString& problem) { end(problem.isEmpty(), problem); });
}

void LessonRecorder::end(bool written, const QString& problem) {
  if (std::exchange(over_, true)) return;
  timer_.stop();
  if (Replay* replay = document_.replayMode().replay()) replay->seekTime(from_);
  Q_EMIT ended(written, problem);
}

} // namespace nestwright::ui

#include "moc_lesson_recorder.cpp"
