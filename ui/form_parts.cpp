#include "ui/form_parts.h"

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

void addLabelled(QHBoxLayout* bar, QSpinBox* box) {
  auto* label = new QLabel(box->accessibleName(), bar->parentWidget());
  label->setBuddy(box);
  label->setToolTip(box->toolTip());
  bar->addSpacing(4);
  bar->addWidget(label);
  bar->addWidget(box);
}

} // namespace nestwright::ui
