#include "ui/import/import_problem_model.h"

#include "ui/kit/format.h"

#include <QFileInfo>

namespace nestwright::ui {

ImportProblemModel::ImportProblemModel(QObject* parent) : TableModel(parent) {
  using Row = ImportProblemRow;
  const auto number = [](std::int64_t Row::*value) {
    return [value](const Row& row) { return row.line > 0 ? countText(row.*value) : noValue(); };
  };
  const auto bare = [](std::int64_t Row::*value) {
    return [value](const Row& row) {
      return row.line == 0 ? QVariant(QString()) : QVariant(qint64(row.*value));
    };
  };
  setColumns({{.title = tr("Log"),
               .tip = tr("The file; point at a row for its folder."),
               .text = [](const Row& row) { return QFileInfo(row.path).fileName(); },
               .bare = [](const Row& row) { return row.path; }},
              {.title = tr("Line"),
               .tip = tr("Number of the line, from 1."),
               .text = number(&Row::line),
               .align = kRight,
               .bare = bare(&Row::line)},
              {.title = tr("Byte"),
               .tip = tr("Where the line begins, in bytes from the beginning of the unpacked log."),
               .text = number(&Row::offset),
               .align = kRight,
               .bare = bare(&Row::offset)},
              {.title = tr("Reason"),
               .tip = tr("Why the line is no record. Double-click a row to see the line."),
               .text = [](const Row& row) { return row.reason; },
               .toolTip = [](const Row& row) { return row.reason; }}},
             Titles::Centred);
}

QVariant ImportProblemModel::rowData(const ImportProblemRow& row, int role) const {
  return role == Qt::ToolTipRole ? QVariant(row.path) : QVariant();
}

} // namespace nestwright::ui

#include "moc_import_problem_model.cpp"
