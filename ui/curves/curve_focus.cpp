#include "ui/curves/curve_focus.h"

#include "ui/charts/axis_tip.h"
#include "ui/charts/curve_axes.h"
#include "ui/charts/plot_style.h"
#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

CurveFocus::CurveFocus(QCustomPlot& plot, Document& document)
    : plot_(plot), document_(document), noise_(plot, document),
      shares_(plot.axisRect()->addAxis(QCPAxis::atRight)),
      ticker_(QSharedPointer<ShareTicker>::create()) {
  shares_->setTicker(ticker_);
  shares_->setVisible(false);
  connect(&noise_, &NoiseStrip::changed, this, &CurveFocus::changed);
}

void CurveFocus::restyle() {
  const Colours& c = colours();
  explainAxis(
      *shares_, tr("from the best"),
      tr("How far a value is from the present best of the total, or of the selected task."));
  shares_->setLabelColor(c.dim);
  shares_->setLabelFont(plot_.yAxis->labelFont());
  shares_->setBasePen(QPen(c.line, 1));
  shares_->setTickPen(QPen(c.line, 1));
  shares_->setTickLabelColor(c.dim);
  shares_->setTickLabelFont(plot_.yAxis->tickLabelFont());
  noise_.restyle();
}

void CurveFocus::follow(const CurveOptions& options) {
  options_ = options;
  const TuningHistory& history = document_.session().history();
  const TaskHistory* task = history.find(document_.selection().current().task);
  task_ = task != nullptr ? task->task : 0;
  range_ = progressRange(task != nullptr ? bestCurve(history, *task, options)
                                         : totalCurve(history, options).complete);
  seconds_ = !range_ ? 0 : task != nullptr ? task->best() : history.total().back().seconds;
}

double CurveFocus::valueOf(double seconds) const {
  const TuningHistory& history = document_.session().history();
  if (const TaskHistory* task = history.find(task_))
    return yValue(seconds, task->flops, task->naiveSeconds, options_);
  return yValue(seconds, history.totalFlops(), history.naiveTotal(), options_);
}

QString CurveFocus::since() const {
  static constexpr double kWorthSaying = 0.005;
  if (!range_ || std::abs(range_->change()) < kWorthSaying) return {};
  return tr("%1 since %2")
      .arg(changeText(range_->change()),
           options_.x == XAxis::Trials ? tr("trial %1").arg(countText(std::llround(range_->from)))
                                       : xText(range_->from, options_.x));
}

QCPRange CurveFocus::wanted(const std::vector<double>& others) const {
  static constexpr double kLeast = 1.05, kNearlyAsGood = 1.25, kRoom = 0.12;
  double low = std::min(range_->before, range_->now), high = std::max(range_->before, range_->now);
  const auto include = [&](double value) {
    if (!std::isfinite(value) || value <= 0) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  if (const std::optional<NoiseBand> noise = noise_.band(task_)) {
    include(valueOf(seconds_ * noise->low * noise->low));
    include(valueOf(seconds_ * noise->high * noise->high));
  }
  include(valueOf(seconds_ / kLeast));
  include(valueOf(seconds_ * kLeast));
  if (task_ != 0 && options_.showTrials) include(valueOf(seconds_ * kNearlyAsGood));
  for (const double value : others)
    if (value > low / 2 && value < high * 2) include(value);
  if (!options_.logarithmic) return {low - kRoom * (high - low), high + kRoom * (high - low)};
  const double room = std::pow(high / low, kRoom);
  return {low / room, high * room};
}

void CurveFocus::draw() {
  if (hasCurve())
    noise_.show(task_, seconds_, [this](double seconds) { return valueOf(seconds); });
  else
    noise_.hide();
  const QCPRange& range = plot_.yAxis->range();
  const bool near = hasCurve() && range.lower > 0 && range.upper < 4 * range.lower;
  shares_->setVisible(near);
  shares_->setScaleType(plot_.yAxis->scaleType());
  shares_->setRange(range);
  ticker_->setReference(near ? range_->now : 0);
}

} // namespace nestwright::ui

#include "moc_curve_focus.cpp"
