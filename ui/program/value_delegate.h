#pragma once
/// \file Cells of a program that can be changed: a box of choices (ChoicesRole) where there are
/// some, a line of text elsewhere.

#include <QStyledItemDelegate>

namespace nestwright::ui {

class ValueDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;
  void setModelData(QWidget* editor, QAbstractItemModel* model,
                    const QModelIndex& index) const override;
};

} // namespace nestwright::ui
