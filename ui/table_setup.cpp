#include "ui/table_setup.h"

#include "ui/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>

namespace nestwright::ui {

void setUpTable(QTableView* table) {
  table->setShowGrid(false);
  table->setAlternatingRowColors(true);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table->setWordWrap(false);
  table->setTabKeyNavigation(false);
  table->setCornerButtonEnabled(false);
  table->verticalHeader()->hide();
  table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setMinimumSectionSize(36);
  const auto resize = [table] {
    table->verticalHeader()->setMinimumSectionSize(Theme::instance().rowHeight());
    table->verticalHeader()->setDefaultSectionSize(Theme::instance().rowHeight());
  };
  resize();
  QObject::connect(&Theme::instance(), &Theme::changed, table, resize);

  auto* copy = new QAction(QObject::tr("Copy Row"), table);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  QObject::connect(copy, &QAction::triggered, table, [table] { copyRows(table); });
  table->addAction(copy);
  table->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void copyRows(const QTableView* table) {
  const QAbstractItemModel* model = table->model();
  const QHeaderView* header = table->horizontalHeader();
  QList<int> columns;
  for (int visual = 0; visual < header->count(); ++visual)
    if (const int column = header->logicalIndex(visual); !header->isSectionHidden(column))
      columns.append(column);
  const auto line = [&](const auto& cell) {
    QStringList cells;
    for (const int column : columns)
      cells.append(cell(column));
    return cells.join(QLatin1Char('\t'));
  };
  QStringList lines{line([&](int column) {
    return model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  })};
  QModelIndexList rows = table->selectionModel()->selectedRows();
  std::sort(rows.begin(), rows.end());
  for (const QModelIndex& row : rows)
    lines.append(line([&](int column) { return row.siblingAtColumn(column).data().toString(); }));
  QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

} // namespace nestwright::ui
