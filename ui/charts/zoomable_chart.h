#pragma once
/// \file Charts that are looked at closely: the wheel zooms, dragging moves the axes, a double
/// click or Home shows everything again. A point that is pressed and moved is dragged elsewhere.

#include "ui/charts/chart.h"

#include <QPoint>

namespace nestwright::ui {

class ZoomableChart : public Chart {
  Q_OBJECT
 public:
  /// True while the user looks at a part; then new points do not move the axes.
  bool isZoomed() const { return zoomed_; }
  /// Shows everything again.
  virtual void showAll();

 Q_SIGNALS:
  void zoomChanged();

 protected:
  using Chart::Chart;
  /// The point that dragging from here would take along.
  virtual std::optional<int> grabAt(const QPointF& position) const { return pointAt(position); }
  /// A point was pressed and moved.
  virtual void drag(int) {}
  /// The points become others: the one that is told of, and the one that is pressed, may be gone.
  void forgetPoints();

  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

  bool zoomed_ = false;

 private:
  void zoom();
  bool isMoved(const QMouseEvent& event, int pixels) const;

  QPoint pressed_;
  bool held_ = false;          // the mouse was pressed on a point
  std::optional<int> grabbed_; // that point, until it is dragged
};

} // namespace nestwright::ui
