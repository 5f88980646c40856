/// The rows of the records that are selected: following, finding and copying them.
#include "ui/document/document.h"
#include "ui/kit/exporter.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/row_table.h"
#include "ui/kit/text.h"
#include "ui/records/record_details.h"
#include "ui/records/record_explorer.h"
#include "ui/records/record_figures.h"
#include "ui/records/record_statistics.h"
#include "ui/records/record_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QInputDialog>
#include <QTabWidget>
#include <QToolButton>

#include <utility>

namespace nestwright::ui {
namespace {

using Column = RecordModel::Column;

} // namespace

std::vector<std::int64_t> RecordView::selectedRecords() const {
  std::vector<std::int64_t> records;
  if (table_->selectedCount() > kMostSelected) return records;
  for (const auto& [first, last] : table_->selectedRanges())
    for (int row = first; row <= last; ++row)
      if (const RowId record = model_->recordAt(row)) records.push_back(record);
  return records;
}

/// Figures are of the selected rows; of all when all are.
void RecordView::selectionChanged() {
  const std::int64_t count = table_->selectedCount();
  const std::vector<RowId> chosen = selectedRecords();
  figures_->setChosen(count == model_->rowCount() ? std::vector<RowId>{} : chosen);
  explorer_->setChosen(chosen);
  showPane();
  describe();
}

void RecordView::selectionMoved(const QModelIndex& current) {
  if (!current.isValid()) return;
  const RowId record = current.data(RecordRole).toLongLong();
  const RowId task = current.data(TaskRole).toLongLong();
  if (record == document_.selection().record || task == 0) return; // 0: it is being read
  // Looking through all tasks must not narrow the table to the record's task.
  if (follow_->isChecked() && document_.selection().task == 0 && !filter_.has(FilterField::Task))
    follow_->setChecked(false);
  document_.select({task, record});
}

void RecordView::followSelection() {
  const RowId record = document_.selection().record;
  const QModelIndex current = table_->currentIndex();
  if (!record) {
    table_->clearSelection();
    table_->selectionModel()->clearCurrentIndex();
    return;
  }
  if (current.isValid() && current.data(RecordRole).toLongLong() == record) return;
  // The current row may be one that is still being read, and will be the document's then.
  if (current.isValid() && !current.data(TaskRole).isValid()) return;
  const int row = model_->rowOf(record);
  if (row < 0 || table_->selectedCount() > 1) return;
  table_->setCurrentIndex(model_->index(row, RecordModel::Trial));
  table_->scrollTo(table_->currentIndex());
}

// --- what other views show of it

ListedRecords RecordView::listed() const {
  const std::shared_ptr<const RecordRanks> ranks = model_->ranks();
  if (filter_.empty() || !ranks) return {};
  constexpr int kMost = 60; // letters: what was brushed may be hundreds of records
  QString filter = qs(print(filter_));
  if (filter.size() > kMost) filter = filter.left(kMost) + QStringLiteral("…");
  return {[ranks](RowId record) { return ranks->contains(record); }, filter};
}

void RecordView::narrow(const std::vector<FilterCondition>& conditions) {
  RecordFilter filter = filter_;
  for (const FilterCondition& condition : conditions) {
    std::erase_if(filter.conditions,
                  [&](const FilterCondition& known) { return known.field == condition.field; });
    filter.conditions.push_back(condition);
  }
  setFilter(filter);
}

/// Nobody needs to be told again and again that there is no filter.
void RecordView::tellListed() {
  const bool filtered = !filter_.empty();
  if (filtered && !model_->isRanked()) return; // it will be, and until then the old ones stay
  if (std::exchange(wasFiltered_, filtered) || filtered) Q_EMIT listedChanged();
}

// --- going to rows, and copying them

void RecordView::goToRow(int row) {
  table_->selectRow(row);
  table_->scrollTo(model_->index(row, std::max(0, table_->horizontalHeader()->logicalIndexAt(0))),
                   QAbstractItemView::PositionAtCenter);
  table_->setFocus();
}

bool RecordView::goTo(const QString& text) {
  QString word = text.trimmed();
  word.remove(QLatin1Char(',')).remove(QLatin1Char(' ')).remove(QChar(0x202f));
  const int rows = model_->rowCount();
  if (rows == 0 || word.isEmpty()) return false;
  const bool record = word.startsWith(QLatin1Char('#')), part = word.endsWith(QLatin1Char('%'));
  if (record) word.remove(0, 1);
  if (part) word.chop(1);
  bool isNumber = false;
  const double number = word.toDouble(&isNumber);
  if (!isNumber) return false;
  std::int64_t row = std::int64_t(number) - 1;
  if (part) row = std::int64_t(number / 100 * (rows - 1) + 0.5);
  if (record) row = model_->rowOf(RowId(number));
  if (row < 0 || row >= rows) return false;
  goToRow(int(row));
  return true;
}

void RecordView::askGoTo() {
  bool accepted = false;
  const QString text = QInputDialog::getText(
      this, tr("Go to Row"),
      tr("Row of the list, 1 to %1, a part of it such as 50%, or the number of a record as #1234:")
          .arg(countText(model_->rowCount())),
      QLineEdit::Normal, {}, &accepted);
  if (accepted && !goTo(text))
    Q_EMIT document_.warning(tr("There is no row %1 in this list.").arg(text.trimmed()));
}

/// Rows that nobody looked at are read first.
void RecordView::copySelected(bool markdown) {
  constexpr std::int64_t kMost = 10'000;
  const std::int64_t count = table_->selectedCount();
  if (count > kMost) {
    Q_EMIT document_.warning(tr("%1 rows are selected; at most %2 are copied. Export them instead.")
                                 .arg(countText(count), countText(kMost)));
    return;
  }
  if (count == 0) return;
  const std::vector<Column> columns = shownColumns();
  QStringList titles;
  for (const Column column : columns)
    titles.append(RecordModel::title(column));
  const auto put = [this, columns, titles, markdown](const std::vector<RecordRow>& rows) {
    std::vector<QStringList> lines;
    for (const RecordRow& row : rows) {
      QStringList cells;
      for (const Column column : columns)
        cells.append(model_->textOf(row, column));
      lines.push_back(cells);
    }
    const ExportTable table = tableOfRows(titles, std::move(lines));
    QApplication::clipboard()->setText(markdown ? markdownOf(table, int(kMost)) : tsvOf(table));
  };
  copying_.ask<std::vector<RecordRow>>(
      [records = selectedRecords(), path = document_.path().toStdString()](const Job&) {
        return rowsOf(RecordBrowser(path).records(records));
      },
      [put](const std::vector<RecordRow>& rows) { put(rows); },
      [this](const QString& why) { Q_EMIT document_.warning(why); });
}

} // namespace nestwright::ui
