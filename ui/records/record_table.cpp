#include "ui/records/record_table.h"

#include "ui/kit/format.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/theme.h"
#include "ui/records/record_columns.h"
#include "ui/records/record_scope.h"

#include <nlohmann/json.hpp>

#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace nestwright::ui {
namespace {

using Column = RecordModel::Column;

constexpr int kMostShown = 10'000; // rows for the clipboard

const RecordColumn& described(int column) {
  return recordColumns().at(std::size_t(column));
}

std::set<Column> usualColumns() {
  std::set<Column> usual;
  for (int column = 0; column < RecordModel::ColumnCount; ++column)
    if (described(column).isUsual) usual.insert(Column(column));
  return usual;
}

} // namespace

RecordTable::RecordTable(RecordModel* records, RecordScope* scope, QWidget* parent)
    : RowTable(parent), records_(records), scope_(scope), columns_(usualColumns()) {
  setModel(records);
  setDragEnabled(true);
  setObjectName(QStringLiteral("records"));
  setAccessibleName(tr("Records"));
  setItemDelegateForColumn(RecordModel::Latency, new CellBarDelegate(this));
  QHeaderView* header = horizontalHeader();
  header->setSectionsMovable(true);
  header->setSortIndicatorShown(true);
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(header, &QWidget::customContextMenuRequested, this, [this, header](const QPoint& at) {
    QMenu menu(this);
    fillColumnMenu(&menu);
    menu.exec(header->mapToGlobal(at));
  });
  connect(header, &QHeaderView::sectionClicked, this, &RecordTable::sortBy);
  connect(&Theme::instance(), &Theme::changed, this, &RecordTable::fitColumns);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  fitColumns();
}

// --- columns

void RecordTable::fitColumns() {
  for (int column = 0; column < RecordModel::ColumnCount; ++column)
    if (const char* widest = described(column).widest)
      horizontalHeader()->resizeSection(
          column, fontMetrics().horizontalAdvance(QString::fromUtf8(widest)) + 18);
  horizontalHeader()->setStretchLastSection(true);
}

void RecordTable::setColumnShown(Column column, bool shown) {
  if (shown)
    columns_.insert(column);
  else if (columns_.size() > 1)
    columns_.erase(column);
  showHeader();
}

std::vector<int> RecordTable::shownColumns() const {
  std::vector<int> columns;
  const QHeaderView* header = horizontalHeader();
  for (int visual = 0; visual < header->count(); ++visual)
    if (const int column = header->logicalIndex(visual); !header->isSectionHidden(column))
      columns.push_back(column);
  return columns;
}

void RecordTable::showHeader() {
  const bool oneTask = records_->listing().task != 0 && !scope_->filter().has(FilterField::Task);
  for (int column = 0; column < RecordModel::ColumnCount; ++column)
    setColumnHidden(column,
                    !columns_.contains(Column(column)) || (column == RecordModel::Task && oneTask));
  const BrowseOrder order = scope_->order();
  const auto sorts = [order](int column) {
    const auto& orders = described(column).orders;
    return orders && (orders->up == order || orders->down == order);
  };
  int sorted = 0;
  while (!sorts(sorted))
    ++sorted; // each order is by one of them
  const bool up = described(sorted).orders->up == order;
  // Within a session trials are counted as they come.
  if (sorted == RecordModel::Number && !scope_->allSessions()) sorted = RecordModel::Trial;
  horizontalHeader()->setSortIndicator(sorted, up ? Qt::AscendingOrder : Qt::DescendingOrder);
}

void RecordTable::sortBy(int column) {
  const bool byAge = column == RecordModel::Trial && !scope_->allSessions();
  const auto& orders = described(byAge ? int(RecordModel::Number) : column).orders;
  if (!orders) return showHeader(); // the arrow goes back to where it belongs
  const auto [first, second] =
      orders->downFirst ? std::pair(orders->down, orders->up) : std::pair(orders->up, orders->down);
  scope_->setOrder(scope_->order() == first ? second : first);
}

void RecordTable::fillColumnMenu(QMenu* menu) {
  menu->clear();
  menu->setToolTipsVisible(true);
  for (int i = 0; i < RecordModel::ColumnCount; ++i) {
    const auto column = Column(i);
    QAction* action = menu->addAction(
        described(i).title, this, [this, column](bool shown) { setColumnShown(column, shown); });
    action->setToolTip(described(i).tip);
    action->setCheckable(true);
    action->setChecked(isColumnChosen(column));
  }
}

