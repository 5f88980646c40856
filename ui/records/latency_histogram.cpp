#include "ui/records/latency_histogram.h"

#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"

#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

LatencyHistogram::LatencyHistogram(QWidget* parent)
    : Chart(parent, tr("Histogram of the latencies"),
            tr("Left and right go from bar to bar, with Shift they take several, Return keeps only "
               "those latencies. Show as Table gives the numbers."),
            QSize(160, 96)),
      bars_(new QCPBars(xAxis, yAxis)), brush_(new QCPItemRect(this)),
      median_(new QCPItemStraightLine(this)) {
  setToolTip(
      tr("How many records lie in each range of latency; neighbouring bars differ by the same "
         "factor. The line is the median. Drag over bars to keep only those; double-click "
         "to take that back."));
  axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
  axisRect()->setMargins(QMargins(0, 6, 10, 0));
  xAxis->setScaleType(QCPAxis::stLogarithmic);
  xAxis->setTicker(QSharedPointer<LogTicker>::create());
  yAxis->setTicker(QSharedPointer<CountTicker>::create());
  yAxis->ticker()->setTickCount(3);
  xAxis->ticker()->setTickCount(4);
  bars_->setWidthType(QCPBars::wtPlotCoords);
  for (QCPItemPosition* position : {brush_->topLeft, brush_->bottomRight}) {
    position->setTypeX(QCPItemPosition::ptPlotCoords);
    position->setTypeY(QCPItemPosition::ptAxisRectRatio);
  }
  brush_->setVisible(false);
  restyle();
}

std::vector<double> LatencyHistogram::edges(const RecordStatistics& figures) {
  std::vector<double> edges;
  const std::size_t bins = figures.bins.size();
  const double ratio = std::log(figures.worst / figures.best);
  for (std::size_t i = 0; i <= bins; ++i)
    edges.push_back(figures.best * std::exp(ratio * double(i) / double(bins)));
  edges.back() = figures.worst;
  return edges;
}

void LatencyHistogram::show(const RecordStatistics* figures, const QString& message) {
  shown_ = figures && figures->measured > 0;
  if (shown_) figures_ = *figures;
  message_->setText(message);
  refresh();
}

void LatencyHistogram::refresh() {
  showMessageInstead(!shown_);
  bars_->setVisible(shown_);
  median_->setVisible(shown_);
  edges_.clear();
  from_ = to_ = -1;
  brush_->setVisible(false);
  if (shown_) {
    // One time alone has no ratio: it gets a bar of its own.
    if (!(figures_.worst > figures_.best)) {
      figures_.worst = figures_.best * 1.0001;
      figures_.bins = {figures_.measured};
    }
    edges_ = edges(figures_);
    QVector<double> at, counts;
    for (std::size_t i = 0; i < figures_.bins.size(); ++i) {
      at.append(std::sqrt(edges_[i] * edges_[i + 1]) * 1e3);
      counts.append(double(figures_.bins[i]));
    }
    // On a logarithmic axis a width in coordinates is not even; bars are drawn by the ratio.
    bars_->setWidthType(QCPBars::wtAxisRectRatio);
    bars_->setWidth(0.92 / double(figures_.bins.size()));
    bars_->setData(at, counts, true);
    xAxis->setRange(edges_.front() * 1e3, edges_.back() * 1e3);
    yAxis->setRange(0, 1.08 * *std::max_element(counts.begin(), counts.end()));
    median_->point1->setCoords(figures_.median * 1e3, 0);
    median_->point2->setCoords(figures_.median * 1e3, 1);
  }
  replot(QCustomPlot::rpQueuedReplot);
}

void LatencyHistogram::restyle() {
  Chart::restyle();
  const Colours& c = colours();
  xAxis->grid()->setVisible(false);
  explainAxis(*xAxis, tr("latency, ms"),
              tr("Time of one run of a program, in milliseconds. Further left is faster."));
  explainAxis(*yAxis, {}, tr("How many of the records have a latency within the bar."));
  bars_->setBrush(faded(c.accent, c.dark ? 150 : 130));
  bars_->setPen(Qt::NoPen);
  median_->setPen(QPen(c.text, 1.5, Qt::DashLine));
  brush_->setBrush(faded(c.accent, 40));
  brush_->setPen(QPen(c.accent, 1));
  replot(QCustomPlot::rpQueuedReplot);
}

