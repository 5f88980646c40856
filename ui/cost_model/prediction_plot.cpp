#include "ui/cost_model/prediction_plot.h"

#include "core/story/calibration.h"
#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/charts/brush.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace nestwright::ui {
namespace {

constexpr double kGrabPixels = 10;
constexpr double kFailedHeight = 0.02; // of the plot

/// Distance of a point from the line between two others.
double segmentDistance(const QPointF& p, const QPointF& a, const QPointF& b) {
  const QPointF along = b - a, to = p - a;
  const double length = QPointF::dotProduct(along, along);
  const double t = length > 0 ? std::clamp(QPointF::dotProduct(to, along) / length, 0.0, 1.0) : 0.0;
  const QPointF off = to - t * along;
  return std::hypot(off.x(), off.y());
}

} // namespace

PredictionPlot::PredictionPlot(QWidget* parent)
    : ZoomableChart(parent, tr("Predicted against measured throughput of programs"),
                    tr("Left and right walk through the programs. The same numbers are in the "
                       "table that Export and Copy as Table give."),
                    QSize(220, 150)),
      marks_(*this, true) {
  setUpPlot(*this);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  unsure_ = new QCPCurve(xAxis, yAxis); // below the points
  for (QCPGraph** graph :
       {&before_, &failed_, &exploring_, &chosen_, &ring_, &hits_, &missed_, &overrated_, &rest_}) {
    *graph = addGraph(xAxis, graph == &failed_ ? yAxis2 : yAxis);
    (*graph)->setLineStyle(QCPGraph::lsNone);
  }
  before_->setName(tr("earlier rounds"));
  chosen_->setName(tr("picked for its score"));
  exploring_->setName(tr("picked at random"));
  failed_->setName(tr("failed"));
  unsure_->setName(tr("± one standard deviation"));
  hits_->setName(tr("fast, as predicted"));
  missed_->setName(tr("fast, but missed"));
  overrated_->setName(tr("overrated"));
  rest_->setName(tr("neither"));
  for (QCPItemLine** line : {&diagonal_, &best_, &predictedLimit_, &measuredLimit_})
    *line = new QCPItemLine(this);
  for (QCPItemText** label : {&diagonalLabel_, &bestLabel_, &predictedLabel_, &measuredLabel_})
    *label = new QCPItemText(this);
  connect(new Brush(this), &Brush::brushed, this, [this](const QRect& area) {
    std::vector<RowId> records;
    for (const Point& point : points_)
      if (layout_ == Layout::Scores && area.contains(pixelOf(point).toPoint()))
        records.push_back(point.program->record);
    if (!records.empty()) Q_EMIT brushed({conditionOf(records)});
  });
  putLegendAbove(*this);
  // What failed has no throughput; it is marked along the bottom on an axis of its own.
  yAxis2->setRange(0, 1);
  restyle();
}

