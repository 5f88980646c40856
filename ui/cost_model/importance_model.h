#pragma once
/// \file What the cost model looks at, feature by feature, as a table.

#include "ui/cost_model/score_story.h"

#include <QAbstractTableModel>

namespace nestwright::ui {

class ImportanceModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Rank, Feature, Share, Meaning, ColumnCount };
  enum Role { SortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;
  void show(std::vector<FeatureShare> features);
  const std::vector<FeatureShare>& features() const { return features_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<FeatureShare> features_; // largest first
};

} // namespace nestwright::ui
