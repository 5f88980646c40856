#pragma once
/// \file Charts that are looked at closely: the wheel zooms, dragging moves the axes, a double
/// click or Home shows everything again. A point that is pressed and moved is dragged elsewhere.

#include "ui/charts/chart.h"
#include "ui/document/shared_selection.h"

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
  /// Everything is shown from the next refresh() on.
  void endZoom();
  /// The record that dragging from here would take along: a point has another number once there
  /// are new ones, which may come while it is held.
  virtual std::optional<Selection> grabAt(const QPointF&) const { return std::nullopt; }
  /// A record was pressed and moved.
  virtual void drag(const Selection&) {}

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
  bool held_ = false;                // the mouse was pressed on a point
  std::optional<Selection> grabbed_; // its record, until it is dragged
};

} // namespace nestwright::ui
