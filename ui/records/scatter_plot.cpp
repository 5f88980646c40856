#include "ui/records/scatter_plot.h"

#include "core/support/infinity.h"
#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/kit/colour_map.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QApplication>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace nestwright::ui {
namespace {

using Shape = QCPScatterStyle::ScatterShape;

constexpr double kGrabPixels = 12;
constexpr int kThin = 8;          // pixels; a drag that is no higher says nothing of that axis
constexpr std::size_t kNamed = 7; // classes with a colour of their own
constexpr std::size_t kGrades = 7;
constexpr int kNameWidth = 190, kShortName = 110; // of a class in the legend, pixels
constexpr Shape kShapes[] = {QCPScatterStyle::ssDisc,
                             QCPScatterStyle::ssSquare,
                             QCPScatterStyle::ssDiamond,
                             QCPScatterStyle::ssTriangle,
                             QCPScatterStyle::ssCross,
                             QCPScatterStyle::ssPlus,
                             QCPScatterStyle::ssTriangleInverted};

bool isLogarithmic(PointFact fact) {
  return fact == PointFact::Latency || fact == PointFact::Throughput;
}

QString numberText(PointFact fact, double value) {
  switch (fact) {
  case PointFact::Latency:
    return timeText(value / 1e3);
  case PointFact::Throughput:
    return throughputText(value * 1e9);
  case PointFact::Wall:
    return durationText(value);
  case PointFact::Weight:
    return QString::number(value, 'g', 4);
  default:
    return countText(std::int64_t(std::llround(value)));
  }
}

} // namespace

ScatterPlot::ScatterPlot(QWidget* parent)
    : Chart(parent, tr("Scatter of the records"),
            tr("Each listed record as a point. Export and Copy as Table give the same "
               "numbers."),
            QSize(220, 150)),
      marks_(*this, true) {
  setToolTipDuration(4000);
  setUpPlot(*this);
  setInteractions(QCP::iRangeZoom);
  putLegendAbove(*this);
  rings_ = addGraph();
  rings_->setLineStyle(QCPGraph::lsNone);
  rings_->removeFromLegend();
  brush_ = new QCPItemRect(this);
  brush_->setVisible(false);
  for (QCPItemPosition* position : {brush_->topLeft, brush_->bottomRight})
    position->setType(QCPItemPosition::ptAbsolute);
  restyle();
}

void ScatterPlot::restyle() {
  const Colours& c = colours();
  Chart::restyle();
  styleLegend(*legend);
  marks_.restyle();
  brush_->setBrush(faded(c.accent, 40));
  brush_->setPen(QPen(c.accent, 1));
  rings_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(c.text, 2), Qt::NoBrush,
                                          13 * Theme::instance().zoom()));
  refresh();
}

void ScatterPlot::show(RecordSample sample) {
  sample_ = std::move(sample);
  message_->setText(tr("no records"));
  readout_->hide();
  dragging_ = false;
  brush_->setVisible(false);
  zoomed_ = false;
  refresh();
}

void ScatterPlot::setFacts(PointFact x, PointFact y, PointFact colour) {
  if (x != x_ || y != y_) zoomed_ = false;
  x_ = x, y_ = y, colour_ = colour;
  refresh();
}

void ScatterPlot::setChosen(const std::vector<RowId>& records) {
  chosen_ = {records.begin(), records.end()};
  refresh();
}

void ScatterPlot::setNotes(const Notes& notes) {
  notes_ = notes;
  refresh();
}

void ScatterPlot::showMessage(const QString& text) {
  sample_ = {};
  refresh();
  message_->setText(text);
  replot(rpQueuedReplot);
}

QStringList ScatterPlot::classes() const {
  QStringList names;
  for (const QCPGraph* graph : graphs_)
    names.append(graph->name());
  return names;
}