void PredictionPlot::restyle() {
  const Colours& c = colours();
  const double side = 7 * Theme::instance().zoom();
  Chart::restyle();
  const auto points = [&](QCPGraph* graph, QCPScatterStyle::ScatterShape shape, QColor colour,
                          int fill, double size) {
    graph->setScatterStyle(
        QCPScatterStyle(shape, QPen(colour, 1.3), QBrush(faded(colour, fill)), size));
  };
  points(before_, QCPScatterStyle::ssCircle, faded(c.faint, 130), 40, side * 0.6);
  points(chosen_, QCPScatterStyle::ssCircle, c.series[0], 150, side);
  points(exploring_, QCPScatterStyle::ssDiamond, c.series[4], 90, side * 1.2);
  points(failed_, QCPScatterStyle::ssCross, c.failed, 0, side);
  ring_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(c.accent, 3), Qt::NoBrush, side * 2.1));
  unsure_->setPen(QPen(faded(c.series[0], 110), 1));
  hits_->setPen(QPen(c.series[0], 2.4));
  missed_->setPen(QPen(c.series[1], 2.4, Qt::DashLine));
  overrated_->setPen(QPen(c.series[3], 2.4, Qt::DotLine));
  rest_->setPen(QPen(faded(c.faint, 150), 1));
  for (QCPGraph* graph : {hits_, missed_, overrated_, rest_})
    graph->setLineStyle(QCPGraph::lsLine);
  diagonal_->setPen(QPen(c.dim, 1, Qt::DashLine));
  best_->setPen(QPen(c.dim, 1));
  for (QCPItemLine* line : {predictedLimit_, measuredLimit_})
    line->setPen(QPen(faded(c.accent, 170), 1, Qt::DashDotLine));
  for (QCPItemText* label : {diagonalLabel_, bestLabel_, predictedLabel_, measuredLabel_}) {
    styleText(*label);
    label->setBrush(faded(c.base, 190));
    label->setPadding(QMargins(2, 0, 2, 3)); // off its own line
  }
  styleLegend(*legend);
  marks_.restyle();
  refresh();
}

void PredictionPlot::show(PredictionScene scene) {
  if (scene.round != scene_.round) endZoom();
  scene_ = std::move(scene);
  readout_->hide();
  refresh();
}

void PredictionPlot::setLayout(Layout layout) {
  layout_ = layout;
  endZoom();
  readout_->hide();
  refresh();
}

void PredictionPlot::refresh() {
  points_.clear();
  for (int i = 0; i < graphCount(); ++i)
    graph(i)->data()->clear();
  unsure_->data()->clear();
  for (QCPItemLine* line : rankLines_)
    removeItem(line);
  rankLines_.clear();
  const bool scores = layout_ == Layout::Scores;
  for (auto* item : std::initializer_list<QCPAbstractItem*>{
           diagonal_, best_, predictedLimit_, measuredLimit_, diagonalLabel_, bestLabel_,
           predictedLabel_, measuredLabel_})
    item->setVisible(scores && !scene_.programs.empty());
  message_->setVisible(scene_.programs.empty());
  message_->setText(scene_.message);
  legend->clearItems();
  legend->setVisible(!scene_.programs.empty());
  setInteractions(scores ? QCP::iRangeDrag | QCP::iRangeZoom : QCP::Interactions());
  if (scores)
    refreshScores();
  else
    refreshRanks();
  for (const Point& point : points_)
    if (point.program->record == scene_.selected && scores && !point.program->failed())
      ring_->addData(point.x, point.y);
  // A failed one is along the bottom; ranks are lines, of which the right end is what was measured.
  for (const Point& point : points_)
    if (scores && !point.program->failed())
      marks_.add(noteOf(scene_.notes, point.program->record), point.x, point.y);
    else if (!scores)
      marks_.add(noteOf(scene_.notes, point.program->record), 1, point.y2);
  marks_.done();
  replot(QCustomPlot::rpQueuedReplot);
}

// --- scores

