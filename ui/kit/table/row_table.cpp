#include "ui/kit/table/row_table.h"

#include "ui/kit/drag_label.h"
#include "ui/kit/fonts.h"
#include "ui/kit/theme.h"

#include <QDrag>
#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace nestwright::ui {

RowTable::RowTable(QWidget* parent)
    : QAbstractItemView(parent), header_(new QHeaderView(Qt::Horizontal, this)) {
  setAlternatingRowColors(true);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setHorizontalScrollMode(ScrollPerPixel);
  setTabKeyNavigation(false);
  setEditTriggers(NoEditTriggers);
  setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  header_->setSectionsClickable(true);
  header_->setHighlightSections(false);
  header_->setMinimumSectionSize(36);
  header_->setStretchLastSection(true);
  header_->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  const auto relayout = [this] {
    updateGeometries();
    viewport()->update();
  };
  connect(header_, &QHeaderView::sectionResized, this, relayout);
  connect(header_, &QHeaderView::sectionMoved, this, relayout);
  connect(header_, &QHeaderView::sectionCountChanged, this, relayout);
  connect(header_, &QHeaderView::geometriesChanged, this, relayout);
  connect(header_, &QHeaderView::sectionHandleDoubleClicked, this, [this](int column) {
    header_->resizeSection(column,
                           std::max(sizeHintForColumn(column), header_->sectionSizeHint(column)));
  });
  connect(&Theme::instance(), &Theme::changed, this, relayout);
}

int RowTable::rowCount() const {
  return model() ? model()->rowCount(rootIndex()) : 0;
}

int RowTable::rowHeight() const {
  return std::max(1, tableRowHeight());
}

int RowTable::topRow() const {
  return verticalScrollBar()->value();
}

int RowTable::rowsShown() const {
  return std::max(1, viewport()->height() / rowHeight());
}

void RowTable::setTopRow(int row) {
  verticalScrollBar()->setValue(row);
}

bool RowTable::isColumnHidden(int column) const {
  return header_->isSectionHidden(column);
}

void RowTable::setColumnHidden(int column, bool hidden) {
  header_->setSectionHidden(column, hidden);
}

void RowTable::selectRow(int row) {
  if (row < 0 || row >= rowCount()) return;
  const QModelIndex cell = model()->index(row, std::max(0, header_->logicalIndexAt(0)));
  anchor_ = row;
  selectionModel()->setCurrentIndex(cell, QItemSelectionModel::ClearAndSelect |
                                              QItemSelectionModel::Rows);
}

std::vector<std::pair<int, int>> RowTable::selectedRanges() const {
  std::vector<std::pair<int, int>> ranges;
  if (!selectionModel()) return ranges;
  for (const QItemSelectionRange& range : selectionModel()->selection())
    if (range.isValid()) ranges.emplace_back(range.top(), range.bottom());
  std::sort(ranges.begin(), ranges.end());
  // Ranges of the same rows in several columns are one.
  std::vector<std::pair<int, int>> joined;
  for (const auto& range : ranges)
    if (!joined.empty() && range.first <= joined.back().second + 1)
      joined.back().second = std::max(joined.back().second, range.second);
    else
      joined.push_back(range);
  return joined;
}

std::int64_t RowTable::selectedCount() const {
  std::int64_t count = 0;
  for (const auto& [first, last] : selectedRanges())
    count += last - first + 1;
  return count;
}

void RowTable::setModel(QAbstractItemModel* model) {
  QAbstractItemView::setModel(model);
  header_->setModel(model);
  updateGeometries();
}

// --- where things are

QRect RowTable::visualRect(const QModelIndex& index) const {
  if (!index.isValid() || isIndexHidden(index)) return {};
  // Far rows are only ever asked for to be compared with the screen.
  const std::int64_t y = std::clamp<std::int64_t>(
      (std::int64_t(index.row()) - topRow()) * rowHeight(), -1'000'000, 1'000'000);
  return {header_->sectionViewportPosition(index.column()), int(y),
          header_->sectionSize(index.column()), rowHeight()};
}

int RowTable::rowAt(int y) const {
  const int step = y >= 0 ? y / rowHeight() : -1;
  return std::clamp(topRow() + step, 0, std::max(0, rowCount() - 1));
}

QModelIndex RowTable::indexAt(const QPoint& point) const {
  if (!model() || point.y() < 0) return {};
  const std::int64_t row = std::int64_t(topRow()) + point.y() / rowHeight();
  const int column = header_->logicalIndexAt(point.x());
  if (row >= rowCount() || column < 0) return {};
  return model()->index(int(row), column, rootIndex());
}

