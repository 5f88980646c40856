#include "ui/kit/exportable.h"

#include <QHeaderView>
#include <QPainter>
#include <QTableView>
#include <QTreeView>
#include <QWidget>

#include <algorithm>
#include <memory>
#include <vector>

namespace nestwright::ui {
namespace {

const QHeaderView* headerOf(const QAbstractItemView* view) {
  if (const auto* table = qobject_cast<const QTableView*>(view)) return table->horizontalHeader();
  if (const auto* tree = qobject_cast<const QTreeView*>(view)) return tree->header();
  return nullptr;
}

QString cellText(const QModelIndex& index) {
  const QVariant value = index.data(ExportRole);
  if (value.isValid()) return value.toString();
  return index.data(Qt::DisplayRole).toString();
}

QString titleOf(const QAbstractItemModel* model, int column) {
  const QVariant title = model->headerData(column, Qt::Horizontal, ExportRole);
  return (title.isValid() ? title : model->headerData(column, Qt::Horizontal)).toString();
}

void appendRows(const QAbstractItemModel* model, const QModelIndex& parent,
                const std::vector<int>& columns, std::vector<QStringList>& rows) {
  for (int row = 0; row < model->rowCount(parent); ++row) {
    QStringList cells;
    for (const int column : columns)
      cells.append(cellText(model->index(row, column, parent)));
    rows.push_back(std::move(cells));
    const QModelIndex first = model->index(row, 0, parent);
    if (model->hasChildren(first)) appendRows(model, first, columns, rows);
  }
}

} // namespace

ExportTable tableOf(const QAbstractItemView* view) {
  ExportTable table;
  const QAbstractItemModel* model = view->model();
  if (!model) return table;
  const QHeaderView* header = headerOf(view);
  std::vector<int> columns;
  for (int visual = 0; visual < model->columnCount(); ++visual) {
    const int column = header ? header->logicalIndex(visual) : visual;
    if (header && header->isSectionHidden(column)) continue;
    columns.push_back(column);
    table.headers.append(titleOf(model, column));
  }
  std::vector<QStringList> rows;
  appendRows(model, {}, columns, rows);
  return tableOfRows(table.headers, std::move(rows));
}

ExportTable tableOfRows(const QStringList& headers, std::vector<QStringList> rows,
                        int recordColumn) {
  return {headers,
          [rows = std::make_shared<std::vector<QStringList>>(std::move(rows))](
              const std::function<bool(const QStringList&)>& row) {
            for (const QStringList& cells : *rows)
              if (!row(cells)) return;
          },
          recordColumn};
}

Exports seenOf(QWidget* view) {
  Exports exports;
  // A panel behind another tab may never have been laid out.
  exports.size = view->size().expandedTo(view->isVisible() ? QSize(1, 1) : QSize(900, 600));
  exports.draw = [view, size = exports.size](QPainter& painter) {
    const QSize before = view->size();
    if (before != size) view->resize(size);
    view->render(&painter, QPoint(), QRegion(),
                 QWidget::DrawWindowBackground | QWidget::DrawChildren);
    if (before != size) view->resize(before);
  };
  const auto add = [&exports](const QAbstractItemView* table) {
    if (!table || !headerOf(table)) return;
    if (exports.table) {
      exports.more.push_back({table->accessibleName(), tableOf(table)});
      return;
    }
    exports.table = tableOf(table);
    exports.tableName = table->accessibleName();
  };
  add(qobject_cast<QAbstractItemView*>(view));
  for (const QAbstractItemView* inner : view->findChildren<QAbstractItemView*>())
    if (inner->isVisibleTo(view)) add(inner);
  return exports;
}

Exports exportsOf(QWidget* view, const QString& name, const QString& title) {
  auto* exportable = dynamic_cast<ExportableView*>(view);
  Exports exports = exportable ? exportable->exports() : seenOf(view);
  if (exports.name.isEmpty()) exports.name = name;
  if (exports.title.isEmpty()) exports.title = title;
  return exports;
}

} // namespace nestwright::ui