void PredictionPlot::refreshScores() {
  const auto add = [&](const PredictedProgram& program, bool now) {
    if (std::isnan(program.share)) return;
    const bool listed = scene_.listed.lists(program.record);
    QCPGraph* graph = program.failed()    ? failed_
                      : !now || !listed   ? before_
                      : program.exploring ? exploring_
                                          : chosen_;
    if (program.failed() && !(now && listed))
      return; // the crosses of all rounds would hide each other
    const double y = program.failed() ? kFailedHeight : program.share;
    graph->addData(program.expected(), y);
    points_.push_back({&program, program.expected(), y, y});
    if (now && listed && !program.failed()) addUnsure(program);
  };
  for (const PredictedProgram* program : scene_.before)
    add(*program, false);
  for (const PredictedProgram* program : scene_.programs)
    add(*program, true);
  before_->setName(scene_.listed.has ? tr("earlier rounds, or not listed by the filter")
                                     : tr("earlier rounds"));
  for (QCPGraph* graph : {chosen_, exploring_, failed_, before_})
    if (!graph->data()->isEmpty()) graph->addToLegend();
  if (!unsure_->data()->isEmpty()) unsure_->addToLegend();
  for (QCPAxis* axis : {xAxis, yAxis}) {
    axis->setTicker(QSharedPointer<QCPAxisTicker>::create());
    axis->setTickLabels(true);
    axis->grid()->setVisible(true);
    axis->setRangeReversed(false);
  }
  yAxis2->setVisible(false);
  explainAxis(*xAxis, tr("predicted share of the fastest program's throughput"),
              tr("What the cost model expected before measuring: 1 is as fast as the task's "
                 "fastest program, 0.5 half as fast. Higher is faster. Of a trained model's score "
                 "only the place in its round counts: what the program at that place gave is what "
                 "was expected."));
  explainAxis(*yAxis, tr("measured share"),
              tr("What measuring gave: 1 is as fast as the task's fastest program, 0.5 half as "
                 "fast. Higher is faster. On the diagonal the model was right."));
  if (!zoomed_) fitScores();
  diagonal_->start->setCoords(-10, -10);
  diagonal_->end->setCoords(10, 10);
  const double corner = std::min(xAxis->range().upper, yAxis->range().upper);
  const bool crosses = corner > std::max(xAxis->range().lower, yAxis->range().lower);
  diagonalLabel_->setText(tr("as predicted"));
  diagonalLabel_->setVisible(crosses);
  // Above the corner where there is room for it: what is beyond the plot is cut.
  const double above = yAxis->coordToPixel(corner) - axisRect()->top();
  diagonalLabel_->setPositionAlignment(
      Qt::AlignRight |
      (above > QFontMetrics(diagonalLabel_->font()).height() + 4 ? Qt::AlignBottom : Qt::AlignTop));
  diagonalLabel_->position->setCoords(corner, corner);
  limitLine(best_, bestLabel_, false, 1, tr("fastest so far"));
  bestLabel_->setVisible(yAxis->range().contains(1));
  const std::vector<RankedPrediction> ranked = ranksOf(scene_.programs);
  const std::size_t k = std::min(scene_.k, ranked.size());
  const bool some = k > 0 && k < ranked.size();
  for (auto* item : std::initializer_list<QCPAbstractItem*>{predictedLimit_, measuredLimit_,
                                                            predictedLabel_, measuredLabel_})
    item->setVisible(some);
  if (!some) return;
  const auto kth = [&](auto rank, auto value) {
    for (const RankedPrediction& r : ranked)
      if (r.*rank == static_cast<int>(k)) return std::invoke(value, *r.program);
    return 0.0;
  };
  limitLine(predictedLimit_, predictedLabel_, true,
            kth(&RankedPrediction::predicted, &PredictedProgram::expected),
            tr("%1 best predicted →").arg(k));
  limitLine(measuredLimit_, measuredLabel_, false,
            kth(&RankedPrediction::measured, &PredictedProgram::share), tr("%1 fastest ↑").arg(k));
}

/// A bar along the predictions, and nothing between it and the next.
void PredictionPlot::addUnsure(const PredictedProgram& program) {
  if (!program.deviation) return;
  const double t = unsure_->dataCount();
  unsure_->addData(t, program.expected() - *program.deviation, program.share);
  unsure_->addData(t + 1, program.expected() + *program.deviation, program.share);
  unsure_->addData(t + 2, std::nan(""), std::nan(""));
}

