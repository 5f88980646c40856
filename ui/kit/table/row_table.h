#pragma once
/// \file A table of any number of rows. The stock view keeps 8 bytes a row for its vertical header
/// and counts pixels, which hangs at 50 million; this one scrolls by rows and looks only at those
/// that are on the screen.

#include <QAbstractItemView>
#include <QList>

class QHeaderView;

namespace nestwright::ui {

class RowTable : public QAbstractItemView {
  Q_OBJECT
 public:
  explicit RowTable(QWidget* parent = nullptr);

  QHeaderView* horizontalHeader() const { return header_; }
  bool isColumnHidden(int column) const;
  void setColumnHidden(int column, bool hidden);
  void selectRow(int row);
  /// The first row on the screen, and how many fit in whole.
  int topRow() const;
  int rowsShown() const;
  void setTopRow(int row);
  /// The ranges of rows that are selected, ascending; never one by one.
  std::vector<std::pair<int, int>> selectedRanges() const;
  std::int64_t selectedCount() const;

  // QAbstractItemView
  void setModel(QAbstractItemModel* model) override;
  QRect visualRect(const QModelIndex& index) const override;
  void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;
  QModelIndex indexAt(const QPoint& point) const override;

 protected:
  QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
  int horizontalOffset() const override;
  int verticalOffset() const override;
  bool isIndexHidden(const QModelIndex& index) const override;
  void setSelection(const QRect& rect, QItemSelectionModel::SelectionFlags command) override;
  QRegion visualRegionForSelection(const QItemSelection& selection) const override;
  void rowsInserted(const QModelIndex& parent, int start, int end) override;
  void dataChanged(const QModelIndex& topLeft, const QModelIndex& bottomRight,
                   const QList<int>& roles = {}) override;
  void reset() override;
  void updateGeometries() override;
  void scrollContentsBy(int dx, int dy) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void startDrag(Qt::DropActions actions) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  int sizeHintForColumn(int column) const override;

 private:
  int rowCount() const;
  int rowHeight() const;
  /// The row at this height; those before the first and after the last count as they.
  int rowAt(int y) const;
  void paintRow(QPainter& painter, int row, const QStyleOptionViewItem& base);

  QHeaderView* header_;
  int anchor_ = 0;   // where an extended selection began
  int movedTo_ = -1; // where the mouse is while it selects
};

} // namespace nestwright::ui
