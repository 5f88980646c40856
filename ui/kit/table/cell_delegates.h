#pragma once
/// \file How table cells are drawn where text is not enough: a bar behind a share, a small curve, a
/// colour mark before a name, a box to tick.

#include <QStyledItemDelegate>

namespace nestwright::ui {

struct Colours;

/// Draws FractionRole as a bar behind the text.
class BarDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

/// Draws FractionRole as a bar over the colour of a row that is not selected, under the text.
class CellBarDelegate : public QStyledItemDelegate {
 public:
  /// Null: the accent.
  explicit CellBarDelegate(QObject* parent, QColor Colours::*colour = nullptr);
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  QColor Colours::*colour_;
};

/// Draws TrendRole as a line without axes.
class TrendDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

/// Puts the task's colour before its name, and a mark on the task that has the present round. A
/// name without room loses a part in which it is like the others of its column.
class TaskNameDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

/// A box to tick in the middle of a cell, drawn alike in light and dark; a click anywhere in the
/// cell, or the space bar, ticks it.
class CheckDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
};

/// Rows of a list with room around their texts.
class PaddedDelegate : public QStyledItemDelegate {
 public:
  /// px on either side.
  PaddedDelegate(QObject* parent, QSize padding) : QStyledItemDelegate(parent), padding_(padding) {}
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  QSize padding_;
};

} // namespace nestwright::ui
