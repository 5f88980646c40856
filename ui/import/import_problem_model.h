#pragma once
/// \file Lines of logs that are no records, each with its reason; and logs that could not be read.

#include <QAbstractTableModel>
#include <QString>

#include <cstdint>
#include <vector>

namespace nestwright::ui {

struct ImportProblemRow {
  QString path;
  std::int64_t line = 0;   // from 1; 0: the log as a whole
  std::int64_t offset = 0; // of the line's first byte, unpacked
  QString reason;
};

class ImportProblemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Log, Line, Byte, Reason, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void clear();
  void append(const std::vector<ImportProblemRow>& rows);
  const ImportProblemRow& at(int row) const { return rows_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<ImportProblemRow> rows_;
};

} // namespace nestwright::ui
