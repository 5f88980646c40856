#pragma once
/// \file Painting a plot of knobs: lines, axes with names, values, ranges and importance, legend.

#include "core/story/decisions/knob_brush.h"
#include "ui/inspector/knob_geometry.h"

#include <QMargins>
#include <QSize>

#include <optional>
#include <span>

class QCPPainter;
class QPen;

namespace nestwright::ui {

/// Around the lines: names of the axes and bars of importance above, the legend below.
QMargins knobMargins(const KnobLines& lines);

class KnobPainter {
 public:
  /// Onto a plot of this size. Paints nothing where there are no lines.
  KnobPainter(QCPPainter& painter, const KnobLines& lines, const KnobGeometry& at, QSize plot);

  void paintLines(std::span<const KnobSegment> segments) const;
  /// `marked` is the axis that the keys are about.
  void paintAxes(std::span<const KnobBrush> brushes, std::optional<std::size_t> marked) const;
  void paintLegend(std::span<const KnobSegment> segments) const;
  void paintLine(const KnobLine& line, const QPen& pen, bool dots) const;

 private:
  void paintAxis(std::size_t axis, const KnobBrush* brush, bool marked) const;
  void paintImportance(std::size_t axis) const;

  QCPPainter& painter_;
  const KnobLines& lines_;
  KnobGeometry at_;
  QSize plot_;
};

} // namespace nestwright::ui
