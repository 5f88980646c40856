#include "ui/cost_model/quality_plot.h"

#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// Single rounds scatter; the line is the mean over the rounds around each.
constexpr std::size_t kSmoothing = 2;

QString shareText(double value) {
  return QString::number(value, 'f', 2).replace(QLatin1Char('-'), QStringLiteral("−"));
}

} // namespace

QualityPlot::QualityPlot(QWidget* parent)
    : Chart(parent, tr("Quality of the cost model's ranking over the rounds"), {},
            QSize(220, 150)) {
  setUpPlot(*this);
  chance_ = addGraph();
  const auto make = [this](const QString& name, double RoundQuality::*value, int series) {
    Metric metric{name, addGraph(), addGraph(), new QCPItemText(this), value, series};
    metric.dots->setLineStyle(QCPGraph::lsNone);
    metric.label->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    metric.label->setClipToAxisRect(false);
    metric.label->setPadding(QMargins(6, 0, 0, 0));
    metric.label->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    return metric;
  };
  metrics_ = {make(tr("pairs in order"), &RoundQuality::accuracy, 0),
              make(tr("rank correlation"), &RoundQuality::correlation, 1),
              make(tr("recall"), &RoundQuality::recall, 2)};
  half_ = new QCPItemLine(this);
  here_ = new QCPItemLine(this);
  halfLabel_ = new QCPItemText(this);
  halfLabel_->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
  xAxis->setTicker(QSharedPointer<CountTicker>::create());
  restyle();
}

void QualityPlot::restyle() {
  const Colours& c = colours();
  const double side = 5 * Theme::instance().zoom();
  constexpr QCPScatterStyle::ScatterShape kShapes[] = {
      QCPScatterStyle::ssCircle, QCPScatterStyle::ssDiamond, QCPScatterStyle::ssTriangle};
  constexpr Qt::PenStyle kLines[] = {Qt::SolidLine, Qt::DashLine, Qt::DashDotLine};
  Chart::restyle();
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    const QColor colour = c.series[static_cast<std::size_t>(metrics_[i].series)];
    metrics_[i].dots->setScatterStyle(
        QCPScatterStyle(kShapes[i], QPen(faded(colour, 130), 1), Qt::NoBrush, side));
    metrics_[i].line->setPen(QPen(colour, 2.2, kLines[i]));
    metrics_[i].label->setFont(smallFont());
    metrics_[i].label->setColor(colour);
  }
  chance_->setPen(QPen(faded(c.series[2], 150), 1, Qt::DotLine));
  half_->setPen(QPen(c.dim, 1, Qt::DotLine));
  here_->setPen(QPen(faded(c.accent, 150), 1.5));
  styleText(*halfLabel_);
  explainAxis(*xAxis, tr("round"),
              tr("Rounds of the session in their order: each is a batch of programs of one task "
                 "that the model chose and that were measured together."));
  explainAxis(*yAxis, tr("quality of the ranking, 1 is perfect"),
              tr("How well the order that the model gave the programs of a round agrees with "
                 "the measured one, without unit. Higher is better; the legend says which "
                 "measure is which."));
  refresh();
}

void QualityPlot::show(std::vector<RoundQuality> rounds, std::size_t k, int selectedRound,
                       const QString& message, std::function<QString(RowId)> taskName) {
  rounds_ = std::move(rounds);
  k_ = k;
  selected_ = selectedRound;
  taskName_ = std::move(taskName);
  message_->setText(message);
  readout_->hide();
  refresh();
}

