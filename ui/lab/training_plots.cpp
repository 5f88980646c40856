#include "ui/lab/training_plots.h"

#include "ui/charts/series_plot.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/theme.h"
#include "ui/lab/training_curves.h"
#include "ui/lab/training_list.h"

#include <QLabel>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

/// So wide it has its plots beside each other.
constexpr int kPlotsBeside = 620;

} // namespace

TrainingPlots::TrainingPlots(const TrainingList& list, QWidget* parent)
    : FlowSplitter(kPlotsBeside, parent), list_(list) {
  losses_ = add(tr("Losses by epoch"), tr("╌╌ learned from   ── validation"));
  scores_ = add(tr("Top-1 and top-5 on the validation by epoch"),
                tr("── top-1   ╌╌ top-5, on the validation"));
  connect(&list, &QAbstractItemModel::dataChanged, this, &TrainingPlots::refresh);
  connect(&list, &QAbstractItemModel::rowsInserted, this, &TrainingPlots::refresh);
  connect(&list, &QAbstractItemModel::rowsRemoved, this, &TrainingPlots::refresh);
  connect(&list, &QAbstractItemModel::modelReset, this, &TrainingPlots::refresh);
  connect(&Theme::instance(), &Theme::changed, this, &TrainingPlots::restyle);
  restyle();
}

SeriesPlot* TrainingPlots::add(const QString& name, const QString& legend) {
  auto* box = new QWidget(this);
  auto* label = new QLabel(legend, box);
  label->setContentsMargins(8, 2, 8, 0);
  label->setMinimumWidth(1);
  legends_.push_back(label);
  auto* plot = new SeriesPlot(box, name);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(label);
  column->addWidget(plot, 1);
  addWidget(box);
  connect(plot, &SeriesPlot::picked, this, [this](double epoch) {
    marked_ = epoch;
    refresh();
  });
  return plot;
}

void TrainingPlots::choose(const QString& file) {
  chosen_ = file;
  marked_ = -1;
  refresh();
}

void TrainingPlots::refresh() {
  stale_ = !isVisible();
  if (stale_) return;
  const int row = list_.rowOf(chosen_);
  losses_->show(lossScene(list_.rows(), row, marked_));
  scores_->show(scoreScene(list_.rows(), row, marked_));
}

void TrainingPlots::showEvent(QShowEvent* event) {
  FlowSplitter::showEvent(event);
  if (stale_) refresh();
}

void TrainingPlots::restyle() {
  for (QLabel* label : legends_) {
    setTextColour(label, colours().dim);
    label->setFont(smallFont());
  }
}

} // namespace nestwright::ui

#include "moc_training_plots.cpp"
