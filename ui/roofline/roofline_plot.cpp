#include "ui/roofline/roofline_plot.h"

#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/charts/brush.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::ui {
namespace {

/// What keeps a name off the line that it is of, px.
const QMargins kAboveRoof(0, 0, 0, 4), kBesideSlope(6, 4, 0, 0);

constexpr double kGrabPixels = 10;
constexpr double kGiga = 1e9;
constexpr int kRoofPoints = 600; // of a line, over twelve decades

QString nameOf(Ceiling::Unit unit) {
  switch (unit) {
  case Ceiling::Unit::TensorTf32:
    return RooflinePlot::tr("tensor cores, TF32");
  case Ceiling::Unit::TensorHalf:
    return RooflinePlot::tr("tensor cores, bf16 and fp16");
  case Ceiling::Unit::DotBFloat16:
    return RooflinePlot::tr("products of bf16");
  case Ceiling::Unit::DotInt8:
    return RooflinePlot::tr("products of int8");
  }
  return {};
}

} // namespace

RooflinePlot::RooflinePlot(QWidget* parent)
    : ZoomableChart(parent, tr("Roofline: operations per byte against operations per second"),
                    tr("Left and right walk through the programs in the order of their trials. The "
                       "same numbers are in the table that Export and Copy as Table give."),
                    QSize(220, 150)),
      marks_(*this, true) {
  setUpPlot(*this);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  roof_ = addGraph();
  for (std::size_t i = 0; i < further_.size(); ++i) {
    further_[i] = addGraph();
    further_[i]->removeFromLegend();
    furtherLabels_[i] = new QCPItemText(this);
  }
  others_ = addGraph();
  points_ = addGraph();
  path_ = new QCPCurve(xAxis, yAxis);
  bests_ = addGraph();
  newest_ = addGraph();
  dragged_ = addGraph();
  ring_ = addGraph();
  for (QCPGraph* graph : {points_, others_, bests_, newest_, dragged_, ring_})
    graph->setLineStyle(QCPGraph::lsNone);
  compulsory_ = new QCPItemLine(this);
  for (QCPItemText** label : {&roofLabel_, &slopeLabel_, &compulsoryLabel_})
    *label = new QCPItemText(this);
  connect(new Brush(this), &Brush::brushed, this, [this](const QRect& area) {
    std::vector<RowId> records;
    for (const RooflinePoint& point : roofline_.points)
      if (const auto pixel = pixelOf(point.record); pixel && area.contains(pixel->toPoint()))
        records.push_back(point.record);
    if (!records.empty()) Q_EMIT brushed({conditionOf(records)});
  });
  for (QCPAxis* axis : {xAxis, yAxis}) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->setTicker(QSharedPointer<LogTicker>::create());
  }
  points_->setName(tr("programs"));
  bests_->setName(tr("each the fastest in its time"));
  newest_->setName(tr("the fastest"));
  dragged_->setName(tr("dragged here"));
  others_->setName(tr("not listed by the filter"));
  for (QCPGraph* graph : {roof_, ring_, dragged_, others_})
    graph->removeFromLegend();
  path_->removeFromLegend();
  putLegendAbove(*this);
  restyle();
}

