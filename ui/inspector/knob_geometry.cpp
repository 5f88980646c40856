#include "ui/inspector/knob_geometry.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr double kGrabPixels = 9;
constexpr double kHeadPixels = 20; // beside an axis, above it

} // namespace

double KnobGeometry::gap() const {
  return area.width() / static_cast<double>(std::max<std::size_t>(2, axes) - 1);
}

QPointF KnobGeometry::pixelOf(std::size_t axis, double place) const {
  return {area.left() + gap() * static_cast<double>(axis), area.bottom() - place * area.height()};
}

double KnobGeometry::placeAt(double y) const {
  return (area.bottom() - y) / std::max(1, area.height());
}

double KnobGeometry::reach() const {
  return kGrabPixels / std::max(1, area.height());
}

std::optional<std::size_t> KnobGeometry::axisAt(const QPointF& pixel) const {
  const double place = placeAt(pixel.y());
  if (place < -reach() || place > 1 + reach()) return std::nullopt;
  for (std::size_t axis = 0; axis < axes; ++axis)
    if (std::abs(pixelOf(axis, 0).x() - pixel.x()) <= kGrabPixels) return axis;
  return std::nullopt;
}

std::optional<std::size_t> KnobGeometry::headAt(const QPointF& pixel) const {
  if (pixel.y() < 0 || pixel.y() > area.top() - 3 || gap() <= 0) return std::nullopt;
  const double at = (pixel.x() - area.left()) / gap(), axis = std::round(at);
  if (axis < 0 || axis >= static_cast<double>(axes)) return std::nullopt;
  if (std::abs(at - axis) * gap() > kHeadPixels) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

} // namespace nestwright::ui
