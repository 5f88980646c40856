#pragma once
/// \file The round light that stands before a word of state.

#include <QPixmap>

class QColor;
class QWidget;

namespace nestwright::ui {

/// As high as two thirds of a line of the widget's text, sharp on its screen.
QPixmap statusDot(const QColor& colour, const QWidget& beside);

} // namespace nestwright::ui