void RooflinePlot::restyle() {
  const Colours& c = colours();
  const double side = 6 * Theme::instance().zoom();
  Chart::restyle();
  points_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(faded(c.dim, 150), 1),
                                           QBrush(faded(c.dim, 60)), side));
  others_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(faded(c.dim, 110), 0),
                                           Qt::NoBrush, side * 0.5));
  bests_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(c.series[1], 1.4),
                                          QBrush(faded(c.series[1], 160)), side * 1.3));
  newest_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssStar, QPen(c.series[1], 2.2), Qt::NoBrush, side * 2.4));
  dragged_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssSquare, QPen(c.series[2], 2.2), Qt::NoBrush, side * 2));
  ring_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(c.accent, 3), Qt::NoBrush, side * 2.4));
  marks_.restyle();
  path_->setPen(QPen(faded(c.series[1], 190), 1.4));
  roof_->setPen(QPen(c.text, 2));
  for (QCPGraph* line : further_)
    line->setPen(QPen(faded(c.dim, 190), 1.2, Qt::DashDotLine));
  compulsory_->setPen(QPen(c.dim, 1, Qt::DashLine));
  std::vector<QCPItemText*> labels{roofLabel_, slopeLabel_, compulsoryLabel_};
  labels.insert(labels.end(), furtherLabels_.begin(), furtherLabels_.end());
  for (QCPItemText* label : labels) {
    styleText(*label);
    // A ground would hide the line that it names.
    label->setBrush(label == compulsoryLabel_ ? QBrush(faded(c.base, 190)) : QBrush(Qt::NoBrush));
  }
  styleLegend(*legend);
  legend->setRowSpacing(-2);
  explainAxis(*yAxis, tr("GFLOP/s, higher is better"),
              tr("Measured throughput: 10⁹ floating-point operations per second. The roof is the "
                 "most that the machine can do. Higher is better."));
  refresh();
}

void RooflinePlot::show(const Roofline& roofline, Traffic traffic, double bandwidth,
                        RowId selected) {
  if (roofline.task != roofline_.task || traffic != traffic_) endZoom();
  roofline_ = roofline;
  traffic_ = traffic;
  bandwidth_ = bandwidth;
  selected_ = selected;
  message_->setText({});
  readout_->hide();
  refresh();
}

void RooflinePlot::setListed(const FilteredRecords& listed) {
  listed_ = listed;
  refresh();
}

void RooflinePlot::setNotes(const Notes& notes) {
  notes_ = notes;
  refresh();
}

void RooflinePlot::showMessage(const QString& text) {
  roofline_ = {};
  message_->setText(text);
  readout_->hide();
  refresh();
}

double RooflinePlot::intensity(const RooflinePoint& point) const {
  const double bytes = point.bytes[static_cast<std::size_t>(traffic_)];
  return bytes > 0 ? roofline_.flops / bytes : 0;
}

double RooflinePlot::speed(const RooflinePoint& point) const {
  return roofline_.flops / point.seconds / kGiga;
}

double RooflinePlot::roofAt(double intensity) const {
  double roof = roofline_.roofs.peakFlops > 0 ? roofline_.roofs.peakFlops
                                              : std::numeric_limits<double>::infinity();
  if (bandwidth_ > 0) roof = std::min(roof, bandwidth_ * intensity);
  return roof;
}

void RooflinePlot::refresh() {
  for (QCPGraph* graph : {points_, others_, bests_, newest_, dragged_, ring_, roof_})
    graph->data()->clear();
  path_->data()->clear();
  marks_.clear();
  const RooflinePoint* fastest = nullptr;
  for (const RooflinePoint& point : roofline_.points) {
    const double x = intensity(point), y = speed(point);
    if (x <= 0) continue;
    const bool listed = listed_.lists(point.record);
    (point.best ? bests_ : listed ? points_ : others_)->addData(x, y);
    if (point.best) path_->addData(x, y);
    if (point.best && (!fastest || point.seconds < fastest->seconds)) fastest = &point;
    if (point.dragged) dragged_->addData(x, y);
    if (point.record == selected_) ring_->addData(x, y);
    marks_.add(noteOf(notes_, point.record), x, y);
  }
  for (QCPGraph* graph : {dragged_, others_}) {
    graph->removeFromLegend();
    if (graph->dataCount() > 0) graph->addToLegend();
  }
  marks_.done();
  wrapLegend(*this);
  if (fastest) newest_->addData(intensity(*fastest), speed(*fastest));
  const bool some = !roofline_.points.empty();
  showMessageInstead(!some);
  legend->setVisible(some);
  explainAxis(*xAxis,
              traffic_ == Traffic::Memory ? tr("operations per byte from memory (estimated)")
              : roofline_.roofs.isGpu
                  ? (traffic_ == Traffic::L2
                         ? tr("operations per byte from the second-level cache (estimated)")
                         : tr("operations per byte from shared memory (estimated)"))
              : traffic_ == Traffic::L2
                  ? tr("operations per byte into the second-level cache (estimated)")
                  : tr("operations per byte into the first-level cache (estimated)"),
              tr("Arithmetic intensity: floating-point operations for each byte that the program "
                 "moves, estimated from its loops. Higher leaves more to the arithmetic units "
                 "and less to the memory: better reuse."));
  if (some && !zoomed_) fit();
  drawRoofs();
  replot(QCustomPlot::rpQueuedReplot);
}

