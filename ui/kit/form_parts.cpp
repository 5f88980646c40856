#include "ui/kit/form_parts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>

namespace nestwright::ui {

QToolButton* flatButton(QWidget* parent, const QString& text, const QString& tip) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(tip);
  // A sign as a text says nothing when it is read out.
  if (text.isEmpty() || !text.front().isLetter()) button->setAccessibleName(tip);
  button->setAccessibleDescription(tip);
  button->setAutoRaise(true);
  return button;
}

QToolButton* flatToggle(QWidget* parent, const QString& text, const QString& tip) {
  QToolButton* button = flatButton(parent, text, tip);
  button->setCheckable(true);
  return button;
}

QToolButton* textButton(QWidget* parent, const QString& text, const QString& tip) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleDescription(tip);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  return button;
}

QComboBox* choiceBox(QWidget* parent, const QStringList& items, const QString& name,
                     const QString& tip) {
  auto* box = new QComboBox(parent);
  box->addItems(items);
  box->setAccessibleName(name);
  box->setToolTip(tip);
  return box;
}

void addLabelled(QLayout* bar, QSpinBox* box) {
  auto* pair = new QWidget(box->parentWidget());
  auto* label = new QLabel(box->accessibleName(), pair);
  label->setBuddy(box);
  label->setToolTip(box->toolTip());
  auto* row = new QHBoxLayout(pair);
  row->setContentsMargins(4, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(label);
  row->addWidget(box);
  bar->addWidget(pair);
}

} // namespace nestwright::ui
