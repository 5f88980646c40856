#pragma once
/// \file How well writing can be told from its ground, as WCAG 2 defines it.

#include <QColor>

namespace nestwright::ui {

/// 1 for the same colour up to 21 for black on white; text wants 4.5.
double contrastRatio(const QColor& a, const QColor& b);

/// Dark or white writing, whichever is read better on this ground.
QColor writingOn(const QColor& ground);

} // namespace nestwright::ui
