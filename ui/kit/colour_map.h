#pragma once
/// \file Numbers as colours: a sequential map whose lightness alone tells the order, so that it
/// reads the same for all kinds of colour vision and in grey print.

#include <QColor>

namespace nestwright::ui {

/// The colour of a fraction from 0 (near the background) to 1, in the theme's light or dark form;
/// values outside are taken for the nearest end.
QColor mapColour(double fraction, bool dark);

/// Black or white, whichever reads better on this background.
QColor textOn(const QColor& background);

/// Relative luminance as WCAG 2 defines it, 0 for black and 1 for white.
double luminance(const QColor& colour);

} // namespace nestwright::ui
