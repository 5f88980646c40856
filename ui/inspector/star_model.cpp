#include "ui/inspector/star_model.h"

#include "ui/inspector/star_plot.h"
#include "ui/kit/format.h"
#include "ui/kit/table/count_column.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

qint64 failedOf(const StarRay& ray) {
  return std::ranges::count_if(ray.neighbours, &StarNeighbour::failed);
}

} // namespace

StarModel::StarModel(QObject* parent) : TableModel(parent) {
  using Row = StarRay;
  setColumns(
      {{.title = tr("Decision"),
        .tip = tr("What was chosen otherwise in each neighbour."),
        .text = [](const Row& row) { return qs(row.decision); },
        .toolTip = [](const Row& row) { return qs(row.decision); }},
       {.title = tr("Matters by"),
        .tip = tr("The geometric mean of how many times its neighbours' times differ from their "
                  "parents', slower or faster; 1× does not matter."),
        .text = [](const Row& row) { return starFactor(row.importance); },
        .align = kRight,
        .sort = [](const Row& row) -> QVariant { return row.importance; },
        .bare = [](const Row& row) -> QVariant { return row.importance; },
        .fraction = [this](const Row& row) -> QVariant {
          const double most = std::log(rows_.front().importance);
          return most > 0 ? std::log(row.importance) / most : 0.0;
        },
        .firstOrder = Qt::DescendingOrder},
       {.title = tr("Most gained"),
        .tip =
            tr("By how much the fastest of its neighbours is faster than its parent; 0 where none "
               "is."),
        .text = [](const Row& row) { return percentText(row.bestGain); },
        .align = kRight,
        .sort = [](const Row& row) -> QVariant { return row.bestGain; },
        .bare = [](const Row& row) -> QVariant { return row.bestGain; },
        .firstOrder = Qt::DescendingOrder},
       countColumn<Row>(
           tr("Neighbours"), tr("How many other choices were measured."),
           [](const Row& row) -> qint64 { return std::ssize(row.neighbours); },
           Qt::DescendingOrder),
       countColumn<Row>(tr("Failed"), tr("Neighbours of these that failed."), failedOf,
                        Qt::DescendingOrder)});
}

void StarModel::show(const PolishStar& star) {
  setRows(star.rays);
}

} // namespace nestwright::ui

#include "moc_star_model.cpp"
