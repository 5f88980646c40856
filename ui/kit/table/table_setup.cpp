#include "ui/kit/table/table_setup.h"

#include "ui/kit/exporter.h"
#include "ui/kit/fonts.h"
#include "ui/kit/theme.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

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
    table->verticalHeader()->setMinimumSectionSize(tableRowHeight());
    table->verticalHeader()->setDefaultSectionSize(tableRowHeight());
  };
  resize();
  QObject::connect(&Theme::instance(), &Theme::changed, table, resize);

  addCopying(table);
}

void fitColumn(QTableView* table, int column, const QString& widest) {
  const QFontMetrics metrics(table->font());
  const QString title = table->model()->headerData(column, Qt::Horizontal).toString();
  table->horizontalHeader()->resizeSection(
      column,
      std::max(metrics.horizontalAdvance(widest), metrics.horizontalAdvance(title) + 16) + 18);
}

void addCopying(QAbstractItemView* view) {
  auto* copy = new QAction(QObject::tr("Copy Rows"), view);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  QObject::connect(copy, &QAction::triggered, view, [view] { copyRows(view); });
  auto* markdown = new QAction(QObject::tr("Copy Rows as Markdown"), view);
  QObject::connect(markdown, &QAction::triggered, view, [view] { copyRows(view, true); });
  view->addActions({copy, markdown});
  view->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void copyRows(const QAbstractItemView* view, bool markdown) {
  const auto* table = qobject_cast<const QTableView*>(view);
  const auto* tree = qobject_cast<const QTreeView*>(view);
  const QHeaderView* header = table ? table->horizontalHeader() : tree ? tree->header() : nullptr;
  if (header == nullptr || view->selectionModel() == nullptr) return;
  QStringList headers;
  QList<int> columns;
  for (int visual = 0; visual < header->count(); ++visual)
    if (const int column = header->logicalIndex(visual); !header->isSectionHidden(column)) {
      columns.append(column);
      headers.append(view->model()->headerData(column, Qt::Horizontal).toString());
    }
  QModelIndexList selected = view->selectionModel()->selectedRows();
  std::sort(selected.begin(), selected.end());
  std::vector<QStringList> rows;
  for (const QModelIndex& index : selected) {
    QStringList cells;
    for (const int column : columns)
      cells.append(index.siblingAtColumn(column).data().toString());
    rows.push_back(cells);
  }
  const ExportTable shown = tableOfRows(headers, std::move(rows));
  QApplication::clipboard()->setText(markdown ? markdownOf(shown) : tsvOf(shown));
}

} // namespace nestwright::ui
