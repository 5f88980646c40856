#include "ui/lab/label_plot.h"

#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr double kWidth = 1.0 / kLabelBins;

} // namespace

LabelPlot::LabelPlot(QWidget* parent)
    : Chart(parent, tr("Histogram of the labels"),
            tr("Left and right go from bar to bar. Show as Table gives the numbers."),
            QSize(200, 110)),
      bars_(new QCPBars(xAxis, yAxis)), failedBar_(new QCPBars(xAxis, yAxis)) {
  setUpPlot(*this);
  yAxis->setTicker(QSharedPointer<CountTicker>::create());
  yAxis->ticker()->setTickCount(4);
  for (QCPBars* bars : {bars_, failedBar_}) {
    bars->setWidthType(QCPBars::wtPlotCoords);
    bars->setWidth(0.92 * kWidth);
  }
  restyle();
}

void LabelPlot::show(const std::array<std::size_t, kLabelBins>& labels, std::size_t failed) {
  labels_ = labels;
  failed_ = failed;
  shown_ = true;
  refresh();
}

void LabelPlot::restyle() {
  Chart::restyle();
  const Colours& c = colours();
  xAxis->grid()->setVisible(false);
  explainAxis(*xAxis, tr("label: best time of the task / time"),
              tr("What models learn: 1 is as fast as the task's fastest program, 0.5 half as fast. "
                 "Failed programs have 0. Higher is faster."));
  explainAxis(*yAxis, tr("programs"), tr("How many programs have a label within the bar."));
  bars_->setBrush(faded(c.accent, c.dark ? 150 : 130));
  failedBar_->setBrush(faded(c.failed, c.dark ? 150 : 130));
  for (QCPBars* bars : {bars_, failedBar_})
    bars->setPen(Qt::NoPen);
  refresh();
}

void LabelPlot::refresh() {
  showMessageInstead(!shown_);
  at_.reset();
  readout_->hide();
  QVector<double> x, y;
  for (std::size_t bin = 0; shown_ && bin < kLabelBins; ++bin) {
    x.append((double(bin) + 0.5) * kWidth);
    y.append(double(labels_[bin]));
  }
  bars_->setData(x, y, true);
  failedBar_->setData({-0.5 * kWidth}, {double(failed_)}, true);
  failedBar_->setVisible(shown_ && failed_ > 0);
  const double most = std::max(double(*std::ranges::max_element(labels_)), double(failed_));
  xAxis->setRange(failed_ > 0 ? -kWidth : 0, 1);
  yAxis->setRange(0, 1.08 * std::max(1.0, most));
  replot(QCustomPlot::rpQueuedReplot);
}

std::size_t LabelPlot::programs(int bin) const {
  return bin < 0 ? failed_ : labels_[std::size_t(bin)];
}

QString LabelPlot::rangeText(int bin) const {
  return bin < 0 ? tr("failed")
                 : QStringLiteral("%1 … %2")
                       .arg(bin * kWidth, 0, 'f', 1)
                       .arg((bin + 1) * kWidth, 0, 'f', 1);
}

std::optional<int> LabelPlot::pointAt(const QPointF& pixel) const {
  if (!shown_ || !axisRect()->rect().contains(pixel.toPoint())) return std::nullopt;
  const int bin = static_cast<int>(std::floor(xAxis->pixelToCoord(pixel.x()) / kWidth));
  if (bin < (failed_ > 0 ? -1 : 0) || bin >= int(kLabelBins)) return std::nullopt;
  return bin;
}

QString LabelPlot::describe(int bin) const {
  std::size_t all = failed_;
  for (const std::size_t label : labels_)
    all += label;
  const QString share = all > 0 ? percentText(double(programs(bin)) / double(all)) : noValue();
  return bin < 0 ? tr("%1 programs failed (%2)").arg(countText(qint64(programs(bin))), share)
                 : tr("%1 programs (%2) with a label of %3")
                       .arg(countText(qint64(programs(bin))), share, rangeText(bin));
}

bool LabelPlot::walk(int step) {
  if (!shown_) return false;
  const int first = failed_ > 0 ? -1 : 0, last = int(kLabelBins) - 1;
  at_ = at_ ? std::clamp(*at_ + step, first, last) : step > 0 ? first : last;
  tell({xAxis->coordToPixel((*at_ + 0.5) * kWidth), height() / 3.0}, describe(*at_));
  return true;
}

ExportTable LabelPlot::table() const {
  std::vector<QStringList> rows;
  for (int bin = failed_ > 0 ? -1 : 0; shown_ && bin < int(kLabelBins); ++bin)
    rows.push_back({rangeText(bin), QString::number(programs(bin))});
  return tableOfRows({tr("label"), tr("programs")}, std::move(rows));
}

} // namespace nestwright::ui

#include "moc_label_plot.cpp"