void RooflinePlot::fit() {
  double left = 1e300, right = 0, low = 1e300, high = 0;
  for (const RooflinePoint& point : roofline_.points) {
    if (intensity(point) <= 0) continue;
    left = std::min(left, intensity(point));
    right = std::max(right, intensity(point));
    low = std::min(low, speed(point));
    high = std::max(high, speed(point));
  }
  if (right <= 0) return;
  if (traffic_ == Traffic::Memory && roofline_.compulsoryBytes > 0)
    right = std::max(right, roofline_.flops / roofline_.compulsoryBytes);
  if (roofline_.roofs.peakFlops > 0) high = std::max(high, roofline_.roofs.peakFlops / kGiga);
  for (const Ceiling& ceiling : roofline_.roofs.ceilings)
    high = std::max(high, ceiling.flops / kGiga);
  // Ridges, where roofs turn flat, belong to the picture unless they are far away.
  std::vector<double> bandwidths(roofline_.roofs.bandwidths.begin(),
                                 roofline_.roofs.bandwidths.end());
  bandwidths.push_back(bandwidth_);
  // A GPU's levels are few, and known beforehand.
  const double reach = roofline_.roofs.isGpu ? 1000 : 30;
  const double leftmost = left / reach, rightmost = right * reach;
  for (const double bandwidth : bandwidths) {
    if (bandwidth <= 0 || roofline_.roofs.peakFlops <= 0) continue;
    const double ridge = roofline_.roofs.peakFlops / bandwidth;
    if (ridge <= leftmost || ridge >= rightmost) continue;
    left = std::min(left, ridge);
    right = std::max(right, ridge);
  }
  xAxis->setRange(left / 1.6, right * 1.8);
  yAxis->setRange(low / 1.6, high * 1.7);
}

QString RooflinePlot::bandwidthText(Traffic traffic, double bandwidth) const {
  if (!roofline_.roofs.isGpu) return tr("memory: %1 (measured)").arg(ui::bandwidthText(bandwidth));
  const QString what = traffic == Traffic::Memory ? tr("memory")
                       : traffic == Traffic::L2   ? tr("L2")
                                                  : tr("shared memory");
  return tr("%1: at most %2").arg(what, ui::bandwidthText(bandwidth));
}

std::vector<RooflinePlot::FurtherRoof> RooflinePlot::furtherRoofs() const {
  std::vector<FurtherRoof> roofs;
  const double infinite = std::numeric_limits<double>::infinity();
  for (const Ceiling& ceiling : roofline_.roofs.ceilings)
    roofs.push_back({tr("%1: at most %2").arg(nameOf(ceiling.unit), throughputText(ceiling.flops)),
                     ceiling.flops, bandwidth_ > 0 ? bandwidth_ : infinite, false});
  for (int kind = 0; kind < kTrafficKinds; ++kind) {
    const double bandwidth = roofline_.roofs.bandwidths[static_cast<std::size_t>(kind)];
    if (bandwidth <= 0 || static_cast<Traffic>(kind) == traffic_) continue;
    const double peak = roofline_.roofs.peakFlops;
    roofs.push_back({bandwidthText(static_cast<Traffic>(kind), bandwidth),
                     peak > 0 ? peak : infinite, bandwidth, true});
  }
  return roofs;
}

QStringList RooflinePlot::roofNames() const {
  QStringList names;
  for (const QCPItemText* label : {roofLabel_, slopeLabel_})
    if (label->visible()) names.append(label->text());
  for (const QCPItemText* label : furtherLabels_)
    if (label->visible()) names.append(label->text());
  return names;
}

