#pragma once
/// \file Names of lines, written beside them so that none hides another.

#include "ui/kit/plot_library.h"

#include <QRectF>

#include <vector>

namespace nestwright::ui {

/// Moves rectangles up or down until none overlaps another, each as little as can be and the first
/// ones least, within `room` as far as that is high enough.
std::vector<QRectF> spread(const std::vector<QRectF>& wanted, const QRectF& room);

/// The labels of one plot; they are spread whenever the plot is laid out.
class PlotLabels {
 public:
  explicit PlotLabels(QCustomPlot& plot);
  /// Takes part from now on, or has another place: in coordinates of its position. Those that were
  /// placed first keep nearest to it.
  void place(QCPItemText* label, double x, double y);
  /// Before the plot deletes it.
  void remove(QCPItemText* label);
  /// The plot deletes all of them.
  void deleteAll();
  /// Where a visible label is in pixels; for tests.
  static QRectF rectOf(const QCPItemText& label);

 private:
  struct Placed {
    QCPItemText* label;
    double x, y;
  };
  void layOut();

  QCustomPlot& plot_;
  std::vector<Placed> labels_;
};

} // namespace nestwright::ui
