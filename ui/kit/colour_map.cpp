#include "ui/kit/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nestwright::ui {
namespace {

// Yellow-green-blue after ColorBrewer's YlGnBu, which is safe for all kinds of colour vision; in
// the dark theme it runs the other way, so that more is further from the background in both.
constexpr std::array<QRgb, 6> kLight = {0xf7faf0, 0xd5edc4, 0x8fd3bb, 0x41aec3, 0x1f6fae, 0x172c73};
constexpr std::array<QRgb, 6> kDark = {0x262d38, 0x26436b, 0x1f6f9f, 0x2ea3b5, 0x86d2b0, 0xf0f3b4};

double linear(double channel) {
  return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

int between(int from, int to, double part) {
  return static_cast<int>(std::lround(from + (to - from) * part));
}

} // namespace

QColor mapColour(double fraction, bool dark) {
  const auto& stops = dark ? kDark : kLight;
  const double place =
      (fraction >= 0 ? std::min(fraction, 1.0) : 0.0) * static_cast<double>(stops.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const double part = place - static_cast<double>(low);
  const QColor a(stops[low]), b(stops[low + 1]);
  return {between(a.red(), b.red(), part), between(a.green(), b.green(), part),
          between(a.blue(), b.blue(), part)};
}

double luminance(const QColor& colour) {
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
         0.0722 * linear(colour.blueF());
}

QColor textOn(const QColor& background) {
  // Where black and white have the same contrast: (L + 0.05)^2 = 1.05 * 0.05.
  static constexpr double kEven = 0.179;
  return luminance(background) > kEven ? QColor(0x10141a) : QColor(0xf5f7fa);
}

} // namespace nestwright::ui