// --- rows

std::vector<RowId> RecordTable::selectedRecords() const {
  std::vector<RowId> records;
  if (selectedCount() > SelectedRecords::kMost) return records;
  const std::shared_ptr<const RecordRanks> ranks = records_->ranks();
  for (const auto& [first, last] : selectedRanges()) {
    if (ranks) { // of many millions one alone takes microseconds
      std::ranges::copy(ranks->collect(first, std::min<std::int64_t>(last, ranks->size() - 1)),
                        std::back_inserter(records));
      continue;
    }
    for (int row = first; row <= last; ++row)
      if (const RowId record = records_->recordAt(row)) records.push_back(record);
  }
  return records;
}

ExportTable RecordTable::shown() const {
  ExportTable table;
  const std::vector<int> columns = shownColumns();
  for (const int column : columns)
    table.headers.append(records_->headerData(column, Qt::Horizontal, ExportRole).toString());
  table.rows = [this, columns](const std::function<bool(const QStringList&)>& take) {
    std::vector<std::pair<int, int>> ranges = selectedRanges();
    if (selectedCount() < 2) ranges = {{0, std::min(records_->rowCount(), kMostShown) - 1}};
    int left = kMostShown;
    for (const auto& [first, last] : ranges)
      for (int row = first; row <= last && left > 0; ++row, --left) {
        if (!records_->textAt(row, RecordModel::Trial)) continue; // nobody has looked at it
        QStringList cells;
        for (const int column : columns) {
          const QModelIndex cell = records_->index(row, column);
          const QVariant bare = cell.data(ExportRole);
          cells.append(bare.isValid() ? bare.toString() : cell.data().toString());
        }
        if (!take(cells)) return;
      }
  };
  return table;
}

bool RecordTable::goTo(const QString& text) {
  QString word = text.trimmed();
  word.remove(QLatin1Char(',')).remove(QLatin1Char(' ')).remove(QChar(0x202f));
  const int rows = records_->rowCount();
  if (rows == 0 || word.isEmpty()) return false;
  const bool record = word.startsWith(QLatin1Char('#')), part = word.endsWith(QLatin1Char('%'));
  if (record) word.remove(0, 1);
  if (part) word.chop(1);
  bool isNumber = false;
  const double number = word.toDouble(&isNumber);
  if (!isNumber) return false;
  std::int64_t row = std::int64_t(number) - 1;
  if (part) row = std::llround(number / 100 * double(rows - 1));
  if (record) row = records_->rowOf(RowId(number));
  if (row < 0 || row >= rows) return false;
  selectRow(int(row));
  scrollTo(records_->index(int(row), std::max(0, horizontalHeader()->logicalIndexAt(0))),
           PositionAtCenter);
  setFocus();
  return true;
}

void RecordTable::askGoTo(const std::function<void(const QString& why)>& refuse) {
  bool accepted = false;
  const QString text = QInputDialog::getText(
      this, tr("Go to Row"),
      tr("Row of the list, 1 to %1, a part of it such as 50%, or the number of a record as #1234:")
          .arg(countText(records_->rowCount())),
      QLineEdit::Normal, {}, &accepted);
  if (accepted && !goTo(text)) refuse(tr("There is no row %1 in this list.").arg(text.trimmed()));
}

// --- kept with the document

nlohmann::json RecordTable::viewState() const {
  nlohmann::json columns = nlohmann::json::array();
  for (const Column column : columns_)
    columns.push_back(described(column).key);
  return {{"columns", columns},
          {"header", horizontalHeader()->saveState().toBase64().toStdString()}};
}

void RecordTable::restoreViewState(const nlohmann::json& state) {
  const QByteArray header =
      QByteArray::fromBase64(QByteArray::fromStdString(storedText(state, "header")));
  if (header.isEmpty() || !horizontalHeader()->restoreState(header)) fitColumns();
  columns_.clear();
  if (const auto columns = state.find("columns"); columns != state.end() && columns->is_array())
    for (int i = 0; i < RecordModel::ColumnCount; ++i)
      if (std::find(columns->begin(), columns->end(), described(i).key) != columns->end())
        columns_.insert(Column(i));
  if (columns_.empty()) columns_ = usualColumns();
}

} // namespace nestwright::ui

#include "moc_record_table.cpp"
