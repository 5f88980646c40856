#pragma once
/// \file A box to tick in the middle of a cell, drawn alike in light and dark; a click anywhere in
/// the cell, or the space bar, ticks it.

#include <QStyledItemDelegate>

namespace nestwright::ui {

class CheckDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
};

} // namespace nestwright::ui
