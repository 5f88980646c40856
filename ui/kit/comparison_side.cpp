#include "ui/kit/comparison_side.h"

#include "ui/kit/colours.h"

namespace nestwright::ui {

QString letterOf(Side side) {
  return side == Side::A ? QStringLiteral("A") : side == Side::B ? QStringLiteral("B") : QString();
}

QColor colourOf(Side side) {
  // Blue and orange are told apart by all common kinds of colour vision.
  return side == Side::A   ? colours().series[0]
         : side == Side::B ? colours().series[1]
                           : colours().accent;
}

} // namespace nestwright::ui
