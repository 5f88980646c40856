#include "ui/kit/contrast.h"

#include "ui/kit/colour_map.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

double contrastRatio(const QColor& a, const QColor& b) {
  const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
  return (light + 0.05) / (dark + 0.05);
}

QColor writingOn(const QColor& ground) {
  const QColor dark(0x101418), light(Qt::white);
  return contrastRatio(dark, ground) > contrastRatio(light, ground) ? dark : light;
}

} // namespace nestwright::ui
