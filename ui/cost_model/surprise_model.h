#pragma once
/// \file The programs that the cost model misjudged most, as a table.

#include "core/story/predictions.h"

#include <QAbstractTableModel>

#include <functional>
#include <vector>

namespace nestwright::ui {

class SurpriseModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Trial, Surprise, Predicted, Measured, Latency, Round, Task, ColumnCount };
  enum Role { SortRole = Qt::UserRole, RecordRole = Qt::UserRole + 100 };

  using QAbstractTableModel::QAbstractTableModel;
  /// In this order, worst first.
  void show(const std::vector<const PredictedProgram*>& programs,
            std::function<QString(RowId)> taskName);
  int rowOf(RowId record) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(const PredictedProgram& program, int column) const;
  QVariant number(const PredictedProgram& program, int column) const;

  std::vector<PredictedProgram> programs_;
  std::function<QString(RowId)> taskName_;
  double largest_ = 0;
};

} // namespace nestwright::ui
