#pragma once
/// \file Fonts, and what follows from them, at the zoom in force.

#include <QFont>

namespace nestwright::ui {

/// The fixed-width font for program text.
QFont codeFont();
/// A font a little smaller than the application's, for secondary text.
QFont smallFont();
/// Height of a dense table row, in pixels.
int tableRowHeight();

} // namespace nestwright::ui