/// A line across the plot with its name at the end.
void PredictionPlot::limitLine(QCPItemLine* line, QCPItemText* label, bool vertical, double at,
                               const QString& text) {
  label->setText(text);
  for (QCPItemPosition* end : {line->start, line->end, label->position}) {
    end->setTypeX(vertical ? QCPItemPosition::ptPlotCoords : QCPItemPosition::ptAxisRectRatio);
    end->setTypeY(vertical ? QCPItemPosition::ptAxisRectRatio : QCPItemPosition::ptPlotCoords);
  }
  if (vertical) {
    line->start->setCoords(at, 0);
    line->end->setCoords(at, 1);
    label->setPositionAlignment(Qt::AlignHCenter | Qt::AlignBottom);
    label->position->setCoords(at, 1);
  } else {
    line->start->setCoords(0, at);
    line->end->setCoords(1, at);
    label->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    label->position->setCoords(1, at);
  }
}

/// To the programs in sight: where the model's favourites are alike, their order is what matters.
void PredictionPlot::fitScores() {
  constexpr double kLeast = 0.05; // of a share, so that noise does not look like a difference
  struct Span {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    void add(double value) { low = std::min(low, value), high = std::max(high, value); }
  };
  Span x, y;
  for (const Point& point : points_) {
    x.add(point.x);
    if (const std::optional<double>& deviation = point.program->deviation;
        deviation && point.program->round == scene_.round) {
      x.add(point.x - *deviation);
      x.add(point.x + *deviation);
    }
    if (!point.program->failed()) y.add(point.y);
  }
  const auto padded = [](const Span& span) {
    if (span.low > span.high) return QCPRange(0, 1);
    const double missing = std::max(0.0, kLeast - (span.high - span.low)) / 2;
    const double margin = missing + 0.07 * (span.high - span.low + 2 * missing);
    return QCPRange(span.low - margin, span.high + margin);
  };
  xAxis->setRange(padded(x));
  yAxis->setRange(padded(y));
}

// --- ranks

void PredictionPlot::refreshRanks() {
  const std::vector<RankedPrediction> ranked = ranksOf(scene_.programs);
  const double count = std::max<double>(2, static_cast<double>(ranked.size()));
  // First those in the background.
  for (const bool front : {false, true})
    for (const RankedPrediction& r : ranked) {
      const auto k = static_cast<int>(scene_.k);
      if ((r.predicted <= k || r.measured <= k || r.program->record == scene_.selected) == front)
        drawRankLine(r);
    }
  for (QCPGraph* graph : {hits_, missed_, overrated_, rest_})
    graph->addToLegend();
  xAxis->setRange(-0.08, 1.08);
  const auto ends = QSharedPointer<QCPAxisTickerText>::create();
  ends->addTick(0, tr("predicted rank"));
  ends->addTick(1, tr("measured rank"));
  xAxis->setTicker(ends);
  xAxis->grid()->setVisible(true);
  explainAxis(*xAxis, {},
              tr("Each line is a program: its place by prediction on the left, its place by "
                 "measuring on the right. The flatter the lines, the better the model ranks."));
  yAxis->setRangeReversed(true);
  yAxis->setRange(0.2, count + 0.8);
  yAxis->setTicker(QSharedPointer<CountTicker>::create());
  yAxis->grid()->setVisible(false);
  explainAxis(*yAxis, tr("rank in the round, 1 is the fastest"),
              tr("Place of the program among those that were measured in the round. Lower is "
                 "better."));
}

void PredictionPlot::drawRankLine(const RankedPrediction& ranked) {
  const auto k = static_cast<int>(scene_.k);
  const bool promised = ranked.predicted <= k, kept = ranked.measured <= k;
  const QCPGraph* kind = promised ? (kept ? hits_ : overrated_) : (kept ? missed_ : rest_);
  auto* line = new QCPItemLine(this);
  line->start->setCoords(0, ranked.predicted);
  line->end->setCoords(1, ranked.measured);
  QPen pen = kind->pen();
  if (kind != rest_) pen.setWidthF(1.7);
  if (ranked.program->record == scene_.selected) pen = QPen(colours().accent, 4);
  line->setPen(pen);
  rankLines_.push_back(line);
  points_.push_back({ranked.program, 0, static_cast<double>(ranked.predicted),
                     static_cast<double>(ranked.measured)});
}