int LatencyHistogram::binAt(const QPoint& at) const {
  const double seconds = xAxis->pixelToCoord(at.x()) / 1e3;
  const auto above = std::upper_bound(edges_.begin(), edges_.end(), seconds);
  return int(above - edges_.begin()) - 1;
}

QString LatencyHistogram::binText(std::size_t bin) const {
  if (!shown_ || bin >= figures_.bins.size()) return {};
  return tr("%1 records from %2 to %3")
      .arg(countText(figures_.bins[bin]), timeText(edges_[bin]), timeText(edges_[bin + 1]));
}

ExportTable LatencyHistogram::table() const {
  std::vector<QStringList> rows;
  for (std::size_t bin = 0; shown_ && bin < figures_.bins.size(); ++bin)
    rows.push_back({QString::number(edges_[bin] * 1e3, 'g', 6),
                    QString::number(edges_[bin + 1] * 1e3, 'g', 6),
                    QString::number(figures_.bins[bin])});
  return tableOfRows({tr("from, ms"), tr("to, ms"), tr("records")}, std::move(rows));
}

void LatencyHistogram::brush(int from, int to) {
  const int last = int(edges_.size()) - 2;
  const int low = std::clamp(std::min(from, to), 0, last),
            high = std::clamp(std::max(from, to), 0, last);
  brush_->topLeft->setCoords(edges_[std::size_t(low)] * 1e3, 0);
  brush_->bottomRight->setCoords(edges_[std::size_t(high) + 1] * 1e3, 1);
  brush_->setVisible(true);
  replot(QCustomPlot::rpQueuedReplot);
}

void LatencyHistogram::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !shown_) return;
  pressed_ = binAt(event->pos());
  dragging_ = true;
  brush(pressed_, pressed_);
}

void LatencyHistogram::mouseMoveEvent(QMouseEvent* event) {
  if (!shown_) return;
  const int bin = binAt(event->pos());
  if (dragging_) brush(pressed_, bin);
  if (bin >= 0 && bin + 1 < int(edges_.size())) tell(event->position(), binText(std::size_t(bin)));
}

void LatencyHistogram::mouseReleaseEvent(QMouseEvent* event) {
  if (!dragging_) return;
  dragging_ = false;
  brush_->setVisible(false);
  replot(QCustomPlot::rpQueuedReplot);
  if (edges_.empty()) return; // other figures came meanwhile
  const int last = int(edges_.size()) - 2, bin = binAt(event->pos());
  const int low = std::clamp(std::min(pressed_, bin), 0, last),
            high = std::clamp(std::max(pressed_, bin), 0, last);
  Q_EMIT rangeChosen(edges_[std::size_t(low)], edges_[std::size_t(high) + 1]);
}

void LatencyHistogram::mouseDoubleClickEvent(QMouseEvent*) {
  dragging_ = false;
  brush_->setVisible(false);
  Q_EMIT rangeCleared();
}

void LatencyHistogram::keyPressEvent(QKeyEvent* event) {
  const int last = int(edges_.size()) - 2;
  const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (last < 0) return Chart::keyPressEvent(event);
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && to_ >= 0) {
    Q_EMIT rangeChosen(edges_[std::size_t(std::min(from_, to_))],
                       edges_[std::size_t(std::max(from_, to_)) + 1]);
    return;
  }
  if (step == 0) return Chart::keyPressEvent(event);
  to_ = to_ < 0 ? (step > 0 ? 0 : last) : std::clamp(to_ + step, 0, last);
  if (from_ < 0 || !(event->modifiers() & Qt::ShiftModifier)) from_ = to_;
  brush(from_, to_);
  tell({xAxis->coordToPixel(edges_[std::size_t(to_)] * 1e3), height() / 3.0},
       binText(std::size_t(to_)));
}

void LatencyHistogram::focusOutEvent(QFocusEvent* event) {
  Chart::focusOutEvent(event);
  from_ = to_ = -1;
  brush_->setVisible(false);
  replot(QCustomPlot::rpQueuedReplot);
}

/// It is too low for a box of its own.
void LatencyHistogram::tell(const QPointF& position, const QString& text) {
  QToolTip::showText(mapToGlobal(position.toPoint()), text, this);
}

} // namespace nestwright::ui

#include "moc_latency_histogram.cpp"
