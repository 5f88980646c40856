#pragma once
/// \file Painting a task graph: in full where there is room, less and less as one zooms out, down
/// to the bare colours. Used by the window, its mini-map and the export alike.

#include "ui/task_graph/graph_scene.h"

#include <QFont>
#include <QPainter>

namespace nestwright::ui {

/// How much of a node is shown; what reads well at the scale.
enum class GraphDetail : std::uint8_t { Colour, Number, Title, Named, Full };
GraphDetail detailAt(double scale);

struct Colours;

class TaskGraphPainter {
 public:
  /// The palette and the font that all texts are in.
  TaskGraphPainter(const Colours& colours, const QFont& font);

  /// Paints what lies within `visible`; the painter's coordinates are the layout's, `scale` of
  /// which is a pixel's.
  void paint(QPainter& painter, const GraphScene& scene, const QRectF& visible, double scale) const;
  /// The colours with their numbers, at the rectangle's bottom left.
  void paintLegend(QPainter& painter, const GraphScene& scene, const QRectF& area) const;
  QSizeF legendSize() const;

 private:
  struct Look; // of one node
  void paintFrame(QPainter& painter, const GraphScene& scene, const GraphLayout::Frame& frame,
                  double scale) const;
  void paintBadge(QPainter& painter, const GraphScene& scene, const GraphLayout::Frame& frame,
                  double scale) const;
  void paintEdges(QPainter& painter, const GraphScene& scene, const QRectF& visible,
                  double scale) const;
  /// What flows along the edges, where there is room beside them.
  void paintShapes(QPainter& painter, const GraphScene& scene, const QRectF& visible) const;
  void paintImplied(QPainter& painter, const GraphScene& scene, double scale) const;
  void paintNode(QPainter& painter, const GraphScene& scene, int node, double scale) const;
  void paintCard(QPainter& painter, const Look& look) const;
  void paintSmallCard(QPainter& painter, const Look& look) const;
  void paintPill(QPainter& painter, const Look& look) const;
  void paintOperators(QPainter& painter, const Look& look, const QRectF& line) const;
  void paintTrend(QPainter& painter, const Look& look, const QRectF& area) const;
  double paintMark(QPainter& painter, const Look& look, const QRectF& line) const;
  QFont font(double points, bool bold) const;

  const Colours& colours_;
  QFont font_;
};

} // namespace nestwright::ui
