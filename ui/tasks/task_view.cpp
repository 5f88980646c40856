#include "ui/tasks/task_view.h"

#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/theme.h"
#include "ui/tasks/importance_slider.h"
#include "ui/tasks/task_mode_delegate.h"
#include "ui/tasks/task_model.h"

#include <QHeaderView>

#include <utility>

namespace nestwright::ui {

TaskView::TaskView(Document& document, QWidget* parent)
    : QTableView(parent), document_(document), model_(new TaskModel(document, this)),
      sorted_(new SortedRows(this)) {
  sorted_->setSourceModel(model_);
  setModel(sorted_);
  setUpTable(this);
  setDragEnabled(true);
  setObjectName(QStringLiteral("tasks"));
  setAccessibleName(tr("Tasks"));
  setItemDelegateForColumn(TaskModel::Name, new TaskNameDelegate(this));
  setItemDelegateForColumn(TaskModel::Share, new BarDelegate(this));
  setItemDelegateForColumn(TaskModel::Trend, new TrendDelegate(this));
  setItemDelegateForColumn(TaskModel::Importance, new ImportanceSlider(this));
  setItemDelegateForColumn(TaskModel::Pinned, new TaskModeDelegate(TaskMode::Pinned, this));
  setItemDelegateForColumn(TaskModel::Paused, new TaskModeDelegate(TaskMode::Paused, this));
  setMouseTracking(true); // signs that can be clicked answer the mouse
  setEditTriggers(DoubleClicked | EditKeyPressed | AnyKeyPressed);
  setSortingEnabled(true);
  sortByColumn(TaskModel::Name, Qt::AscendingOrder);
  horizontalHeader()->setSectionsMovable(true);
  fitColumns();
  new ElasticColumn(this, TaskModel::Name, QStringLiteral("Conv 3x3 64→64 on 56"),
                    TaskModel::Paused);
  chooseColumns();

  connect(model_, &QAbstractItemModel::modelReset, this, &TaskView::chooseColumns);
  connect(model_, &QAbstractItemModel::dataChanged, this, &TaskView::chooseColumns);
  connect(&Theme::instance(), &Theme::changed, this, &TaskView::fitColumns);
  connect(&document.selection(), &SharedSelection::changed, this, &TaskView::followSelection);
  connect(sorted_, &QAbstractItemModel::modelReset, this, &TaskView::followSelection);
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            const RowId task = current.data(TaskRole).toLongLong();
            if (current.isValid() && task != document_.selection().current().task)
              document_.selection().selectTask(task);
          });
}

void TaskView::followSelection() {
  const int row = model_->rowOf(document_.selection().current().task);
  if (row < 0) {
    clearSelection();
    selectionModel()->clearCurrentIndex();
    return;
  }
  const QModelIndex index = sorted_->mapFromSource(model_->index(row, TaskModel::Name));
  if (currentIndex().row() == index.row()) return;
  setCurrentIndex(index);
  scrollTo(index);
}

void TaskView::fitColumns() {
  QHeaderView* header = horizontalHeader();
  const auto wide = [&](const char* widest) {
    return fontMetrics().horizontalAdvance(QString::fromUtf8(widest)) + 16;
  };
  // Room for the sorting arrow is in the sample texts.
  header->resizeSection(TaskModel::Best, wide(hasImported_ ? "imported 00.00_ " : "Best, ms_ "));
  header->resizeSection(TaskModel::Share, wide("100.0 %_"));
  header->resizeSection(TaskModel::SpeedUp, wide("Speed-up_ "));
  header->resizeSection(TaskModel::Throughput, wide("GFLOP/s_ "));
  header->resizeSection(TaskModel::Trials, wide("Trials__"));
  header->resizeSection(TaskModel::Errors, wide("Errors_"));
  header->resizeSection(TaskModel::Trend, wide("Trend____"));
  header->resizeSection(TaskModel::Naive, wide("Naive, ms_ "));
  header->resizeSection(TaskModel::Weight, wide("Weight_ "));
  header->resizeSection(TaskModel::Importance, wide("Importance____"));
  header->resizeSection(TaskModel::Pinned, wide("Pin_"));
  header->resizeSection(TaskModel::Paused, wide("Pause_"));
  header->resizeSection(TaskModel::Origin, wide("this machine_ "));
  header->resizeSection(TaskModel::Definition, wide("winograd F(4,3), runs_ "));
}

/// Columns in which no row has anything to say are left out until one has.
void TaskView::chooseColumns() {
  setColumnHidden(TaskModel::Trend, !model_->hasTrend());
  setColumnHidden(TaskModel::Errors, !model_->hasErrors());
  setColumnHidden(TaskModel::Definition, !model_->hasAlternatives());
  const bool hasImported = model_->hasImported();
  if (std::exchange(hasImported_, hasImported) != hasImported) fitColumns();
}

} // namespace nestwright::ui

#include "moc_task_view.cpp"
