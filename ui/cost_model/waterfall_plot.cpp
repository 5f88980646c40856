#include "ui/cost_model/waterfall_plot.h"

#include "ui/charts/axis_tip.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace nestwright::ui {
namespace {

constexpr std::size_t kMostParts = 24;
constexpr std::size_t kLeastParts = 3;
/// Of a step's words.
constexpr int kMostLetters = 38;
constexpr double kHalfBar = 0.36;

/// Places of the parts that matter most, in their own order.
std::vector<std::size_t> largest(const std::vector<ScorePart>& parts, std::size_t count) {
  std::vector<std::size_t> places(parts.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, std::greater(),
                           [&](std::size_t i) { return std::abs(parts[i].added); });
  places.resize(std::min(count, places.size()));
  std::ranges::sort(places);
  return places;
}

QString barName(const ScorePart& part) {
  return part.name.size() <= kMostLetters ? part.name
                                          : part.name.left(kMostLetters - 1) + QStringLiteral("…");
}

} // namespace

WaterfallPlot::WaterfallPlot(QWidget* parent)
    : Chart(parent, tr("What each feature or step added to the program's score"),
            tr("Show as Table gives the numbers."), QSize(260, 150)) {
  setUpPlot(*this);
  yAxis->setRangeReversed(true);
  restyle();
}

void WaterfallPlot::restyle() {
  Chart::restyle();
  yAxis->grid()->setVisible(false);
  yAxis->setTickPen(Qt::NoPen);
  yAxis->setTickLabelColor(colours().text);
  refresh();
}

void WaterfallPlot::show(const ScoreStory& story) {
  story_ = story;
  message_->setText({});
  readout_->hide();
  refresh();
}

void WaterfallPlot::showMessage(const QString& message) {
  story_ = {};
  message_->setText(message);
  readout_->hide();
  refresh();
}

void WaterfallPlot::explainAxes() {
  if (isShare())
    explainAxis(*xAxis, tr("score: expected share of the fastest program's throughput"),
                tr("What the cost model expects of the program: 1 is as fast as the task's fastest "
                   "program. Each bar goes from the score without its feature or step to the score "
                   "with it. Higher is better."));
  else
    explainAxis(*xAxis, tr("score: higher is faster"),
                tr("The model orders programs: its score has no unit. Each bar goes from the score "
                   "without its feature or step to the score with it."));
  explainAxis(*yAxis, {},
              isBySteps(story_)
                  ? tr("Steps of the program, in their order; below them what all the others did "
                       "together. Click one to see it in the program.")
                  : tr("Features of the program, the one that moved the score most first; below "
                       "them what all the others did together."));
}

void WaterfallPlot::makeBars(std::size_t parts) {
  bars_.clear();
  if (story_.record == 0) return;
  double at = story_.bias;
  bars_.push_back({tr("before anything is known"),
                   tr("What the model expects when nothing of the program is known."), 0, at,
                   true});
  const auto add = [&](const QString& name, const QString& tip, double added, int step) {
    bars_.push_back({name, tip, at, at + added, false, step});
    at += added;
  };
  const bool steps = isBySteps(story_);
  const std::vector<std::size_t> shown = largest(story_.parts, parts);
  double rest = 0;
  for (const ScorePart& part : story_.parts)
    rest += part.added;
  for (const std::size_t i : shown) {
    const ScorePart& part = story_.parts[i];
    add(barName(part), steps ? part.name : part.meaning + QLatin1Char('\n') + part.details,
        part.added, part.step);
    rest -= part.added;
  }
  if (const std::size_t others = story_.parts.size() - shown.size(); others > 0)
    add(others == 1 ? (steps ? tr("one other step") : tr("one other feature"))
        : steps     ? tr("%1 other steps").arg(others)
                    : tr("%1 other features").arg(others),
        tr("Those that matter less, together. Export as CSV lists them all."), rest, -1);
  bars_.push_back({tr("score"),
                   tr("What the model expects of this program: everything above together."), 0,
                   story_.score, true});
}

bool WaterfallPlot::isShare() const {
  return story_.ranking.isEmpty();
}

std::pair<double, double> WaterfallPlot::extent() const {
  double low = isShare() ? 0 : story_.bias, high = isShare() ? 0.1 : story_.bias;
  const auto reach = [&](double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const Bar& bar : bars_)
    reach(bar.to);
  if (story_.predictedBefore) reach(*story_.predictedBefore);
  if (!isShare())
    low -= 0.12 * std::max(high - low, 1e-6);
  else if (story_.measured)
    reach(*story_.measured);
  return {low, high};
}

void WaterfallPlot::clearItems() {
  for (QCPAbstractItem* item : items_)
    removeItem(item);
  items_.clear();
}

