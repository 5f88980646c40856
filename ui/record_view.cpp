#include "ui/record_view.h"

#include "ui/document.h"
#include "ui/format.h"
#include "ui/record_details.h"
#include "ui/record_model.h"
#include "ui/table_setup.h"
#include "ui/text.h"
#include "ui/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {

RecordView::RecordView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), model_(new RecordModel(document, this)),
      order_(new QComboBox(this)), verdict_(new QComboBox(this)), follow_(new QToolButton(this)),
      count_(new QLabel(this)), table_(new QTableView(this)),
      details_(new RecordDetails(document, this)) {
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 4, 8, 4);
  buildFilterLine(line);
  buildTable();
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setHandleWidth(1);
  split->addWidget(table_);
  split->addWidget(details_);
  split->setStretchFactor(0, 5);
  split->setStretchFactor(1, 3);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(split, 1);

  connect(order_, &QComboBox::activated, this, &RecordView::applyFilter);
  connect(verdict_, &QComboBox::activated, this, &RecordView::applyFilter);
  connect(follow_, &QToolButton::clicked, this, &RecordView::applyFilter);
  connect(&document, &Document::selectionChanged, this, [this] {
    applyFilter();
    followSelection();
    details_->setVisible(document_.selection().record != 0);
  });
  details_->hide();
  connect(&document, &Document::progressChanged, this, &RecordView::describe);
  connect(model_, &RecordModel::loaded, this, [this] {
    describe();
    followSelection();
  });
  describe();
}

void RecordView::buildFilterLine(QHBoxLayout* line) {
  order_->addItem(tr("Newest first"), int(RecordQuery::Order::Newest));
  order_->addItem(tr("Fastest first"), int(RecordQuery::Order::Fastest));
  order_->addItem(tr("Oldest first"), int(RecordQuery::Order::Oldest));
  order_->setAccessibleName(tr("Order of the records"));
  verdict_->addItem(tr("All verdicts"), -1);
  verdict_->addItem(tr("Errors only"), -2);
  for (int i = 0; i <= int(Verdict::Cancelled); ++i)
    verdict_->addItem(qs(name(Verdict(i))), i);
  verdict_->addItem(tr("Forgotten"), -3);
  verdict_->setAccessibleName(tr("Verdict of the records"));
  verdict_->setToolTip(tr("Only records that ended in this verdict."));
  follow_->setText(tr("Selected task"));
  follow_->setCheckable(true);
  follow_->setChecked(true);
  follow_->setAutoRaise(true);
  follow_->setToolTip(tr("Only records of the task that is selected; off shows all tasks."));
  line->addWidget(order_);
  line->addWidget(verdict_);
  line->addWidget(follow_);
  line->addStretch();
  line->addWidget(count_);
}

void RecordView::buildTable() {
  table_->setModel(model_);
  setUpTable(table_);
  table_->setDragEnabled(true);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setObjectName(QStringLiteral("records"));
  table_->setAccessibleName(tr("Records"));
  const auto fit = [this] {
    QHeaderView* header = table_->horizontalHeader();
    const auto wide = [&](const char* widest) {
      return table_->fontMetrics().horizontalAdvance(QString::fromUtf8(widest)) + 16;
    };
    header->resizeSection(RecordModel::Trial, wide("1,000,000"));
    header->resizeSection(RecordModel::Task, wide("conv2d 56x56 64->64 k3"));
    header->resizeSection(RecordModel::Latency, wide("999.9 ms_"));
    header->resizeSection(RecordModel::Spread, wide("100.0 %_"));
    header->resizeSection(RecordModel::Outcome, wide("build timeout"));
    header->setStretchLastSection(true);
    count_->setFont(Theme::instance().smallFont());
    count_->setStyleSheet(QStringLiteral("color: %1").arg(colours().dim.name()));
  };
  fit();
  connect(&Theme::instance(), &Theme::changed, table_, fit);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (!current.isValid()) return;
            const RowId record = current.data(RecordModel::RecordRole).toLongLong();
            const RowId task = current.data(RecordModel::TaskRole).toLongLong();
            if (record == document_.selection().record) return;
            // Looking through all tasks must not narrow the table to the record's task.
            document_.select({task, record});
          });
}

void RecordView::applyFilter() {
  RecordFilter filter;
  filter.order = RecordQuery::Order(order_->currentData().toInt());
  const int verdict = verdict_->currentData().toInt();
  filter.onlyErrors = verdict == -2;
  filter.onlyForgotten = verdict == -3;
  if (verdict >= 0) filter.verdict = Verdict(verdict);
  if (follow_->isChecked()) filter.task = document_.selection().task;
  table_->setColumnHidden(RecordModel::Task, filter.task != 0);
  model_->setFilter(filter);
  describe();
}

std::vector<std::int64_t> RecordView::selectedRecords() const {
  std::vector<std::int64_t> records;
  for (const QModelIndex& row : table_->selectionModel()->selectedRows())
    records.push_back(row.data(RecordModel::RecordRole).toLongLong());
  return records;
}

void RecordView::followSelection() {
  const RowId record = document_.selection().record;
  const QModelIndex current = table_->currentIndex();
  if (!record) {
    table_->clearSelection();
    table_->selectionModel()->clearCurrentIndex();
    return;
  }
  if (current.isValid() && current.data(RecordModel::RecordRole).toLongLong() == record) return;
  const int row = model_->rowOf(record);
  if (row < 0) return;
  table_->setCurrentIndex(model_->index(row, 0));
  table_->scrollTo(table_->currentIndex());
}

void RecordView::describe() {
  if (!model_->problem().isEmpty()) {
    count_->setText(model_->problem());
    return;
  }
  const RecordFilter& filter = model_->filter();
  const int rows = model_->rowCount();
  if (model_->isLoading() && rows == 0) {
    count_->setText(tr("Reading …"));
    return;
  }
  std::int64_t all = 0, errors = 0;
  for (const TaskEntry& task : document_.tasks()) {
    if (filter.task && task.row.id != filter.task) continue;
    all += task.summary.trials;
    errors += task.summary.errors;
  }
  const QString total = countText(document_.progress().trials);
  if (filter.onlyForgotten) {
    const QString some = model_->isComplete() ? tr("%1 forgotten of %2 records")
                                              : tr("at least %1 forgotten of %2 records");
    count_->setText(some.arg(countText(rows), total));
    return;
  }
  if (!filter.verdict)
    count_->setText(tr("%1 of %2 records").arg(countText(filter.onlyErrors ? errors : all), total));
  else if (model_->isComplete())
    count_->setText(tr("%1 of %2 records").arg(countText(rows), total));
  else
    count_->setText(tr("at least %1 of %2 records").arg(countText(rows), total));
}

} // namespace nestwright::ui
