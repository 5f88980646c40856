#include "ui/kit/look/text_colour.h"

#include "ui/kit/colours.h"
#include "ui/kit/theme.h"

#include <QPalette>
#include <QWidget>

namespace nestwright::ui {

void setTextColour(QWidget* widget, const QColor& colour) {
  QPalette palette = widget->palette();
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(role, colour);
  widget->setPalette(palette);
}

void keepTextColour(QWidget* widget, QColor Colours::*colour) {
  const auto set = [widget, colour] { setTextColour(widget, colours().*colour); };
  set();
  QObject::connect(&Theme::instance(), &Theme::changed, widget, set);
}

} // namespace nestwright::ui
