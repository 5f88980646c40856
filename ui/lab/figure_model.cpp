#include "ui/lab/figure_model.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QFont>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

bool isScore(Figure figure) {
  return figure == Figure::MeanOfNetworks || figure == Figure::RatioOfSums ||
         figure == Figure::Network;
}

/// Networks first: what a search gets.
int placeOf(Figure figure) {
  switch (figure) {
  case Figure::Network:
    return 0;
  case Figure::MeanOfNetworks:
    return 1;
  case Figure::RatioOfSums:
    return 2;
  case Figure::FailedPicksAt:
    return 3;
  case Figure::RecallAt:
    return 4;
  case Figure::AveragePeakAt:
    return 5;
  case Figure::PairwiseAccuracy:
    return 6;
  case Figure::RankCorrelation:
    return 7;
  default:
    return 8;
  }
}

/// 1: higher is better, -1: lower is.
int betterWay(const FigureId& id) {
  return id.figure == Figure::Rmse || id.figure == Figure::Mape ||
                 id.figure == Figure::FailedPicksAt
             ? -1
             : 1;
}

/// What it is, and which way is better.
QString figureMeaning(const FigureId& id) {
  switch (id.figure) {
  case Figure::Rmse:
    return FigureModel::tr("Root mean square of prediction less label. Lower is better; the order "
                           "of programs, which a search needs, is another matter.");
  case Figure::RSquared:
    return FigureModel::tr("Share of the labels' variance that the predictions explain. Higher is "
                           "better; 1 is all, below 0 it is worse than the mean.");
  case Figure::Mape:
    return FigureModel::tr("Mean of how far predictions are off, in parts of the label. Lower is "
                           "better.");
  case Figure::PairwiseAccuracy:
    return FigureModel::tr("Share of a task's pairs of programs that are in the right order. "
                           "Higher is better; 0.5 is chance.");
  case Figure::RankCorrelation:
    return FigureModel::tr("Agreement of predicted and measured order. Higher is better: 1 is the "
                           "same, 0 none, −1 the reverse.");
  case Figure::RecallAt:
    return FigureModel::tr("How many of the %1 fastest programs are among the %1 favourites. "
                           "Higher is better.")
        .arg(id.k);
  case Figure::AveragePeakAt:
    return FigureModel::tr("Mean over 1 to %1 favourites of how near their fastest comes to the "
                           "best. Higher is better; 1 is the best itself.")
        .arg(id.k);
  case Figure::FailedPicksAt:
    return FigureModel::tr("Share of the %1 favourites that failed. Lower is better.").arg(id.k);
  case Figure::MeanOfNetworks:
    return FigureModel::tr("Mean of the networks' scores, as TenSet takes it. Higher is better; 1 "
                           "is the best that there is.");
  case Figure::RatioOfSums:
    return FigureModel::tr("All networks' best times by the times that measuring %1 favourites "
                           "gives, as TLP takes it. Higher is better; 1 is the best that there is.")
        .arg(id.k);
  case Figure::Network:
    return FigureModel::tr("The network's best time by the time that measuring %1 favourites of "
                           "each task gives; one that failed counts as 100,000 times the best. "
                           "Higher is better; 1 is the best that there is.")
        .arg(id.k);
  }
  return {};
}

} // namespace

QString figureTitle(const FigureId& id, const ModelEvaluation& evaluation) {
  return capitalised(taskTitle(inWords(id, evaluation)));
}

FigureModel::FigureModel(QObject* parent) : TableModel(parent) {
  setColumns(columns());
}

void FigureModel::show(Judged judged, std::size_t k) {
  beginResetModel();
  judged_ = std::move(judged);
  rows_.clear();
  order_.clear();
  if (judged_) {
    const ModelEvaluation& evaluation = judged_->evaluation;
    order_ = shownOrder(evaluation);
    const std::vector<FigureId>& ids = evaluation.comparison.ids;
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (ids[i].k == 0 || ids[i].k == evaluation.ks[k]) rows_.push_back(i);
    std::ranges::stable_sort(rows_, {}, [&](std::size_t i) { return placeOf(ids[i].figure); });
  }
  setColumns(columns());
  endResetModel();
}

const FigureId& FigureModel::id(int at) const {
  return judged_->evaluation.comparison.ids[row(at)];
}

const BoundedFigure& FigureModel::at(std::size_t figure, std::size_t model) const {
  return judged_->evaluation.comparison.models[model][figure];
}

bool FigureModel::isBest(std::size_t figure, std::size_t model) const {
  const ModelEvaluation& evaluation = judged_->evaluation;
  if (isYardstick(evaluation.models[model].name)) return false;
  const int way = betterWay(evaluation.comparison.ids[figure]);
  std::size_t others = 0;
  for (const std::size_t other : order_) {
    if (other == model || isYardstick(evaluation.models[other].name)) continue;
    ++others;
    if (way * at(figure, other).value > way * at(figure, model).value) return false;
  }
  return others > 0;
}

FigureModel::Columns FigureModel::columns() const {
  Columns columns{
      {.title = tr("Figure"),
       .tip = tr("What is said of the models; point at a row for what it means and which way is "
                 "better."),
       .text = [this](const std::size_t& row) {
         return figureTitle(judged_->evaluation.comparison.ids[row], judged_->evaluation);
       }}};
  for (const std::size_t model : order_) {
    const ModelEvaluation& evaluation = judged_->evaluation;
    const bool seen = evaluation.models[model].seen.value_or(1) > 0;
    columns.push_back(
        {.title =
             modelTitle(evaluation.models[model].name) + (seen ? QStringLiteral(" ⚠") : QString()),
         .tip = QStringLiteral("%1\n%2\n%3")
                    .arg(qs(evaluation.models[model].name), knownText(evaluation, model),
                         tr("In brackets: 95 % by bootstrap over tasks. Bold: the best of the "
                            "models.")),
         .text = [this, model](const std::size_t& row) { return boundedText(at(row, model)); },
         .align = kRight,
         .sort = [this, model](const std::size_t& row) { return at(row, model).value; },
         .bare = [this, model](const std::size_t& row) { return at(row, model).value; },
         .fraction = [this, model](const std::size_t& row) -> QVariant {
           const double value = at(row, model).value;
           if (!isScore(judged_->evaluation.comparison.ids[row].figure) || !std::isfinite(value))
             return {};
           return std::clamp(value, 0.0, 1.0);
         },
         .other = [this, model](const std::size_t& row, int role) -> QVariant {
           if (role != Qt::FontRole || !isBest(row, model)) return {};
           QFont bold;
           bold.setBold(true);
           return bold;
         }});
  }
  return columns;
}

QVariant FigureModel::rowData(const std::size_t& figure, int role) const {
  if (role != Qt::ToolTipRole) return {};
  const FigureId& id = judged_->evaluation.comparison.ids[figure];
  return figureTitle(id, judged_->evaluation) + QStringLiteral("\n") + figureMeaning(id);
}

} // namespace nestwright::ui

#include "moc_figure_model.cpp"
