#include "ui/lab/learning_curves_page.h"

#include "ui/charts/series_plot.h"
#include "ui/kit/colours.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/lab/figure_model.h"
#include "ui/lab/lab_parts.h"

#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// Where the interval is none, the figure itself.
double lowOf(const BoundedFigure& figure) {
  return std::isfinite(figure.bounds.low) ? figure.bounds.low : figure.value;
}
double highOf(const BoundedFigure& figure) {
  return std::isfinite(figure.bounds.high) ? figure.bounds.high : figure.value;
}

QString modelsText(std::size_t count) {
  return count == 1 ? LearningCurvesPage::tr("one model")
                    : LearningCurvesPage::tr("%1 models").arg(countText(qint64(count)));
}

} // namespace

LearningCurvesPage::LearningCurvesPage(QWidget* parent) : QWidget(parent) {
  figure_ = narrowChoiceBox(this, tr("Figure"),
                            tr("What is drawn of the models, by how much they learned from."));
  figure_->setMinimumContentsLength(24); // "Top-20, mean of networks"
  legend_ = wordsLabel(this);
  plot_ = new SeriesPlot(this, tr("Figures of models by the programs that they learned from"));
  auto* flow = new FlowLayout(nullptr, 4);
  flow->setContentsMargins(6, 4, 6, 2);
  flow->addWidget(figure_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(flow);
  column->addWidget(legend_);
  column->addWidget(plot_, 1);
  connect(figure_, &QComboBox::activated, this, &LearningCurvesPage::draw);
  connect(plot_, &SeriesPlot::picked, this, [this](double programs) {
    marked_ = programs;
    draw();
  });
  connect(&Theme::instance(), &Theme::changed, this, &LearningCurvesPage::restyle);
  restyle();
}

void LearningCurvesPage::restyle() {
  setTextColour(legend_, colours().dim);
  legend_->setFont(smallFont());
}

void LearningCurvesPage::showLook(const JudgedLook& look) {
  const bool same = look.judged == look_.judged && look.k == look_.k;
  const bool sameModels = look.judged == look_.judged;
  look_ = look;
  if (same) return;
  if (!sameModels) {
    curves_ = look.judged ? learningCurves(*look.judged) : std::vector<LearningCurve>();
    marked_ = -1;
  }
  fillFigures();
  draw();
}

/// Scores of networks first; the same kind of figure stays chosen.
void LearningCurvesPage::fillFigures() {
  const QString before = figure_->currentData(Qt::UserRole + 1).toString();
  figure_->clear();
  if (!look_.judged) return;
  const ModelEvaluation& evaluation = look_.judged->evaluation;
  FigureModel rows;
  rows.show(look_.judged, look_.k);
  for (int row = 0; row < rows.rowCount(); ++row) {
    const FigureId& id = rows.id(row);
    const auto place = std::ranges::find(evaluation.comparison.ids, id);
    figure_->addItem(figureTitle(id, evaluation), int(place - evaluation.comparison.ids.begin()));
    // Whichever number of favourites it is of.
    figure_->setItemData(row, QStringLiteral("%1 %2").arg(name(id.figure)).arg(id.network),
                         Qt::UserRole + 1);
  }
  const int again = figure_->findData(before, Qt::UserRole + 1);
  const int mean =
      figure_->findData(QStringLiteral("%1 0").arg(name(Figure::MeanOfNetworks)), Qt::UserRole + 1);
  figure_->setCurrentIndex(std::max(0, again >= 0 ? again : mean));
}

std::size_t LearningCurvesPage::chosen() const {
  return std::size_t(std::max(0, figure_->currentData().toInt()));
}

QString LearningCurvesPage::title() const {
  return figure_->count() == 0 ? tr("Learning curves")
                               : tr("%1, by the programs learned from").arg(figure_->currentText());
}

/// "mlp, lambdarank", and a file's name where another curve is called so, too.
QString LearningCurvesPage::nameOf(const LearningCurve& curve) const {
  const auto brief = [](const LearningCurve& of) {
    return of.loss.empty() ? qs(of.model) : QStringLiteral("%1, %2").arg(qs(of.model), qs(of.loss));
  };
  const auto alike = std::ranges::count(curves_, brief(curve), brief);
  if (alike < 2) return brief(curve);
  const std::size_t first = curve.points.front().models.front();
  return QStringLiteral("%1 (%2)").arg(brief(curve),
                                       modelTitle(look_.judged->evaluation.models[first].name));
}

void LearningCurvesPage::draw() {
  SeriesScene scene;
  bool seeds = false;
  if (curves_.empty()) {
    scene.message =
        tr("No model here has a file that says how much it learned from.\nTrain some on "
           "different numbers of tasks or programs,\nas Learn on the page Data Set "
           "draws them, and add their files.");
    legend_->clear();
    return plot_->show(std::move(scene));
  }
  const std::size_t figure = chosen();
  const ModelEvaluation& evaluation = look_.judged->evaluation;
  scene.xLabel = tr("programs learned from");
  scene.xTip = tr("Programs of the training part, without those that validate: the mean of the "
                  "models of a point.");
  scene.yLabel = figure_->currentText();
  scene.yTip = tr("Points are models that learned from so many programs; those that differ by "
                  "their seeds alone are one point, which is their mean.");
  scene.marked = marked_;
  int colour = 0;
  for (const LearningCurve& curve : curves_) {
    PlotSeries band, line, dots;
    band.shape = PlotSeries::Shape::Band;
    dots.shape = PlotSeries::Shape::Dots;
    band.faint = curves_.size() > 1;
    line.name = nameOf(curve);
    for (PlotSeries* series : {&band, &line, &dots})
      series->colour = colour % int(colours().series.size());
    for (const LearningPoint& point : curve.points) {
      const BoundedFigure& value = point.figures[figure];
      seeds = seeds || point.models.size() > 1;
      for (PlotSeries* series : {&band, &line, &dots})
        series->x.push_back(point.programs);
      band.y.push_back(lowOf(value));
      band.upper.push_back(highOf(value));
      line.y.push_back(value.value);
      dots.y.push_back(value.value);
      scene.stops.push_back(point.programs);
    }
    if (curve.points.size() == 1) { // a band of no width is not seen
      band.shape = PlotSeries::Shape::Line;
      band.x.push_back(band.x.front());
      band.y.push_back(band.upper.front());
      band.upper.clear();
    }
    for (PlotSeries* series : {&band, &line, &dots})
      scene.series.push_back(std::move(*series));
    ++colour;
  }
  for (std::size_t model = 0; model < evaluation.models.size(); ++model)
    if (isYardstick(evaluation.models[model].name))
      scene.references.push_back(
          {evaluation.comparison.models[model][figure].value, qs(evaluation.models[model].name)});
  std::ranges::sort(scene.stops);
  scene.stops.erase(std::ranges::unique(scene.stops).begin(), scene.stops.end());
  scene.describe = [this](double programs) {
    QStringList lines;
    for (const LearningCurve& curve : curves_)
      for (const LearningPoint& point : curve.points)
        if (point.programs == programs)
          lines << tr("%1: %2, of %3 that learned from %4")
                       .arg(nameOf(curve), boundedText(point.figures[chosen()]),
                            modelsText(point.models.size()),
                            programsText(std::size_t(std::lround(programs))));
    return lines.join(QLatin1Char('\n'));
  };
  legend_->setText(seeds ? tr("Bands: 95 % by bootstrap over tasks and seeds. Dotted: random and "
                              "oracle.")
                         : tr("Bands: 95 % by bootstrap over tasks. Models that differ by their "
                              "seeds alone would be one point. Dotted: random and oracle."));
  plot_->show(std::move(scene));
}

ExportTable LearningCurvesPage::table() const {
  std::vector<QStringList> rows;
  const auto number = [](double value) {
    return std::isfinite(value) ? QString::number(value, 'g', 6) : QString();
  };
  for (const LearningCurve& curve : curves_)
    for (const LearningPoint& point : curve.points) {
      const BoundedFigure& value = point.figures[chosen()];
      rows.push_back({nameOf(curve), QString::number(point.programs, 'f', 0),
                      QString::number(point.models.size()), number(value.value),
                      number(value.bounds.low), number(value.bounds.high)});
    }
  return tableOfRows({tr("models"), tr("programs learned from"), tr("seeds"),
                      figure_->currentText(), tr("low, 95 %"), tr("high, 95 %")},
                     std::move(rows));
}

} // namespace nestwright::ui

#include "moc_learning_curves_page.cpp"