void WaterfallPlot::drawBar(const Bar& bar, double from, double row) {
  const Colours& c = colours();
  const double added = bar.to - from;
  const QColor colour = bar.total ? c.dim : added >= 0 ? c.series[0] : c.series[1];
  auto* rect = new QCPItemRect(this);
  rect->topLeft->setCoords(std::min(from, bar.to), row - kHalfBar);
  rect->bottomRight->setCoords(std::max(from, bar.to), row + kHalfBar);
  rect->setBrush(faded(colour, bar.total ? 110 : 170));
  rect->setPen(QPen(colour, 1));
  items_.push_back(rect);
  auto* label = new QCPItemText(this);
  label->setText(bar.total ? QString::number(bar.to, 'f', 3) : signedText(added));
  label->setFont(smallFont());
  label->setColor(c.text);
  label->setBrush(faded(c.base, 215));
  label->setPadding(QMargins(5, 0, 5, 0));
  label->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  label->position->setCoords(std::max(from, bar.to), row);
  items_.push_back(label);
  if (row + 1 >= static_cast<double>(bars_.size())) return;
  auto* line = new QCPItemLine(this);
  line->start->setCoords(bar.to, row + kHalfBar);
  line->end->setCoords(bar.to, row + 1 - kHalfBar);
  line->setPen(QPen(c.faint, 1));
  items_.push_back(line);
}

void WaterfallPlot::drawMark(const std::optional<double>& value, const QString& text,
                             Qt::PenStyle style, double row) {
  if (!value) return;
  auto* line = new QCPItemLine(this);
  line->start->setCoords(*value, -0.5);
  line->end->setCoords(*value, static_cast<double>(bars_.size()) - 0.5);
  line->setPen(QPen(colours().accent, 1.4, style));
  items_.push_back(line);
  auto* label = new QCPItemText(this);
  label->setText(QStringLiteral("%1 %2").arg(text).arg(*value, 0, 'f', 3));
  label->setFont(smallFont());
  label->setColor(colours().accent);
  label->setBrush(faded(colours().base, 200));
  label->setPadding(QMargins(4, 0, 4, 0));
  label->setPositionAlignment((*value > xAxis->range().center() ? Qt::AlignRight : Qt::AlignLeft) |
                              Qt::AlignVCenter);
  label->position->setCoords(*value, row);
  items_.push_back(label);
}

void WaterfallPlot::refresh() {
  clearItems();
  const double line = QFontMetricsF(smallFont()).height() * 1.35;
  const double room = std::max(0.0, height() - 50.0) / line - 4;
  explainAxes();
  makeBars(std::clamp(static_cast<std::size_t>(std::max(0.0, room)), kLeastParts, kMostParts));
  showMessageInstead(bars_.empty());
  const auto names = QSharedPointer<QCPAxisTickerText>::create();
  for (std::size_t i = 0; i < bars_.size(); ++i)
    names->addTick(static_cast<double>(i), bars_[i].name);
  const auto [low, high] = extent();
  yAxis->setTicker(names);
  yAxis->setRange(-0.7, static_cast<double>(bars_.size()) - 0.3);
  // Room for the numbers beside the bars.
  xAxis->setRange(low - 0.02 * (high - low), high + 0.14 * (high - low));
  if (isShare()) drawMark(story_.measured, tr("measured"), Qt::SolidLine, 0);
  drawMark(story_.predictedBefore, tr("when proposed"), Qt::DashLine, 1);
  // A score without a unit has no zero to begin at.
  const double floor = isShare() ? 0 : low;
  for (std::size_t i = 0; i < bars_.size(); ++i)
    drawBar(bars_[i], bars_[i].total ? floor : bars_[i].from, static_cast<double>(i));
  replot(QCustomPlot::rpQueuedReplot);
}

std::optional<int> WaterfallPlot::pointAt(const QPointF& pixel) const {
  const auto row = static_cast<int>(std::lround(yAxis->pixelToCoord(pixel.y())));
  return row >= 0 && row < std::ssize(bars_) ? std::optional(row) : std::nullopt;
}

QString WaterfallPlot::describe(int row) const {
  const Bar& bar = bars_[static_cast<std::size_t>(row)];
  return bar.name + QLatin1Char('\n') + bar.tip;
}

void WaterfallPlot::choose(int row) {
  if (const int step = bars_[static_cast<std::size_t>(row)].step; step >= 0)
    Q_EMIT stepPicked(step);
}

/// Features cannot be chosen.
void WaterfallPlot::hover(const QPointF& position) {
  if (isBySteps(story_))
    Chart::hover(position);
  else
    tellOfPointAt(position);
}

void WaterfallPlot::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  refresh();
}

} // namespace nestwright::ui

#include "moc_waterfall_plot.cpp"
