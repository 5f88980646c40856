#pragma once
/// \file Small parts of tool bars and forms, each with its name and its tip for those who do not
/// see it.

#include <QLineEdit>
#include <QSpinBox>
#include <QString>
#include <QToolButton>

class QComboBox;
class QLabel;
class QProgressBar;

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

/// One to be filled, that asks for room for 14 letters: the widest entry would decide otherwise.
QComboBox* narrowChoiceBox(QWidget* parent, const QString& name, const QString& tip);

/// The control behind a label with its name, or with its accessible one where none is given; the
/// two stay together.
QWidget* labelled(QWidget* control, const QString& name = {});

/// A bar that moves while something goes on.
QProgressBar* busyBar(QWidget* parent, const QString& name, const QString& tip);

/// A label for plain text that wraps, and that can be copied.
QLabel* sentenceLabel(QWidget* parent);
/// Without text it takes no room.
void sayOrHide(QLabel* label, const QString& text);

} // namespace nestwright::ui
