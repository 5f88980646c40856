#include "ui/import/import_source_model.h"

#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QFileInfo>

namespace nestwright::ui {

ImportSourceModel::ImportSourceModel(QObject* parent) : TableModel(parent) {
  const auto count = [](std::int64_t ImportSource::*number, const QString& title,
                        const QString& tip) {
    return TableColumn<ImportSource>{
        .title = title,
        .tip = tip,
        .text =
            [number](const ImportSource& source) {
              return source.*number == 0 ? noValue() : countText(source.*number);
            },
        .align = kRight,
        .bare = [number](const ImportSource& source) { return qint64(source.*number); }};
  };
  TableColumn<ImportSource> records =
      count(&ImportSource::records, tr("Records"),
            tr("Measurements that are in the document because of this log."));
  records.text = [](const ImportSource& source) { return countText(source.records); }; // 0, too
  TableColumn<ImportSource> broken = count(&ImportSource::broken, tr("Broken"),
                                           tr("Lines that are no records; they are listed below."));
  broken.colour = [](const ImportSource& source) {
    return source.broken > 0 ? QVariant(colours().failed) : QVariant();
  };
  setColumns(
      {{.title = tr("Log"),
        .tip = tr("The file; point at a row for its folder."),
        .text = [](const ImportSource& source) { return QFileInfo(qs(source.path)).fileName(); },
        .bare = [](const ImportSource& source) { return qs(source.path); }},
       {.title = tr("Read"),
        .tip = tr("To its end, or in part: the same import again goes on there."),
        .text =
            [](const ImportSource& source) {
              return source.finished ? tr("whole") : tr("in part");
            }},
       count(&ImportSource::lines, tr("Lines"), tr("Lines read: the sum of the other numbers.")),
       records,
       count(&ImportSource::duplicates, tr("Duplicates"),
             tr("Measurements that were in the document already.")),
       count(&ImportSource::comments, tr("Comments"),
             tr("Blank lines and lines that begin with #.")),
       broken},
      Titles::Centred);
}

void ImportSourceModel::show(std::vector<ImportSource> sources) {
  if (sources.size() != rows_.size()) return setRows(std::move(sources));
  // Of an import that goes on, only numbers change: the selection stays.
  rows_ = std::move(sources);
  tellChanged();
}

QString ImportSourceModel::pathOf(RowId source) const {
  for (const ImportSource& known : rows_)
    if (known.id == source) return qs(known.path);
  return {};
}

QVariant ImportSourceModel::rowData(const ImportSource& source, int role) const {
  return role == Qt::ToolTipRole ? QVariant(qs(source.path)) : QVariant();
}

} // namespace nestwright::ui

#include "moc_import_source_model.cpp"
