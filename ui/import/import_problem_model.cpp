#include "ui/import/import_problem_model.h"

#include "ui/kit/exportable.h"
#include "ui/kit/format.h"

#include <QFileInfo>

namespace nestwright::ui {

void ImportProblemModel::clear() {
  beginResetModel();
  rows_.clear();
  endResetModel();
}

void ImportProblemModel::append(const std::vector<ImportProblemRow>& rows) {
  if (rows.empty()) return;
  beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(rows.size()) - 1);
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  endInsertRows();
}

int ImportProblemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ImportProblemModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant ImportProblemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const ImportProblemRow& row = at(index.row());
  const bool number = index.column() == Line || index.column() == Byte;
  if (role == Qt::TextAlignmentRole)
    return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) return index.column() == Reason ? row.reason : row.path;
  if (role == kExportRole && index.column() == Log) return row.path;
  if (role == kExportRole && number)
    return row.line == 0
               ? QVariant(QString())
               : QVariant(static_cast<qlonglong>(index.column() == Line ? row.line : row.offset));
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
  case Log:
    return QFileInfo(row.path).fileName();
  case Line:
    return row.line > 0 ? countText(row.line) : noValue();
  case Byte:
    return row.line > 0 ? countText(row.offset) : noValue();
  default:
    return row.reason;
  }
}

QVariant ImportProblemModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section >= ColumnCount) return {};
  const bool text = role == Qt::DisplayRole;
  if (!text && role != Qt::ToolTipRole) return {};
  switch (section) {
  case Log:
    return text ? tr("Log") : tr("The file; point at a row for its folder.");
  case Line:
    return text ? tr("Line") : tr("Number of the line, from 1.");
  case Byte:
    return text ? tr("Byte")
                : tr("Where the line begins, in bytes from the beginning of the "
                     "unpacked log.");
  default:
    return text ? tr("Reason")
                : tr("Why the line is no record. Double-click a row to see the "
                     "line.");
  }
}

} // namespace nestwright::ui
