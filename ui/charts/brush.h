#pragma once
/// \file Shift and drag over a chart: a rectangle of points to be looked at. Works on any widget,
/// which does not see those presses itself.

#include <QObject>
#include <QPoint>
#include <QRect>

class QRubberBand;
class QWidget;

namespace nestwright::ui {

class Brush : public QObject {
  Q_OBJECT
 public:
  /// The chart owns it.
  explicit Brush(QWidget* chart);

 Q_SIGNALS:
  /// In the chart's pixels; never tiny.
  void brushed(const QRect& area);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QRubberBand* band_;
  QPoint pressed_;
  bool dragging_ = false;
};

} // namespace nestwright::ui
