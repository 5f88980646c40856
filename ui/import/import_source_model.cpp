#include "ui/import/import_source_model.h"

#include "ui/kit/exportable.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QFileInfo>

namespace nestwright::ui {
namespace {

std::int64_t numberOf(const ImportSource& source, int column) {
  switch (column) {
  case ImportSourceModel::Lines:
    return source.lines;
  case ImportSourceModel::Records:
    return source.records;
  case ImportSourceModel::Duplicates:
    return source.duplicates;
  case ImportSourceModel::Comments:
    return source.comments;
  default:
    return source.broken;
  }
}

} // namespace

void ImportSourceModel::show(std::vector<ImportSource> sources) {
  // Of an import that goes on, only numbers change: the selection stays.
  const bool same = sources.size() == sources_.size();
  if (!same) beginResetModel();
  sources_ = std::move(sources);
  if (!same)
    endResetModel();
  else if (!sources_.empty())
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

QString ImportSourceModel::pathOf(RowId source) const {
  for (const ImportSource& known : sources_)
    if (known.id == source) return qs(known.path);
  return {};
}

int ImportSourceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(sources_.size());
}

int ImportSourceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant ImportSourceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const ImportSource& source = sources_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  const bool number = column > State;
  if (role == Qt::TextAlignmentRole)
    return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) return qs(source.path);
  if (role == Qt::ForegroundRole && column == Broken && source.broken > 0) return colours().failed;
  if (role == kExportRole && number) return static_cast<qlonglong>(numberOf(source, column));
  if (role == kExportRole && column == Log) return qs(source.path);
  if (role != Qt::DisplayRole) return {};
  if (column == Log) return QFileInfo(qs(source.path)).fileName();
  if (column == State) return source.finished ? tr("whole") : tr("in part");
  const std::int64_t count = numberOf(source, column);
  return count == 0 && column != Records ? noValue() : countText(count);
}

QVariant ImportSourceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section >= ColumnCount) return {};
  const bool text = role == Qt::DisplayRole;
  if (!text && role != Qt::ToolTipRole) return {};
  switch (section) {
  case Log:
    return text ? tr("Log") : tr("The file; point at a row for its folder.");
  case State:
    return text ? tr("Read") : tr("To its end, or in part: the same import again goes on there.");
  case Lines:
    return text ? tr("Lines") : tr("Lines read: the sum of the other numbers.");
  case Records:
    return text ? tr("Records") : tr("Measurements that are in the document because of this log.");
  case Duplicates:
    return text ? tr("Duplicates") : tr("Measurements that were in the document already.");
  case Comments:
    return text ? tr("Comments") : tr("Blank lines and lines that begin with #.");
  default:
    return text ? tr("Broken") : tr("Lines that are no records; they are listed below.");
  }
}

} // namespace nestwright::ui
