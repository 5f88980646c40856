#include "ui/kit/form_parts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>

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

QComboBox* narrowChoiceBox(QWidget* parent, const QString& name, const QString& tip) {
  QComboBox* box = choiceBox(parent, {}, name, tip);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(14);
  return box;
}

QWidget* labelled(QWidget* control, const QString& name) {
  auto* pair = new QWidget(control->parentWidget());
  auto* label = new QLabel(name.isEmpty() ? control->accessibleName() : name, pair);
  label->setBuddy(control);
  label->setToolTip(control->toolTip());
  auto* row = new QHBoxLayout(pair);
  row->setContentsMargins(0, 0, 6, 0);
  row->setSpacing(4);
  row->addWidget(label);
  // Numbers need no more room than they have.
  row->addWidget(control, qobject_cast<QAbstractSpinBox*>(control) ? 0 : 1);
  return pair;
}

QProgressBar* busyBar(QWidget* parent, const QString& name, const QString& tip) {
  auto* bar = new QProgressBar(parent);
  bar->setRange(0, 0);
  bar->setTextVisible(false);
  bar->setFixedSize(90, 8);
  bar->setAccessibleName(name);
  bar->setToolTip(tip);
  return bar;
}

QLabel* sentenceLabel(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

void sayOrHide(QLabel* label, const QString& text) {
  label->setText(text);
  label->setVisible(!text.isEmpty());
}

} // namespace nestwright::ui
