#pragma once
/// \file Where the axes of a plot of knobs are, and places of them, in pixels.

#include <QPointF>
#include <QRect>

#include <cstddef>
#include <optional>

namespace nestwright::ui {

struct KnobGeometry {
  QRect area; // between the first axis and the last
  std::size_t axes = 0;

  /// From an axis to the next.
  double gap() const;
  /// 0 is the lower end of an axis, 1 the upper one.
  QPointF pixelOf(std::size_t axis, double place) const;
  double placeAt(double y) const;
  /// How far from a line the mouse may be, as a share of an axis.
  double reach() const;
  /// The axis at this place.
  std::optional<std::size_t> axisAt(const QPointF& pixel) const;
  /// The axis whose name or bar is at this place.
  std::optional<std::size_t> headAt(const QPointF& pixel) const;
};

} // namespace nestwright::ui
