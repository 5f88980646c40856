#pragma once
/// \file Small parts of tool bars and forms, each with its name and its tip for those who do not
/// see it.

#include <QLineEdit>
#include <QSpinBox>
#include <QString>
#include <QToolButton>

class QComboBox;
class QLayout;

namespace nestwright::ui {

/// A button without a frame. The tip is told to screen readers, too.
QToolButton* flatButton(QWidget* parent, const QString& text, const QString& tip);
/// One that stays down until it is pressed again.
QToolButton* flatToggle(QWidget* parent, const QString& text, const QString& tip);
/// A button with a frame.
QToolButton* textButton(QWidget* parent, const QString& text, const QString& tip);

/// A box for numbers: QSpinBox or QDoubleSpinBox.
template <class Box = QSpinBox>
Box* numberBox(QWidget* parent, double low, double high, double value, const QString& name,
               const QString& tip) {
  auto* box = new Box(parent);
  box->setRange(low, high);
  box->setValue(value);
  box->setAccessibleName(name);
  box->template findChild<QLineEdit*>()->setAccessibleName(name);
  box->setToolTip(tip);
  return box;
}

/// A box with these to choose from.
QComboBox* choiceBox(QWidget* parent, const QStringList& items, const QString& name,
                     const QString& tip);

/// The box behind a label with its name; the two stay together.
void addLabelled(QLayout* bar, QSpinBox* box);

} // namespace nestwright::ui
