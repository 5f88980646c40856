#include "ui/kit/look/side_badge.h"

#include "ui/kit/contrast.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/theme.h"

#include <QApplication>

namespace nestwright::ui {

SideBadge::SideBadge(Side side, QWidget* parent)
    : OnSurface<QLabel>(
          [side] {
            return Surface{colourOf(side), {}, 3};
          },
          letterOf(side), parent),
      side_(side) {
  setAlignment(Qt::AlignCenter);
  connect(&Theme::instance(), &Theme::changed, this, &SideBadge::restyle);
  restyle();
}

void SideBadge::restyle() {
  QFont bold = QApplication::font();
  bold.setBold(true);
  setFont(bold);
  const int height = QFontMetrics(bold).height();
  setFixedSize(height + 4, height + 2);
  setTextColour(this, writingOn(colourOf(side_)));
}

} // namespace nestwright::ui

#include "moc_side_badge.cpp"