/// Those with the most points have colours; the rest shares one.
std::vector<ScatterPlot::Class> ScatterPlot::namedClasses(std::vector<std::size_t>& of) const {
  const auto keyOf = [this](const RecordPoint& point) -> RowId {
    return colour_ == PointFact::Task      ? point.task
           : colour_ == PointFact::Session ? point.session
           : colour_ == PointFact::Error   ? RowId(point.verdict)
                                           : 0;
  };
  const auto nameOf = [this](RowId key) -> QString {
    switch (colour_) {
    case PointFact::Task:
      return taskTitle(sample_.tasks.at(key));
    case PointFact::Session:
      return QStringLiteral("%1 %2").arg(key).arg(qs(sample_.sessions.at(key)));
    case PointFact::Error:
      return qs(nestwright::name(Verdict(key)));
    default:
      return tr("records");
    }
  };
  std::map<RowId, std::int64_t> sizes;
  for (const RecordPoint& point : sample_.points)
    ++sizes[keyOf(point)];
  std::vector<std::pair<std::int64_t, RowId>> largest;
  for (const auto& [key, size] : sizes)
    largest.emplace_back(-size, key);
  std::sort(largest.begin(), largest.end());
  std::vector<Class> classes;
  std::map<RowId, std::size_t> places;
  const Colours& c = colours();
  const bool others = largest.size() > kNamed;
  for (std::size_t i = 0; i < largest.size(); ++i) {
    if (!others || i + 1 < kNamed) {
      places[largest[i].second] = classes.size();
      classes.push_back({nameOf(largest[i].second), c.series[i], kShapes[i], {}, {}});
      continue;
    }
    if (classes.size() < kNamed) {
      const auto rest = std::int64_t(largest.size() - i);
      classes.push_back({tr("%1 others").arg(countText(rest)), c.dim, kShapes[kNamed - 1], {}, {}});
    }
    places[largest[i].second] = classes.size() - 1;
  }
  for (const RecordPoint& point : sample_.points)
    of.push_back(places[keyOf(point)]);
  return classes;
}