void RowTable::scrollTo(const QModelIndex& index, ScrollHint hint) {
  if (!index.isValid()) return;
  const int row = index.row(), shown = rowsShown();
  if (hint == PositionAtCenter)
    setTopRow(row - shown / 2);
  else if (hint == PositionAtTop || (hint == EnsureVisible && row < topRow()))
    setTopRow(row);
  else if (hint == PositionAtBottom || row >= topRow() + shown)
    setTopRow(row - shown + 1);
  const int left = header_->sectionViewportPosition(index.column());
  const int width = header_->sectionSize(index.column());
  QScrollBar* bar = horizontalScrollBar();
  if (left < 0 || width > viewport()->width())
    bar->setValue(bar->value() + left);
  else if (left + width > viewport()->width())
    bar->setValue(bar->value() + left + width - viewport()->width());
  viewport()->update();
}

int RowTable::horizontalOffset() const {
  return header_->offset();
}

/// Only differences between two moments matter, and 50 million rows are more pixels than an int
/// holds.
int RowTable::verticalOffset() const {
  return (topRow() % (1 << 20)) * rowHeight();
}

bool RowTable::isIndexHidden(const QModelIndex& index) const {
  return header_->isSectionHidden(index.column());
}

QRegion RowTable::visualRegionForSelection(const QItemSelection&) const {
  return viewport()->rect();
}

int RowTable::sizeHintForColumn(int column) const {
  int widest = 0;
  const int last = std::min(rowCount(), topRow() + rowsShown() + 1);
  for (int row = topRow(); row < last; ++row) {
    const QString text = model()->index(row, column).data().toString();
    widest = std::max(widest, fontMetrics().horizontalAdvance(text) + 18);
  }
  return widest;
}

void RowTable::updateGeometries() {
  const int height = header_->isVisibleTo(this) ? header_->sizeHint().height() : 0;
  if (viewportMargins().top() != height) setViewportMargins(0, height, 0, 0);
  const QRect area = viewport()->geometry();
  header_->setGeometry(area.left(), area.top() - height, area.width(), height);
  const int shown = rowsShown();
  verticalScrollBar()->setPageStep(shown);
  verticalScrollBar()->setSingleStep(1);
  verticalScrollBar()->setRange(0, std::max(0, rowCount() - shown));
  horizontalScrollBar()->setPageStep(area.width());
  horizontalScrollBar()->setSingleStep(std::max(area.width() / 20, 1));
  horizontalScrollBar()->setRange(0, std::max(0, header_->length() - area.width()));
  QAbstractItemView::updateGeometries();
}

void RowTable::scrollContentsBy(int dx, int) {
  if (dx != 0) header_->setOffset(horizontalScrollBar()->value());
  viewport()->update();
}

void RowTable::rowsInserted(const QModelIndex& parent, int start, int end) {
  const int top = topRow();
  QAbstractItemView::rowsInserted(parent, start, end);
  if (anchor_ >= start) anchor_ += end - start + 1;
  updateGeometries();
  // Whoever has scrolled down keeps what is there; at the top the newest come into view.
  if (top > 0 && start <= top) setTopRow(top + end - start + 1);
  viewport()->update();
}

/// The stock view asks where each cell of the range is, which may be hundreds of millions.
void RowTable::dataChanged(const QModelIndex& topLeft, const QModelIndex& bottomRight,
                           const QList<int>& roles) {
  if (!topLeft.isValid() || !bottomRight.isValid()) return viewport()->update();
  const int first = std::max(topLeft.row(), topRow());
  const int last = std::min(bottomRight.row(), topRow() + rowsShown() + 1);
  if (first > last) return;
  QAbstractItemView::dataChanged(topLeft.siblingAtRow(first), bottomRight.siblingAtRow(last),
                                 roles);
}

void RowTable::reset() {
  const int top = topRow();
  anchor_ = 0;
  QAbstractItemView::reset();
  updateGeometries();
  setTopRow(top);
}

// --- keys and mouse

