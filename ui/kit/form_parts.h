#pragma once
/// \file Small parts of tool bars, each with its name for those who do not see it.

#include <QString>

class QLayout;
class QSpinBox;
class QToolButton;
class QWidget;

namespace nestwright::ui {

QSpinBox* spinBox(int low, int high, int value, const QString& name, const QString& tip,
                  QWidget* parent);
QToolButton* textButton(const QString& text, const QString& tip, QWidget* parent);
/// The box behind a label with its name; the two stay together.
void addLabelled(QLayout* bar, QSpinBox* box);

} // namespace nestwright::ui
