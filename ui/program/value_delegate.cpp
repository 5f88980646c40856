#include "ui/program/value_delegate.h"

#include "ui/kit/roles.h"

#include <QComboBox>

namespace nestwright::ui {

QWidget* ValueDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                     const QModelIndex& index) const {
  const QStringList choices = index.data(ChoicesRole).toStringList();
  if (choices.isEmpty()) return QStyledItemDelegate::createEditor(parent, option, index);
  auto* box = new QComboBox(parent);
  box->addItems(choices);
  connect(box, &QComboBox::activated, this, [this, box] {
    auto* self = const_cast<ValueDelegate*>(this);
    Q_EMIT self->commitData(box);
    Q_EMIT self->closeEditor(box);
  });
  return box;
}

void ValueDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  if (auto* box = qobject_cast<QComboBox*>(editor))
    box->setCurrentText(index.data(Qt::EditRole).toString());
  else
    QStyledItemDelegate::setEditorData(editor, index);
}

void ValueDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                 const QModelIndex& index) const {
  if (auto* box = qobject_cast<QComboBox*>(editor))
    model->setData(index, box->currentText());
  else
    QStyledItemDelegate::setModelData(editor, model, index);
}

} // namespace nestwright::ui

#include "moc_value_delegate.cpp"
