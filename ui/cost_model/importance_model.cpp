#include "ui/cost_model/importance_model.h"

#include "ui/kit/format.h"
#include "ui/kit/table/dimmed.h"

namespace nestwright::ui {

ImportanceModel::ImportanceModel(QObject* parent) : TableModel(parent) {
  const auto rank = [this](const FeatureShare& feature) { return numberOf(feature) + 1; };
  const auto share = [](const FeatureShare& feature) { return feature.share; };
  setColumns(
      {{.title = tr("#"),
        .tip = tr("Rank by share of gain."),
        .text = [rank](const FeatureShare& feature) { return QString::number(rank(feature)); },
        .align = kRight,
        .sort = rank,
        .bare = rank,
        .colour = kDimmed},
       {.title = tr("Feature"),
        .tip = tr("A number that describes a program to the cost model. B0, B1 … are the buffers "
                  "that a statement reads and writes."),
        .text = [](const FeatureShare& feature) { return feature.name; }},
       {.title = tr("Share of gain"),
        .tip = tr("Each split of the model's trees lowers the error of its predictions: that is "
                  "its gain. This is the share of the gain of all splits that splits by this "
                  "feature have. It says what the model looks at, not which way; see Explanation "
                  "for that."),
        .text = [](const FeatureShare& feature) { return percentText(feature.share); },
        .align = kRight,
        .sort = share,
        .bare = share,
        .fraction =
            [this](const FeatureShare& feature) { return feature.share / rows_.front().share; }},
       {.title = tr("What it counts"),
        .tip = tr("What the feature counts, before it is put on the logarithmic scale."),
        .text = [](const FeatureShare& feature) { return feature.meaning; },
        .colour = kDimmed}});
}

QVariant ImportanceModel::rowData(const FeatureShare& feature, int role) const {
  if (role != Qt::ToolTipRole) return {};
  return tr("%1\nIts splits have %2 of the whole gain of the model's trees.")
      .arg(feature.meaning, percentText(feature.share));
}

} // namespace nestwright::ui

#include "moc_importance_model.cpp"
