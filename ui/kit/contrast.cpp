#include "ui/kit/contrast.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

double luminance(const QColor& colour) {
  const auto linear = [](double part) {
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
         0.0722 * linear(colour.blueF());
}

} // namespace

double contrastRatio(const QColor& a, const QColor& b) {
  const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
  return (light + 0.05) / (dark + 0.05);
}

QColor writingOn(const QColor& ground) {
  const QColor dark(0x101418), light(Qt::white);
  return contrastRatio(dark, ground) > contrastRatio(light, ground) ? dark : light;
}

} // namespace nestwright::ui
