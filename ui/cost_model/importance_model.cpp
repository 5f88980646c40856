#include "ui/cost_model/importance_model.h"

#include "ui/kit/exportable.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/theme.h"

namespace nestwright::ui {

void ImportanceModel::show(std::vector<FeatureShare> features) {
  beginResetModel();
  features_ = std::move(features);
  endResetModel();
}

int ImportanceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(features_.size());
}

int ImportanceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant ImportanceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const FeatureShare& feature = features_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  switch (role) {
  case Qt::DisplayRole:
    return column == Rank      ? QString::number(index.row() + 1)
           : column == Feature ? feature.name
           : column == Share   ? percentText(feature.share)
                               : feature.meaning;
  case SortRole:
  case kExportRole:
    return column == Rank      ? QVariant(index.row() + 1)
           : column == Feature ? QVariant(feature.name)
           : column == Share   ? QVariant(feature.share)
                               : QVariant(feature.meaning);
  case FractionRole:
    if (column != Share) return {};
    return feature.share / features_.front().share;
  case Qt::TextAlignmentRole:
    return int((column == Rank || column == Share ? Qt::AlignRight : Qt::AlignLeft) |
               Qt::AlignVCenter);
  case Qt::ForegroundRole:
    return column == Meaning || column == Rank ? QVariant(colours().dim) : QVariant();
  case Qt::ToolTipRole:
    return tr("%1\nIts splits have %2 of the whole gain of the model's trees.")
        .arg(feature.meaning, percentText(feature.share));
  default:
    return {};
  }
}

QVariant ImportanceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString titles[] = {tr("#"), tr("Feature"), tr("Share of gain"), tr("What it counts")};
  const QString tips[] = {
      tr("Rank by share of gain."),
      tr("A number that describes a program to the cost model. B0, B1 … are the buffers that a "
         "statement reads and writes."),
      tr("Each split of the model's trees lowers the error of its predictions: that is its gain. "
         "This is the share of the gain of all splits that splits by this feature have. It says "
         "what the model looks at, not which way; see Explanation for that."),
      tr("What the feature counts, before it is put on the logarithmic scale.")};
  if (role == Qt::DisplayRole) return titles[section];
  if (role == Qt::ToolTipRole) return tips[section];
  if (role == Qt::TextAlignmentRole)
    return int((section == Rank || section == Share ? Qt::AlignRight : Qt::AlignLeft) |
               Qt::AlignVCenter);
  return {};
}

} // namespace nestwright::ui
