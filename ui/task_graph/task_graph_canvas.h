#pragma once
/// \file The drawing of a network to move about in. It knows no document: it is given what to show
/// and tells what was chosen.

#include "ui/task_graph/task_graph_painter.h"

#include <QVariantAnimation>
#include <QWidget>

namespace nestwright::ui {

class MiniMap;
struct Colours;

class TaskGraphCanvas : public QWidget {
  Q_OBJECT
 public:
  explicit TaskGraphCanvas(QWidget* parent = nullptr);

  const GraphScene& scene() const { return scene_; }
  /// Another drawing; of the same network, what is looked at stays where it is on the screen.
  void setPicture(GraphPicturePtr picture);
  void setValues(GraphValues values);
  /// Marks the task's nodes; with `reveal`, moves to one of them unless one is seen.
  void setSelectedTask(RowId task, bool reveal);
  /// Per drawn node; empty ends the search.
  void setMatches(std::vector<bool> matches);
  /// Makes a node the one that the keys walk from, and moves to it.
  void setFocusNode(int node, bool centre);

  /// Pixels per point of the drawing.
  double scale() const { return scale_; }
  QPointF centre() const { return centre_; }
  QRectF seen() const;
  QPointF toWidget(const QPointF& point) const;
  QPointF toDrawing(const QPointF& point) const;
  /// True as long as the whole drawing is shown because nobody moved it.
  bool isFitted() const { return fitted_; }
  void fit();
  void zoomBy(double factor) { zoomAt(QRectF(rect()).center(), factor); }
  void zoomAt(const QPointF& position, double factor);
  void panBy(const QPointF& pixels);
  MiniMap* miniMap() const { return miniMap_; }

  /// The drawing as a whole with its legend, one point to the pixel.
  QSizeF pictureSize() const;
  void paintPicture(QPainter& painter, const Colours& colours) const;

 Q_SIGNALS:
  void taskChosen(nestwright::RowId task);
  void taskOpened(nestwright::RowId task);
  /// An index into the picture's repeats.
  void repeatToggled(int repeat);
  void focusChanged(int node);
  void resized();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void setCamera(const QPointF& centre, double scale);
  void moveTo(const QPointF& centre, double scale);
  void placeMiniMap();
  void hover(int node);
  void choose(int node);
  bool moveFocus(int key);
  int neighbour(int node, int key) const;
  bool zoomGesture(QEvent* event);

  GraphScene scene_;
  QPointF centre_;
  double scale_ = 1;
  bool fitted_ = true;
  QPointF pressed_, dragged_;
  bool dragging_ = false;
  QVariantAnimation animation_;
  MiniMap* miniMap_;
};

} // namespace nestwright::ui
