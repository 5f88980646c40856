#include "ui/lab/worst_tasks_page.h"

#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/theme.h"
#include "ui/lab/judged_task_model.h"
#include "ui/lab/order_plot.h"

#include <QHeaderView>
#include <QTableView>

namespace nestwright::ui {
namespace {

/// A page as wide as this has the tasks beside their programs.
constexpr int kTasksBeside = 700;

} // namespace

WorstTasksPage::WorstTasksPage(QWidget* parent)
    : FlowSplitter(kTasksBeside, parent), tasks_(new JudgedTaskModel(this)),
      table_(new QTableView(this)), order_(new OrderPlot(this)) {
  table_->setModel(tasks_);
  table_->setAccessibleName(tr("Tasks, the worst first"));
  setUpTable(table_);
  for (const int column : {JudgedTaskModel::Score, JudgedTaskModel::Other})
    table_->setItemDelegateForColumn(column, new CellBarDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(JudgedTaskModel::Score, Qt::AscendingOrder);
  table_->setMinimumSize(200, 90);
  new ElasticColumn(table_, JudgedTaskModel::Task, QStringLiteral("Conv 3x3 512→512"),
                    JudgedTaskModel::Picked);
  addWidget(table_);
  addWidget(order_);
  setStretchFactor(0, 1);
  setStretchFactor(1, 1);
  const auto pick = [this](const QModelIndex& index) {
    if (!index.isValid()) return;
    if (const int task = index.data(ItemRole).toInt(); task != look_.task) Q_EMIT taskPicked(task);
  };
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, pick);
  for (const auto signal : {&QTableView::clicked, &QTableView::activated})
    connect(table_, signal, this, pick);
  connect(&Theme::instance(), &Theme::changed, this, &WorstTasksPage::restyle);
  restyle();
}

void WorstTasksPage::showLook(const JudgedLook& look) {
  const bool same = isSameBesidesTask(look, look_);
  look_ = look;
  if (!same) tasks_->show(look.judged, look.a, look.b, look.k);
  if (const int row = tasks_->rowOf(look.task); row >= 0) table_->selectRow(row);
  if (!look.judged || look.task < 0)
    return order_->showMessage(tr("Choose a task to see its programs in order."));
  const ModelEvaluation& evaluation = look.judged->evaluation;
  order_->show(judgedPrograms(*look.judged, std::size_t(look.task), look.a), evaluation.ks[look.k],
               modelTitle(evaluation.models[look.a].name));
}

void WorstTasksPage::restyle() {
  for (const int column : {JudgedTaskModel::Score, JudgedTaskModel::Other})
    fitColumn(table_, column, QStringLiteral("0.888"));
  for (const int column : {JudgedTaskModel::Picked, JudgedTaskModel::Best})
    fitColumn(table_, column, QStringLiteral("888.8 µs"));
  for (const int column : {JudgedTaskModel::Pairs, JudgedTaskModel::Correlation,
                           JudgedTaskModel::Programs, JudgedTaskModel::Failed})
    fitColumn(table_, column, QStringLiteral("88.8 %"));
}

} // namespace nestwright::ui

#include "moc_worst_tasks_page.cpp"