void RooflinePlot::drawFurther(std::size_t number, const FurtherRoof* roof) {
  QCPItemText* label = furtherLabels_[number];
  further_[number]->data()->clear();
  label->setVisible(roof != nullptr);
  if (!roof) return;
  QVector<double> x, y;
  const double from = std::log10(xAxis->range().lower) - 3, to = from + 12;
  for (int i = 0; i <= kRoofPoints; ++i) {
    x.append(std::pow(10.0, from + (to - from) * i / kRoofPoints));
    y.append(std::min(roof->flops, roof->bandwidth * x.last()) / kGiga);
  }
  further_[number]->setData(x, y, true);
  label->setText(roof->name);
  if (roof->isSlope) {
    // Where it climbs through the lower half of the picture, or at its beginning.
    const double middle = std::pow(yAxis->range().lower, 0.6) * std::pow(yAxis->range().upper, 0.4);
    const double at = std::max(middle, roof->bandwidth * xAxis->range().lower * 1.1 / kGiga);
    label->position->setTypeX(QCPItemPosition::ptPlotCoords);
    label->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop); // below what climbs
    label->setPadding(kBesideSlope);
    label->position->setCoords(at * kGiga / roof->bandwidth, at);
  } else {
    label->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    label->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    label->setPadding(kAboveRoof);
    label->position->setCoords(1, roof->flops / kGiga);
  }
}

void RooflinePlot::drawRoofs() {
  const bool some = !roofline_.points.empty();
  const double peakFlops = roofline_.roofs.peakFlops;
  const bool peak = some && peakFlops > 0;
  const bool slope = some && bandwidth_ > 0;
  if (peak || slope) {
    QVector<double> x, y;
    const double from = std::log10(xAxis->range().lower) - 3, to = from + 12;
    for (int i = 0; i <= kRoofPoints; ++i) {
      x.append(std::pow(10.0, from + (to - from) * i / kRoofPoints));
      y.append(roofAt(x.last()) / kGiga);
    }
    roof_->setData(x, y, true);
  }
  const std::vector<FurtherRoof> further = some ? furtherRoofs() : std::vector<FurtherRoof>();
  for (std::size_t i = 0; i < further_.size(); ++i)
    drawFurther(i, i < further.size() ? &further[i] : nullptr);
  roofLabel_->setVisible(peak);
  roofLabel_->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
  roofLabel_->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
  roofLabel_->setPadding(kAboveRoof);
  roofLabel_->position->setCoords(1, peakFlops / kGiga);
  roofLabel_->setText(roofline_.roofs.isGpu
                          ? tr("fp32: at most %1").arg(throughputText(peakFlops))
                          : tr("at most %1 (bound of the machine)").arg(throughputText(peakFlops)));
  slopeLabel_->setVisible(slope);
  slopeLabel_->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
  slopeLabel_->setPadding(kBesideSlope);
  const double x = xAxis->range().lower * 1.15;
  slopeLabel_->position->setCoords(x, bandwidth_ * x / kGiga);
  slopeLabel_->setText(bandwidthText(traffic_, bandwidth_));
  const bool compulsory = some && traffic_ == Traffic::Memory && roofline_.compulsoryBytes > 0;
  compulsory_->setVisible(compulsory);
  compulsoryLabel_->setVisible(compulsory);
  if (!compulsory) return;
  const double limit = roofline_.flops / roofline_.compulsoryBytes;
  for (QCPItemPosition* end : {compulsory_->start, compulsory_->end, compulsoryLabel_->position})
    end->setTypeY(QCPItemPosition::ptAxisRectRatio);
  compulsory_->start->setCoords(limit, 0);
  compulsory_->end->setCoords(limit, 1);
  compulsoryLabel_->setPositionAlignment(Qt::AlignRight | Qt::AlignVCenter);
  compulsoryLabel_->setPadding(QMargins(0, 0, 5, 0));
  compulsoryLabel_->position->setCoords(limit, 0.72);
  compulsoryLabel_->setText(tr("each input and output once"));
}

