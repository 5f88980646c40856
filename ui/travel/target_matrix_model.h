#pragma once
/// \file Rank correlations of every two targets as a table of coloured cells with numbers.

#include "ui/kit/exportable.h"
#include "ui/travel/travel_reader.h"

#include <QAbstractTableModel>

#include <optional>

namespace nestwright::ui {

class TargetMatrixModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  /// Of a task (its index), or of all together.
  void show(const TravelAnswer& answer, std::optional<std::size_t> task);

  /// A row for each two targets.
  ExportTable exportTable() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override { return rowCount(parent); }
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  /// Of one pair, on either side of the diagonal.
  struct Cell {
    double tau = 0; // not a number: none
    QString tip;
  };
  const Cell& cell(int row, int column) const;

  std::vector<QString> targets_;
  std::vector<Cell> cells_; // rows of columns
};

} // namespace nestwright::ui
