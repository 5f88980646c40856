#include "ui/kit/form_parts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

namespace nestwright::ui {

QSpinBox* spinBox(int low, int high, int value, const QString& name, const QString& tip,
                  QWidget* parent) {
  auto* box = new QSpinBox(parent);
  box->setRange(low, high);
  box->setValue(value);
  box->setAccessibleName(name);
  box->findChild<QLineEdit*>()->setAccessibleName(name);
  box->setToolTip(tip);
  return box;
}

QToolButton* textButton(const QString& text, const QString& tip, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleDescription(tip);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  return button;
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
