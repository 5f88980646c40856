#pragma once
/// \file The logs that were imported into a document, and what became of their lines.

#include "core/record/format/import_rows.h"

#include <QAbstractTableModel>

#include <vector>

namespace nestwright::ui {

class ImportSourceModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Log, State, Lines, Records, Duplicates, Comments, Broken, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void show(std::vector<ImportSource> sources);
  const std::vector<ImportSource>& sources() const { return sources_; }
  /// The log's path; empty when it is not known.
  QString pathOf(RowId source) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<ImportSource> sources_;
};

} // namespace nestwright::ui