void QualityPlot::refresh() {
  const bool some = !rounds_.empty();
  QVector<double> x, chance;
  for (const RoundQuality& round : rounds_) {
    x.append(round.round);
    chance.append(round.chance);
  }
  double low = 0;
  for (Metric& metric : metrics_) {
    std::vector<double> values;
    for (const RoundQuality& round : rounds_) {
      values.push_back(round.*metric.value);
      if (!std::isnan(values.back())) low = std::min(low, values.back());
    }
    const std::vector<double> line = smoothed(values, kSmoothing);
    metric.dots->setData(x, QVector<double>(values.begin(), values.end()), true);
    metric.line->setData(x, QVector<double>(line.begin(), line.end()), true);
  }
  chance_->setData(x, chance, true);
  metrics_[2].name = tr("recall of %1").arg(k_);
  const double first = some ? rounds_.front().round : 0, last = some ? rounds_.back().round : 10;
  const double margin = std::max(0.5, 0.02 * (last - first));
  xAxis->setRange(first - margin, last + margin);
  yAxis->setRange(low - 0.05, 1.05);
  half_->start->setCoords(first - margin, 0.5);
  half_->end->setCoords(last + margin, 0.5);
  halfLabel_->position->setCoords(first - margin, 0.5);
  halfLabel_->setText(tr(" pairs in order by chance"));
  here_->start->setTypeY(QCPItemPosition::ptAxisRectRatio);
  here_->end->setTypeY(QCPItemPosition::ptAxisRectRatio);
  here_->start->setCoords(selected_, 0);
  here_->end->setCoords(selected_, 1);
  here_->setVisible(some && selected_ > 0);
  half_->setVisible(some);
  halfLabel_->setVisible(some);
  message_->setVisible(!some);
  placeLabels();
  replot(QCustomPlot::rpQueuedReplot);
}

/// The names stand in the margin at the right, each near the end of its line, none over another.
void QualityPlot::placeLabels() {
  const QFontMetrics metrics(smallFont());
  int width = 0;
  std::vector<Metric*> order;
  for (Metric& metric : metrics_) {
    double end = std::nan("");
    for (const QCPGraphData& point : *metric.line->data())
      if (!std::isnan(point.value)) end = point.value;
    metric.label->setVisible(!std::isnan(end));
    if (std::isnan(end)) continue;
    metric.label->setText(QStringLiteral("%1  %2").arg(metric.name, shareText(end)));
    metric.label->position->setCoords(1, end);
    width = std::max(width, metrics.horizontalAdvance(metric.label->text()));
    order.push_back(&metric);
  }
  axisRect()->setMargins(QMargins(0, 14, width > 0 ? width + 14 : 18, 0));
  axisRect()->setMinimumMargins(QMargins(52, 14, width > 0 ? width + 14 : 18, 30));
  std::ranges::sort(order, std::ranges::greater(),
                    [](const Metric* metric) { return metric->label->position->coords().y(); });
  const double height = std::max(1, axisRect()->height());
  const double least = yAxis->range().size() * (metrics.height() + 1) / height;
  double above = yAxis->range().upper + least;
  for (Metric* metric : order) {
    const double y = std::min(metric->label->position->coords().y(), above - least);
    metric->label->position->setCoords(1, y);
    above = y;
  }
}

/// The number of the round in the list.
std::optional<int> QualityPlot::pointAt(const QPointF& pixel) const {
  if (rounds_.empty() || !axisRect()->rect().contains(pixel.toPoint())) return std::nullopt;
  const auto nearest = std::ranges::min_element(rounds_, {}, [&](const RoundQuality& round) {
    return std::abs(pixelOf(round.round) - pixel.x());
  });
  return static_cast<int>(nearest - rounds_.begin());
}

QString QualityPlot::describe(int number) const {
  const RoundQuality& round = rounds_[static_cast<std::size_t>(number)];
  QString text = tr("Round %1: %2\n%3 programs that ran\n%4 of the pairs are in the right order\n"
                    "Rank correlation %5")
                     .arg(round.round)
                     .arg(taskName_ ? taskName_(round.task) : QString())
                     .arg(round.programs)
                     .arg(percentText(round.accuracy), shareText(round.correlation));
  if (!round.ranking.empty()) text += tr("\nRanked by %1").arg(qs(round.ranking));
  if (!std::isnan(round.recall))
    text += tr("\n%1 of the %2 fastest are among the %2 best predicted (by chance %3)")
                .arg(percentText(round.recall))
                .arg(k_)
                .arg(percentText(round.chance));
  return text;
}

void QualityPlot::choose(int number) {
  Q_EMIT picked(rounds_[static_cast<std::size_t>(number)].round);
}

bool QualityPlot::walk(int step) {
  if (rounds_.empty()) return false;
  Q_EMIT picked(neighbour(rounds_, selected_, step, WalkFrom::Last, &RoundQuality::round).round);
  return true;
}

void QualityPlot::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  placeLabels();
}

} // namespace nestwright::ui

#include "moc_quality_plot.cpp"
