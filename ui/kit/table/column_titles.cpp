#include "ui/kit/table/column_titles.h"

#include <QStandardItemModel>

namespace nestwright::ui {

void setColumns(QStandardItemModel& model, const std::vector<ColumnTitle>& columns) {
  for (int i = 0; const ColumnTitle& column : columns) {
    auto* item = new QStandardItem(column.title);
    item->setToolTip(column.tip);
    item->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    model.setHorizontalHeaderItem(i++, item);
  }
}

void alignColumns(QStandardItemModel& model) {
  if (model.rowCount() == 0) return;
  for (int column = 0; column < model.columnCount(); ++column)
    if (const QStandardItem* first = model.item(0, column); first && first->textAlignment())
      model.horizontalHeaderItem(column)->setTextAlignment(first->textAlignment());
}

QStandardItem* fixedItem(const QString& text, const QString& tip, bool isNumber) {
  auto* item = new QStandardItem(text);
  item->setEditable(false);
  item->setToolTip(tip);
  if (isNumber) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return item;
}

} // namespace nestwright::ui