QModelIndex RowTable::moveCursor(CursorAction action, Qt::KeyboardModifiers) {
  if (rowCount() == 0) return {};
  const QModelIndex current = currentIndex();
  std::int64_t row = current.isValid() ? current.row() : topRow();
  const int page = std::max(1, rowsShown() - 1);
  if (!current.isValid() && action != MoveEnd)
    row = topRow();
  else
    switch (action) {
    case MoveUp:
    case MovePrevious:
      --row;
      break;
    case MoveDown:
    case MoveNext:
      ++row;
      break;
    case MovePageUp:
      row -= page;
      break;
    case MovePageDown:
      row += page;
      break;
    case MoveHome:
      row = 0;
      break;
    case MoveEnd:
      row = rowCount() - 1;
      break;
    case MoveLeft:
      horizontalScrollBar()->triggerAction(QScrollBar::SliderSingleStepSub);
      break;
    case MoveRight:
      horizontalScrollBar()->triggerAction(QScrollBar::SliderSingleStepAdd);
      break;
    }
  const int column = current.isValid() ? current.column() : std::max(0, header_->logicalIndexAt(0));
  return model()->index(int(std::clamp<std::int64_t>(row, 0, rowCount() - 1)), column, rootIndex());
}

void RowTable::setSelection(const QRect& rect, QItemSelectionModel::SelectionFlags command) {
  if (!selectionModel() || rowCount() == 0) return;
  int first = rowAt(rect.top()), last = rowAt(rect.bottom());
  if (command.testFlag(QItemSelectionModel::Current)) {
    // From where it began to where the user is now, however far that is off the screen.
    last = state() == DragSelectingState && movedTo_ >= 0 ? movedTo_ : currentIndex().row();
    first = std::clamp(anchor_, 0, rowCount() - 1);
  } else if (!indexAt(rect.center()).isValid()) {
    selectionModel()->select(QItemSelection(), command);
    return;
  } else {
    anchor_ = first;
  }
  if (first > last) std::swap(first, last);
  selectionModel()->select(
      QItemSelection(model()->index(first, 0, rootIndex()),
                     model()->index(last, model()->columnCount() - 1, rootIndex())),
      command);
}

void RowTable::mouseMoveEvent(QMouseEvent* event) {
  movedTo_ = rowAt(event->pos().y());
  QAbstractItemView::mouseMoveEvent(event);
  movedTo_ = -1;
}

/// A cell of each selected row: the stock way lists every cell of them, which may be millions.
void RowTable::startDrag(Qt::DropActions actions) {
  QModelIndexList rows;
  for (const auto& [first, last] : selectedRanges())
    for (int row = first; row <= last && rows.size() < kMostDragged; ++row)
      rows.append(model()->index(row, 0, rootIndex()));
  QMimeData* data = rows.isEmpty() ? nullptr : model()->mimeData(rows);
  if (data == nullptr) return;
  auto* drag = new QDrag(this); // deletes itself
  drag->setMimeData(data);
  drag->setPixmap(dragLabel(int(rows.size())));
  drag->setHotSpot(QPoint(-12, -8));
  drag->exec(actions & Qt::CopyAction ? Qt::CopyAction : actions);
}

/// Rows are dragged from here, never onto it.
void RowTable::dragMoveEvent(QDragMoveEvent* event) {
  event->ignore();
}

// --- drawing

void RowTable::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  QStyleOptionViewItem base;
  initViewItemOption(&base);
  base.showDecorationSelected = true;
  const int count = rowCount(), height = rowHeight();
  for (int y = 0, row = topRow(); y < event->rect().bottom() + 1 && row < count;
       y += height, ++row) {
    if (y + height < event->rect().top()) continue;
    base.rect = QRect(0, y, viewport()->width(), height);
    paintRow(painter, row, base);
  }
}

void RowTable::paintRow(QPainter& painter, int row, const QStyleOptionViewItem& base) {
  QStyleOptionViewItem option = base;
  if (row % 2 != 0) option.features |= QStyleOptionViewItem::Alternate;
  const bool selected = selectionModel()->isRowSelected(row, rootIndex());
  option.state.setFlag(QStyle::State_Selected, selected);
  option.state.setFlag(QStyle::State_Active, isActiveWindow() && hasFocus());
  style()->drawPrimitive(QStyle::PE_PanelItemViewRow, &option, &painter, this);
  const QModelIndex current = currentIndex();
  for (int visual = 0; visual < header_->count(); ++visual) {
    const int column = header_->logicalIndex(visual);
    if (header_->isSectionHidden(column)) continue;
    option.rect.setLeft(header_->sectionViewportPosition(column));
    option.rect.setWidth(header_->sectionSize(column));
    if (option.rect.right() < 0) continue;
    if (option.rect.left() > viewport()->width()) break;
    const QModelIndex cell = model()->index(row, column, rootIndex());
    option.state.setFlag(QStyle::State_HasFocus, hasFocus() && cell == current);
    itemDelegateForIndex(cell)->paint(&painter, option, cell);
  }
}

} // namespace nestwright::ui

#include "moc_row_table.cpp"
