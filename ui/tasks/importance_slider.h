#pragma once
/// \file An importance as a small slider with its number: a click or drag sets one of a few steps,
/// an editor any number.

#include <QStyledItemDelegate>

namespace nestwright::ui {

class ImportanceSlider : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;

  /// The importance at a place of the slider, 0 to 1, and the place of an importance.
  static double importanceAt(double place);
  static double placeOf(double importance);
  /// Where the slider runs in a cell.
  static QRect groove(const QStyleOptionViewItem& option);
};

} // namespace nestwright::ui
