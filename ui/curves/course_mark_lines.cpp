#include "ui/curves/course_mark_lines.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// On the axis that errors lie on the bottom of.
constexpr double kHeight = 0.985;
constexpr double kLineGrabPixels = 7;

double xOf(const CourseMark& mark, const CurveOptions& options) {
  return options.x == XAxis::Trials ? static_cast<double>(mark.trials) : mark.wallSeconds;
}

bool changesMarks(const Event& event) {
  return std::holds_alternative<StateChanged>(event) ||
         std::holds_alternative<ImportanceChanged>(event) ||
         std::holds_alternative<TaskModeChanged>(event);
}

} // namespace

CourseMarkLines::CourseMarkLines(QCustomPlot& plot, Document& document)
    : plot_(plot), document_(document) {
  for (QCPGraph*& graph : graphs_) {
    graph = plot.addGraph(plot.xAxis, plot.yAxis2);
    graph->setLineStyle(QCPGraph::lsImpulse);
    graph->setLayer(QStringLiteral("grid"));
  }
  connect(&document, &Document::stateChanged, this, &CourseMarkLines::ask);
  connect(&document.replayMode(), &ReplayMode::changed, this, &CourseMarkLines::changed);
  connect(&document.follower(), &SessionFollower::jumped, this, &CourseMarkLines::changed);
  connect(&document.follower(), &SessionFollower::eventsArrived, this,
          [this](const std::vector<Event>& events) {
            if (std::ranges::any_of(events, changesMarks)) ask();
          });
  ask();
}

void CourseMarkLines::ask() {
  background_.cancel();
  if (document_.state() != DocumentState::Ready) {
    marks_.clear();
    return;
  }
  background_.ask<std::vector<CourseMark>>(
      [path = document_.file().path().toStdString(), session = document_.session().row().id](
          const Job&) { return courseMarks(RecordStore::open(path, OpenMode::ReadOnly), session); },
      [this](std::vector<CourseMark> marks) {
        marks_ = std::move(marks);
        Q_EMIT changed();
      },
      [this](const QString&) { marks_.clear(); }); // whatever reads the document next says why
}

void CourseMarkLines::restyle() {
  const Colours& c = colours();
  const double side = 7 * Theme::instance().zoom();
  const struct {
    CourseMark::Kind kind;
    QCPScatterStyle::ScatterShape shape;
    QColor colour;
  } styles[] = {{CourseMark::Kind::Pause, QCPScatterStyle::ssSquare, c.waiting},
                {CourseMark::Kind::Failure, QCPScatterStyle::ssCross, c.failed},
                {CourseMark::Kind::Weight, QCPScatterStyle::ssTriangleInverted, c.accent}};
  for (const auto& style : styles) {
    QCPGraph* graph = graphs_[static_cast<std::size_t>(style.kind)];
    QColor faint = style.colour;
    faint.setAlpha(110);
    graph->setPen(QPen(faint, 1, Qt::DotLine));
    graph->setScatterStyle(
        QCPScatterStyle(style.shape, QPen(style.colour, 1.4), QBrush(style.colour), side));
  }
}

std::vector<CourseMark> CourseMarkLines::shown() const {
  std::vector<CourseMark> marks = marks_;
  if (const Replay* replay = document_.replayMode().replay())
    std::erase_if(marks, [&](const CourseMark& mark) { return mark.wallSeconds > replay->time(); });
  return marks;
}

void CourseMarkLines::refresh(const CurveOptions& options) {
  for (QCPGraph* graph : graphs_)
    graph->data()->clear();
  for (const CourseMark& mark : shown())
    graphs_[static_cast<std::size_t>(mark.kind)]->addData(xOf(mark, options), kHeight);
}

std::vector<double> CourseMarkLines::places(CourseMark::Kind kind) const {
  std::vector<double> places;
  for (const QCPGraphData& point : *graphs_[static_cast<std::size_t>(kind)]->data())
    places.push_back(point.key);
  return places;
}

QString CourseMarkLines::textOf(const CourseMark& mark) const {
  const QString why = qs(mark.text);
  QString what;
  switch (mark.kind) {
  case CourseMark::Kind::Pause:
    what = why.isEmpty() ? tr("paused") : tr("paused: %1").arg(why);
    break;
  case CourseMark::Kind::Failure:
    what = tr("failed: %1").arg(why);
    break;
  case CourseMark::Kind::Weight: {
    const TaskEntry* task = document_.session().task(mark.task);
    what = tr("%1: %2").arg(task ? taskTitle(task->row.name) : tr("a task"), why);
    break;
  }
  }
  return tr("%1\nafter trial %2, %3")
      .arg(what, countText(mark.trials), durationText(mark.wallSeconds));
}

std::optional<CourseMarkLines::Hit> CourseMarkLines::hitAt(const QPointF& position,
                                                           const CurveOptions& options) const {
  const double y = plot_.yAxis2->coordToPixel(kHeight);
  if (std::abs(y - position.y()) > kLineGrabPixels) return std::nullopt;
  std::optional<Hit> hit;
  for (const CourseMark& mark : shown()) {
    const double x = plot_.xAxis->coordToPixel(xOf(mark, options));
    if (std::abs(x - position.x()) > kLineGrabPixels) continue;
    if (!hit) hit = Hit{QPointF(x, y), {}};
    if (!hit->text.isEmpty()) hit->text += QLatin1Char('\n');
    hit->text += textOf(mark);
  }
  return hit;
}

} // namespace nestwright::ui

#include "moc_course_mark_lines.cpp"
