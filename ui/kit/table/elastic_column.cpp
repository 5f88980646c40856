#include "ui/kit/table/elastic_column.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>

namespace nestwright::ui {

namespace {

/// As many rows as Qt itself measures for a column's width: each takes some microseconds.
constexpr int kMeasuredRows = 1000;

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
  if (!longest_) {
    longest_ = 0;
    for (int row = 0; row < std::min(model->rowCount(), kMeasuredRows); ++row)
      longest_ = std::max(*longest_,
                          metrics.horizontalAdvance(model->index(row, column_).data().toString()));
  }
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
