#include "ui/kit/table/elastic_column.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>
#include <functional>
#include <vector>

namespace nestwright::ui {

namespace {

/// As many rows as Qt itself looks at for a column's width.
constexpr int kRows = 1000;
/// Measured are those of the most letters: each takes some microseconds, and several tables of
/// tasks are filled at once when a file opens.
constexpr int kMeasuredRows = 100;

/// How wide the text of the column is at its widest.
int widestText(const QAbstractItemModel& model, int column, const QFontMetrics& metrics) {
  std::vector<QString> texts;
  const int rows = std::min(model.rowCount(), kRows);
  texts.reserve(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row)
    texts.push_back(model.index(row, column).data().toString());
  const auto measured = texts.begin() + std::min(rows, kMeasuredRows);
  std::ranges::nth_element(texts, measured, std::ranges::greater(), &QString::size);
  int widest = 0;
  for (auto text = texts.begin(); text != measured; ++text)
    widest = std::max(widest, metrics.horizontalAdvance(*text));
  return widest;
}

} // namespace

ElasticColumn::ElasticColumn(QTableView* table, int column, const QString& least, int lastInSight)
    : QObject(table), table_(table), column_(column), lastInSight_(lastInSight), least_(least) {
  table->installEventFilter(this);
  table->viewport()->installEventFilter(this);
  const QAbstractItemModel* model = table->model();
  const auto read = [this] {
    longest_.reset();
    fit();
  };
  connect(model, &QAbstractItemModel::modelReset, this, read);
  connect(model, &QAbstractItemModel::rowsInserted, this, read);
  connect(model, &QAbstractItemModel::dataChanged, this,
          [this](const QModelIndex& first, const QModelIndex& last) {
            if (first.column() <= column_ && column_ <= last.column()) longest_.reset();
          });
  connect(table->horizontalHeader(), &QHeaderView::sectionResized, this,
          [this](int section, int, int) {
            if (fitting_) return;
            // Only the mouse sets a width of ours; the code of the view sets the others'.
            if (section == column_)
              setByUser_ = QGuiApplication::mouseButtons() != Qt::NoButton || setByUser_;
            else
              fit();
          });
  fit();
}

bool ElasticColumn::eventFilter(QObject* watched, QEvent* event) {
  const bool isResized = watched == table_->viewport() && event->type() == QEvent::Resize;
  const bool isRestyled = watched == table_ && event->type() == QEvent::FontChange;
  if (isRestyled) longest_.reset();
  if (isResized || isRestyled) fit();
  return false;
}

void ElasticColumn::fit() {
  if (setByUser_ || fitting_) return;
  const QFontMetrics metrics = table_->fontMetrics();
  const int around = 3 * metrics.height(); // a colour before the name, a mark behind it
  const QAbstractItemModel* model = table_->model();
  if (!longest_) longest_ = widestText(*model, column_, metrics);
  int others = 0;
  const int last = lastInSight_ < 0 ? model->columnCount() - 1 : lastInSight_;
  for (int column = 0; column <= last; ++column)
    if (column != column_ && !table_->isColumnHidden(column)) others += table_->columnWidth(column);
  const int least = metrics.horizontalAdvance(least_) + around;
  fitting_ = true;
  table_->setColumnWidth(column_, std::clamp(table_->viewport()->width() - others, least,
                                             std::max(least, *longest_ + around)));
  fitting_ = false;
}

} // namespace nestwright::ui

#include "moc_elastic_column.cpp"