// --- the mouse and the keyboard

std::optional<QPointF> RooflinePlot::pixelOf(RowId record) const {
  for (const RooflinePoint& point : roofline_.points)
    if (point.record == record)
      return QPointF(xAxis->coordToPixel(intensity(point)), yAxis->coordToPixel(speed(point)));
  return std::nullopt;
}

const RooflinePoint& RooflinePlot::at(int point) const {
  return roofline_.points[static_cast<std::size_t>(point)];
}

std::optional<int> RooflinePlot::pointAt(const QPointF& pixel) const {
  std::optional<int> nearest;
  double least = kGrabPixels;
  for (int i = 0; i < pointCount(); ++i) {
    const double d = std::hypot(xAxis->coordToPixel(intensity(at(i))) - pixel.x(),
                                yAxis->coordToPixel(speed(at(i))) - pixel.y());
    // One of the path lies over the others.
    if (d > least || (d == least && !at(i).best)) continue;
    least = d;
    nearest = i;
  }
  return nearest;
}

QString RooflinePlot::describe(int number) const {
  const RooflinePoint& point = at(number);
  QString text = tr("Trial %1\n%2, %3\nMoves about %4 from memory: %5 operations a byte")
                     .arg(countText(point.trial))
                     .arg(timeText(point.seconds), throughputText(roofline_.flops / point.seconds))
                     .arg(bytesText(point.bytes[0]))
                     .arg(roofline_.flops / point.bytes[0], 0, 'g', 3);
  const double flops = roofline_.flops / point.seconds;
  const std::optional<Ceiling> ceiling = ceilingOver(roofline_.roofs, flops);
  const double flat = ceiling ? ceiling->flops : roofline_.roofs.peakFlops;
  const double slope =
      bandwidth_ > 0 ? bandwidth_ * intensity(point) : std::numeric_limits<double>::infinity();
  const double roof = ceiling ? std::min(flat, slope) : roofAt(intensity(point));
  if (std::isfinite(roof))
    text += ceiling ? tr("\n%1 of the roof above it (%2)")
                          .arg(percentText(flops / roof), nameOf(ceiling->unit))
                    : tr("\n%1 of the roof above it").arg(percentText(flops / roof));
  if (bandwidth_ > 0 && roofline_.roofs.peakFlops > 0)
    text += slope < flat ? (traffic_ == Traffic::Memory ? tr("\nUnder the slope: memory limits it")
                            : traffic_ == Traffic::L2
                                ? tr("\nUnder the slope: the second-level cache limits it")
                                : tr("\nUnder the slope: shared memory limits it"))
                         : tr("\nUnder the flat roof: the execution units limit it");
  if (point.best) text += tr("\nIt was the fastest in its time");
  text += noteLine(notes_, {NoteAbout::Record, point.record});
  return text;
}

void RooflinePlot::choose(int point) {
  Q_EMIT picked(at(point).record);
}

std::optional<Selection> RooflinePlot::grabAt(const QPointF& position) const {
  const std::optional<int> point = pointAt(position);
  return point ? std::optional(Selection{roofline_.task, at(*point).record}) : std::nullopt;
}

void RooflinePlot::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const std::optional<int> point = pointAt(event->position()))
    Q_EMIT opened(at(*point).record);
  else
    showAll();
}

void RooflinePlot::resizeEvent(QResizeEvent* event) {
  wrapLegend(*this);
  Chart::resizeEvent(event);
}

bool RooflinePlot::walk(int step) {
  if (roofline_.points.empty()) return false;
  Q_EMIT picked(
      neighbour(roofline_.points, selected_, step, WalkFrom::Last, &RooflinePoint::record).record);
  return true;
}

void RooflinePlot::keyPressEvent(QKeyEvent* event) {
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && selected_ != 0)
    Q_EMIT opened(selected_);
  else
    ZoomableChart::keyPressEvent(event);
}

} // namespace nestwright::ui

#include "moc_roofline_plot.cpp"
