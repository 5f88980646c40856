#include "ui/charts/micro_batch_view.h"

#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

MicroBatchPlot::MicroBatchPlot(QWidget* parent)
    : Chart(parent, tr("Micro-batches of the measurement"),
            tr("Left and right go from micro-batch to micro-batch."), QSize(160, 92)),
      bars_(new QCPBars(xAxis, yAxis)), leftOut_(new QCPBars(xAxis, yAxis)),
      time_(new QCPItemStraightLine(this)) {
  setToolTip(tr("How long a run took in each micro-batch, in the order in which they were made. "
                "Pale ones are extremes, which the time leaves out. The line is the time."));
  axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
  axisRect()->setMargins(QMargins(0, 6, 10, 0));
  xAxis->setTicker(QSharedPointer<CountTicker>::create());
  yAxis->ticker()->setTickCount(3);
  for (QCPBars* bars : {bars_, leftOut_})
    bars->setWidth(0.8);
  restyle();
}

void MicroBatchPlot::show(const MeasureResult& result) {
  result_ = result;
  times_.clear();
  counted_.clear();
  at_ = -1;
  if (result.evaluation) {
    const std::span<const double> times = microBatches(result);
    times_.assign(times.begin(), times.end());
    counted_ = countedBatches(result.evaluation->speed, times);
  }
  refresh();
}

void MicroBatchPlot::refresh() {
  tell({}, {});
  QVector<double> at[2], seconds[2];
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const int which = counted_[i] ? 0 : 1;
    at[which].append(double(i + 1));
    seconds[which].append(times_[i] * 1e6);
  }
  bars_->setData(at[0], seconds[0], true);
  leftOut_->setData(at[1], seconds[1], true);
  time_->setVisible(!times_.empty());
  if (!times_.empty()) {
    const double time = evaluatedSeconds(result_.evaluation->speed, times_) * 1e6;
    time_->point1->setCoords(0, time);
    time_->point2->setCoords(1, time);
    xAxis->setRange(0.4, std::max(double(times_.size()), 5.0) + 0.6);
    yAxis->setRange(0, 1.12e6 * *std::ranges::max_element(times_));
  }
  replot(QCustomPlot::rpQueuedReplot);
}

void MicroBatchPlot::restyle() {
  Chart::restyle();
  const Colours& c = colours();
  xAxis->grid()->setVisible(false);
  explainAxis(*xAxis, tr("micro-batch"), tr("Number of the micro-batch, in order of time."));
  explainAxis(*yAxis, tr("µs a run"),
              tr("Time of one run, in microseconds: the micro-batch's, divided by its runs. Lower "
                 "is faster."));
  bars_->setBrush(faded(c.accent, c.dark ? 170 : 150));
  bars_->setPen(Qt::NoPen);
  leftOut_->setBrush(faded(c.dim, 60));
  leftOut_->setPen(QPen(c.dim, 1, Qt::DotLine));
  time_->setPen(QPen(c.text, 1.2, Qt::DashLine));
  replot(QCustomPlot::rpQueuedReplot);
}

std::optional<int> MicroBatchPlot::pointAt(const QPointF& position) const {
  const int batch = int(std::lround(xAxis->pixelToCoord(position.x()))) - 1;
  if (!axisRect()->rect().contains(position.toPoint()) || batch < 0 || batch >= int(times_.size()))
    return std::nullopt;
  return batch;
}

QString MicroBatchPlot::describe(int batch) const {
  const auto i = static_cast<std::size_t>(batch);
  QString text = tr("micro-batch %1 of %2: %3 a run, %4 runs")
                     .arg(batch + 1)
                     .arg(times_.size())
                     .arg(timeText(times_[i]))
                     .arg(result_.runsPerRepeat);
  if (!counted_[i]) text += tr("\nAn extreme: the time leaves it out.");
  if (batch > 0) {
    const double vary =
        variationOfSpeeds(result_.evaluation->speed, std::span(times_).first(i + 1));
    text += tr("\nUp to here the speeds vary by %1.").arg(percentText(vary));
  }
  return text;
}

bool MicroBatchPlot::walk(int step) {
  if (times_.empty()) return false;
  const int last = int(times_.size()) - 1;
  at_ = at_ < 0 ? (step > 0 ? 0 : last) : std::clamp(at_ + step, 0, last);
  tell({xAxis->coordToPixel(at_ + 1), height() / 3.0}, describe(at_));
  return true;
}

ExportTable MicroBatchPlot::table() const {
  std::vector<QStringList> rows;
  for (std::size_t i = 0; i < times_.size(); ++i)
    rows.push_back({QString::number(i + 1), QString::number(times_[i] * 1e6, 'g', 6),
                    QString::number(result_.runsPerRepeat), counted_[i] ? tr("yes") : tr("no")});
  return tableOfRows({tr("micro-batch"), tr("µs a run"), tr("runs"), tr("counted")},
                     std::move(rows));
}

MicroBatchView::MicroBatchView(QWidget* parent)
    : QWidget(parent), plot_(new MicroBatchPlot(this)), reason_(new QLabel(this)) {
  plot_->setFixedHeight(fontMetrics().height() * 8);
  reason_->setWordWrap(true);
  reason_->setContentsMargins(8, 2, 8, 4);
  reason_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  reason_->setAccessibleName(tr("Why no further micro-batch was made"));
  reason_->setToolTip(tr("How many micro-batches were made, why no more, and how much their "
                         "speeds vary: the standard deviation over the mean."));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(plot_);
  layout->addWidget(reason_);
  connect(&Theme::instance(), &Theme::changed, this, &MicroBatchView::restyle);
  restyle();
  setVisible(false);
}

void MicroBatchView::show(const MeasureResult& result) {
  plot_->show(result);
  const bool has = result.evaluation && !microBatches(result).empty();
  reason_->setText(has ? qs(evaluationText(result)) : QString());
  setVisible(has);
}

QString MicroBatchView::reason() const {
  return reason_->text();
}

void MicroBatchView::restyle() {
  reason_->setFont(smallFont());
  setTextColour(reason_, colours().dim);
}

} // namespace nestwright::ui

#include "moc_micro_batch_view.cpp"
