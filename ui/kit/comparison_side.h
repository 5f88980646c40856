#pragma once
/// \file The two sides of a comparison, with the same letters and colours in every view.

#include <QColor>
#include <QString>

namespace nestwright::ui {

enum class Side { None, A, B };

/// "A", "B"; empty for none.
QString letterOf(Side side);
QColor colourOf(Side side);

} // namespace nestwright::ui
