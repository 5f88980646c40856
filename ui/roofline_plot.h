#pragma once
/// \file Programs of a task under the machine's roof: operations per byte moved against operations
/// per second, with the path that the best one took.

#include "ui/plot_style.h"
#include "ui/roofline_data.h"

#include <optional>

namespace nestwright::ui {

class RooflinePlot : public QCustomPlot {
  Q_OBJECT
 public:
  explicit RooflinePlot(QWidget* parent = nullptr);

  /// `bandwidth`: bytes per second of the memory; 0 when unknown. `selected`: a record, or 0.
  void show(const Roofline& roofline, Traffic traffic, double bandwidth, RowId selected);
  void showMessage(const QString& text);
  int pointCount() const { return static_cast<int>(roofline_.points.size()); }
  /// Programs on the path of the best.
  int pathLength() const { return path_->dataCount(); }
  /// Where the program of this record is drawn.
  std::optional<QPointF> pixelOf(RowId record) const;
  /// Operations per second that no program of this intensity exceeds; infinity when unknown.
  double roofAt(double intensity) const;

 Q_SIGNALS:
  void picked(nestwright::RowId record);
  /// It was double-clicked: the program itself is wanted.
  void opened(nestwright::RowId record);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void restyle();
  void refresh();
  void fit();
  void drawRoofs();
  double intensity(const RooflinePoint& point) const;
  double speed(const RooflinePoint& point) const; // GFLOP/s
  const RooflinePoint* nearest(const QPointF& pixel) const;
  QString describe(const RooflinePoint& point) const;

  Roofline roofline_;
  Traffic traffic_ = Traffic::Memory;
  double bandwidth_ = 0;
  RowId selected_ = 0;
  QCPGraph *points_, *roof_, *ring_;
  QCPCurve* path_; // a graph would sort it by intensity
  QCPGraph *bests_, *newest_;
  QCPItemLine* compulsory_;
  QCPItemText *roofLabel_, *slopeLabel_, *compulsoryLabel_, *message_;
  Readout* readout_;
  QPoint pressed_;
  bool zoomed_ = false;
};

} // namespace nestwright::ui
