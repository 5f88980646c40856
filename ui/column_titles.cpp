#include "ui/column_titles.h"

#include <QStandardItemModel>

namespace nestwright::ui {

void setColumns(QStandardItemModel& model, const std::vector<ColumnTitle>& columns) {
  for (int i = 0; const ColumnTitle& column : columns) {
    auto* item = new QStandardItem(column.title);
    item->setToolTip(column.tip);
    model.setHorizontalHeaderItem(i++, item);
  }
}

} // namespace nestwright::ui