// --- the mouse and the keyboard

double PredictionPlot::distance(const Point& point, const QPointF& pixel) const {
  const auto at = [&](double x, double y) {
    return QPointF(xAxis->coordToPixel(x), yAxis->coordToPixel(y));
  };
  if (layout_ == Layout::Ranks) return segmentDistance(pixel, at(0, point.y), at(1, point.y2));
  const QPointF off = pixelOf(point) - pixel;
  return std::hypot(off.x(), off.y());
}

QPointF PredictionPlot::pixelOf(const Point& point) const {
  const bool failed = layout_ == Layout::Scores && point.program->failed();
  return {xAxis->coordToPixel(point.x), (failed ? yAxis2 : yAxis)->coordToPixel(point.y)};
}

std::optional<int> PredictionPlot::pointAt(const QPointF& pixel) const {
  return nearestPoint(points_.size(), layout_ == Layout::Ranks ? kGrabPixels / 2 : kGrabPixels,
                      [&](std::size_t point) { return distance(points_[point], pixel); });
}

const PredictedProgram& PredictionPlot::at(int point) const {
  return *points_[static_cast<std::size_t>(point)].program;
}

std::optional<QPointF> PredictionPlot::pixelOf(RowId record) const {
  for (const Point& point : points_)
    if (point.program->record == record) return pixelOf(point);
  return std::nullopt;
}

QString PredictionPlot::describe(int point) const {
  const PredictedProgram& program = at(point);
  QString text = tr("Trial %1, round %2").arg(countText(program.trial)).arg(program.round);
  if (scene_.taskName) text += QStringLiteral("\n") + scene_.taskName(program.task);
  text += program.exploring ? tr("\nPicked at random, to explore") : tr("\nPicked for its score");
  text +=
      tr("\nPredicted %1 of the fastest program's throughput").arg(program.expected(), 0, 'f', 3);
  if (!program.ranking.empty())
    text += tr(": its score %1 counts by its place among those of the round")
                .arg(program.predicted, 0, 'f', 3);
  if (program.deviation)
    text += tr(", ± %1 at one standard deviation\nExpected improvement over the fastest: %2")
                .arg(*program.deviation, 0, 'f', 3)
                .arg(improvementOf(program).value_or(0), 0, 'g', 3);
  const QString note = noteLine(scene_.notes, {NoteAbout::Record, program.record});
  if (program.failed()) return text + tr("\nIt failed, so there is nothing to compare with") + note;
  text += tr("\nMeasured %1 (%2)").arg(program.share, 0, 'f', 3).arg(timeText(program.seconds));
  if (program.share > 1) text += tr(": faster than any before");
  for (const RankedPrediction& ranked : ranksOf(scene_.programs))
    if (ranked.program == &program)
      text += tr("\nRank %1 of its round by prediction, %2 by measurement")
                  .arg(ranked.predicted)
                  .arg(ranked.measured);
  return text + note;
}

void PredictionPlot::choose(int point) {
  Q_EMIT picked(at(point).record);
}

std::optional<Selection> PredictionPlot::grabAt(const QPointF& position) const {
  const std::optional<int> point = pointAt(position);
  return point ? std::optional(Selection{at(*point).task, at(*point).record}) : std::nullopt;
}

/// Through the round's programs by prediction, the best first.
bool PredictionPlot::walk(int step) {
  std::vector<const PredictedProgram*> order = scene_.programs;
  if (order.empty()) return false;
  std::ranges::stable_sort(order, std::ranges::greater(), &PredictedProgram::predicted);
  Q_EMIT picked(
      neighbour(order, scene_.selected, step, WalkFrom::First, &PredictedProgram::record)->record);
  return true;
}

} // namespace nestwright::ui

#include "moc_prediction_plot.cpp"