/// A number's range in steps of one scale of lightness.
std::vector<ScatterPlot::Class> ScatterPlot::gradedClasses(std::vector<std::size_t>& of) const {
  const bool logarithmic = isLogarithmic(colour_);
  const auto scaled = [&](const RecordPoint& point) {
    const double value = valueOf(point, colour_);
    return logarithmic ? std::log(value) : value;
  };
  double low = kInfinity, high = -kInfinity;
  for (const RecordPoint& point : sample_.points)
    if (const double value = scaled(point); std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  std::vector<Class> classes;
  const Colours& c = colours();
  const std::size_t grades = high > low ? kGrades : 1;
  for (std::size_t i = 0; i < grades; ++i) {
    const double from = low + (high - low) * double(i) / double(grades);
    const QString name =
        tr("from %1").arg(numberText(colour_, logarithmic ? std::exp(from) : from));
    classes.push_back({name,
                       mapColour(0.2 + 0.8 * double(i) / double(kGrades - 1), c.dark),
                       QCPScatterStyle::ssDisc,
                       {},
                       {}});
  }
  classes.push_back({tr("unknown"), c.dim, QCPScatterStyle::ssCross, {}, {}});
  for (const RecordPoint& point : sample_.points) {
    const double value = scaled(point);
    const double part = high > low ? (value - low) / (high - low) : 0;
    of.push_back(!std::isfinite(value) ? grades
                                       : std::min(grades - 1, std::size_t(part * double(grades))));
  }
  return classes;
}

void ScatterPlot::refresh() {
  for (const auto* list : {&graphs_, &swatches_})
    for (QCPGraph* graph : *list)
      removeGraph(graph);
  graphs_.clear();
  swatches_.clear();
  rings_->data()->clear();
  marks_.clear();
  std::vector<std::size_t> of;
  std::vector<Class> classes = colour_ < PointFact::Task ? gradedClasses(of) : namedClasses(of);
  drawn_ = 0;
  for (std::size_t i = 0; i < sample_.points.size(); ++i) {
    const double x = valueOf(sample_.points[i], x_), y = valueOf(sample_.points[i], y_);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    classes[of[i]].xs.append(x);
    classes[of[i]].ys.append(y);
    ++drawn_;
    if (chosen_.contains(sample_.points[i].record)) rings_->addData(x, y);
    if (!notes_.empty()) marks_.add(noteOf(notes_, sample_.points[i].record), x, y);
  }
  const bool many = drawn_ > kManyPoints;
  const double zoom = Theme::instance().zoom(), size = (many ? 2.5 : 6) * zoom;
  setNotAntialiasedElement(QCP::aeScatters, many);
  setAntialiasedElement(QCP::aeScatters, !many);
  for (const Class& one : classes) {
    if (one.xs.isEmpty()) continue;
    // Tasks differ in the middle of their names as often as at the end.
    const QString name = QFontMetrics(legend->font())
                             .elidedText(one.name, Qt::ElideMiddle,
                                         int((width() < 700 ? kShortName : kNameWidth) * zoom));
    const auto add = [&](double side) {
      QCPGraph* graph = addGraph();
      graph->setLineStyle(QCPGraph::lsNone);
      const QColor colour = faded(one.colour, many ? 150 : 190);
      // A style without a pen would take the graph's, which is blue.
      graph->setScatterStyle(
          many ? QCPScatterStyle(QCPScatterStyle::ssSquare, QPen(colour, 1), colour, side)
               : QCPScatterStyle(one.shape, QPen(colour, 1.3), faded(one.colour, 90), side));
      graph->setName(name);
      return graph;
    };
    QCPGraph* graph = add(size);
    graph->setData(one.xs, one.ys);
    if (many) { // too small to tell their colours in the legend
      graph->removeFromLegend();
      swatches_.push_back(add(7 * zoom));
    }
    graphs_.push_back(graph);
  }
  marks_.done();
  legend->setVisible(colour_ != PointFact::Nothing && drawn_ > 0);
  wrapLegend(*this);
  showMessageInstead(drawn_ == 0);
  if (drawn_ == 0 && !sample_.points.empty())
    message_->setText(tr("none of the %1 records has both numbers")
                          .arg(countText(std::int64_t(sample_.points.size()))));
  setUpAxis(xAxis, x_);
  setUpAxis(yAxis, y_);
  if (!zoomed_) fit();
  replot(rpQueuedReplot);
}

void ScatterPlot::resizeEvent(QResizeEvent* event) {
  wrapLegend(*this);
  Chart::resizeEvent(event);
}

void ScatterPlot::setUpAxis(QCPAxis* axis, PointFact fact) {
  explainAxis(*axis, title(fact), meaning(fact));
  axis->setScaleType(isLogarithmic(fact) ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (isLogarithmic(fact))
    axis->setTicker(QSharedPointer<LogTicker>::create());
  else if (fact == PointFact::Wall)
    axis->setTicker(QSharedPointer<TimeTicker>::create());
  else if (fact == PointFact::Weight)
    axis->setTicker(QSharedPointer<QCPAxisTicker>::create());
  else
    axis->setTicker(QSharedPointer<CountTicker>::create());
}

void ScatterPlot::fit() {
  const auto range = [this](QCPAxis* axis, PointFact fact) {
    double low = kInfinity, high = -kInfinity;
    for (const RecordPoint& point : sample_.points) {
      const double value = valueOf(point, fact);
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (low > high) return;
    if (isLogarithmic(fact)) {
      const double margin = std::max(1.05, std::pow(high / low, 0.04));
      axis->setRange(low / margin, high * margin);
    } else {
      const double margin = high > low ? 0.03 * (high - low) : std::max(1.0, 0.1 * std::abs(low));
      axis->setRange(low - margin, high + margin);
    }
  };
  range(xAxis, x_);
  range(yAxis, y_);
}

QPointF ScatterPlot::pixelOf(const RecordPoint& point) const {
  const double x = valueOf(point, x_), y = valueOf(point, y_);
  if (!std::isfinite(x) || !std::isfinite(y)) return {kInfinity, kInfinity};
  return {xAxis->coordToPixel(x), yAxis->coordToPixel(y)};
}

std::optional<QPointF> ScatterPlot::pixelOf(RowId record) const {
  for (const RecordPoint& point : sample_.points)
    if (const QPointF pixel = pixelOf(point); point.record == record && std::isfinite(pixel.x()))
      return pixel;
  return std::nullopt;
}

std::optional<int> ScatterPlot::pointAt(const QPointF& pixel) const {
  return nearestPoint(sample_.points.size(), kGrabPixels, [&](std::size_t point) {
    const QPointF away = pixelOf(sample_.points[point]) - pixel;
    return std::hypot(away.x(), away.y());
  });
}

QString ScatterPlot::describe(int number) const {
  const RecordPoint& point = sample_.points[std::size_t(number)];
  QStringList lines{
      tr("record %1, trial %2").arg(point.record).arg(countText(point.trial)),
      taskTitle(sample_.tasks.at(point.task)),
      QStringLiteral("%1 %2").arg(point.session).arg(qs(sample_.sessions.at(point.session)))};
  if (std::isfinite(point.seconds)) {
    QString speed = timeText(point.seconds);
    if (point.gflops > 0) speed += QStringLiteral(" · ") + throughputText(point.gflops * 1e9);
    lines.append(speed);
  } else {
    lines.append(qs(nestwright::name(point.verdict)));
  }
  return lines.join(QLatin1Char('\n')) + noteLine(notes_, {NoteAbout::Record, point.record});
}

// --- mouse and keys

void ScatterPlot::drawBrush(const QPoint& to) {
  const QRect area = axisRect()->rect();
  const QRect drag = QRect(pressed_, to).normalized();
  QRect shown = drag.intersected(area);
  if (drag.height() <= kThin) shown.setTop(area.top()), shown.setBottom(area.bottom());
  if (drag.width() <= kThin) shown.setLeft(area.left()), shown.setRight(area.right());
  brush_->topLeft->setCoords(shown.topLeft());
  brush_->bottomRight->setCoords(shown.bottomRight());
  brush_->setVisible(drag.width() > kThin || drag.height() > kThin);
  replot(rpQueuedReplot);
}

void ScatterPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || drawn_ == 0) return;
  pressed_ = event->pos();
  const std::optional<int> point = pointAt(event->position());
  grabbed_ = point && chosen_.contains(sample_.points[std::size_t(*point)].record);
  dragging_ = !grabbed_;
  readout_->hide();
}

std::vector<const RecordPoint*> ScatterPlot::ringedPoints() const {
  std::vector<const RecordPoint*> points;
  for (const RecordPoint& point : sample_.points)
    if (chosen_.contains(point.record)) points.push_back(&point);
  return points;
}

void ScatterPlot::mouseMoveEvent(QMouseEvent* event) {
  if (dragging_) return drawBrush(event->pos());
  if (grabbed_ && (event->buttons() & Qt::LeftButton)) {
    if ((event->pos() - pressed_).manhattanLength() < QApplication::startDragDistance()) return;
    grabbed_ = false;
    Q_EMIT dragged();
    return;
  }
  tellOfPointAt(event->position());
}

void ScatterPlot::mouseReleaseEvent(QMouseEvent* event) {
  if (std::exchange(grabbed_, false)) click(event->position());
  if (!dragging_) return;
  dragging_ = false;
  brush_->setVisible(false);
  replot(rpQueuedReplot);
  const QRect drag = QRect(pressed_, event->pos()).normalized();
  const bool wide = drag.width() > kThin, high = drag.height() > kThin;
  if (!wide && !high) return click(event->position());
  const QRect area = drag.intersected(axisRect()->rect());
  if (area.isEmpty()) return;
  Q_EMIT brushed(wide ? xAxis->pixelToCoord(area.left()) : -kInfinity,
                 wide ? xAxis->pixelToCoord(area.right()) : kInfinity,
                 high ? yAxis->pixelToCoord(area.bottom()) : -kInfinity,
                 high ? yAxis->pixelToCoord(area.top()) : kInfinity);
}

void ScatterPlot::mouseDoubleClickEvent(QMouseEvent*) {
  dragging_ = false;
  brush_->setVisible(false);
  Q_EMIT cleared();
}

void ScatterPlot::wheelEvent(QWheelEvent* event) {
  if (drawn_ == 0) return;
  Chart::wheelEvent(event);
  zoomed_ = true;
}

void ScatterPlot::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Home) return Chart::keyPressEvent(event);
  zoomed_ = false;
  refresh();
}

void ScatterPlot::choose(int number) {
  const RecordPoint& point = sample_.points[std::size_t(number)];
  Q_EMIT picked(point.task, point.record);
}

/// Along the x axis, from the point that is ringed.
bool ScatterPlot::walk(int step) {
  std::vector<const RecordPoint*> points;
  for (const RecordPoint& point : sample_.points)
    if (std::isfinite(pixelOf(point).x())) points.push_back(&point);
  if (points.empty()) return false;
  std::ranges::stable_sort(points, {},
                           [this](const RecordPoint* point) { return valueOf(*point, x_); });
  const RecordPoint* next =
      neighbour(points, true, step, WalkFrom::First,
                [this](const RecordPoint* point) { return chosen_.contains(point->record); });
  Q_EMIT picked(next->task, next->record);
  return true;
}

} // namespace nestwright::ui

#include "moc_scatter_plot.cpp"
