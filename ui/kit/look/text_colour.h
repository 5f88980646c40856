#pragma once
/// \file The colour of a widget's writing.

class QColor;
class QWidget;

namespace nestwright::ui {

struct Colours;

/// Writes in this colour, whether the widget is enabled or not; its children inherit it. It stays
/// when the theme changes: whoever sets it does so again then. Through the palette, because a
/// widget with a style sheet of its own is styled much slower, with all that is in it.
void setTextColour(QWidget* widget, const QColor& colour);
/// Writes in a colour of the theme, whichever that is.
void keepTextColour(QWidget* widget, QColor Colours::*colour);

} // namespace nestwright::ui
