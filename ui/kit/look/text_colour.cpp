#include "ui/kit/look/text_colour.h"

#include <QPalette>
#include <QWidget>

namespace nestwright::ui {

void setTextColour(QWidget* widget, const QColor& colour) {
  QPalette palette = widget->palette();
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(role, colour);
  widget->setPalette(palette);
}

} // namespace nestwright::ui
