#pragma once
/// \file The whole drawing in a corner, with the part that is seen; click or drag to go elsewhere.

#include "ui/task_graph/task_graph_painter.h"

#include <QPixmap>
#include <QWidget>

namespace nestwright::ui {

class MiniMap : public QWidget {
  Q_OBJECT
 public:
  explicit MiniMap(QWidget* parent);
  /// Draws the scene anew and takes the size that its shape needs.
  void setScene(const GraphScene& scene);
  /// The part of the drawing that is seen.
  void setSeen(const QRectF& seen);

 Q_SIGNALS:
  void wanted(const QPointF& centre);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  QPointF toDrawing(const QPointF& point) const;

  QPixmap drawing_;
  QSizeF size_; // of the drawing
  double scale_ = 1;
  QRectF seen_;
};

} // namespace nestwright::ui
