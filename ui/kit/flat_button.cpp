#include "ui/kit/flat_button.h"

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

} // namespace nestwright::ui
