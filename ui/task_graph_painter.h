#pragma once
/// \file Painting a task graph: in full where there is room, less and less as one zooms out, down
/// to the bare colours. Used by the window, its mini-map and the export alike.

#include "ui/graph_loader.h"
#include "ui/graph_values.h"
#include "ui/theme.h"

#include <QFont>
#include <QPainter>

#include <array>

namespace nestwright::ui {

/// How much of a node is shown; what reads well at the scale.
enum class GraphDetail : std::uint8_t { Colour, Number, Title, Named, Full };
GraphDetail detailAt(double scale);

/// What a node is called, parted for its lines.
struct NodeText {
  QString title;         // "Conv 3x3 64→64"
  QString subtitle;      // "on 56x56"
  QStringList operators; // "Conv", "Bias", "Relu"
};
NodeText nodeText(const TaskGraphNode& node);
/// "1x56x56x64".
QString shapeText(const Shape& shape);

/// All that is painted. Indices are those of drawn nodes.
struct GraphScene {
  GraphPicturePtr picture;
  std::vector<NodeText> texts;
  GraphValues values;
  RowId selectedTask = 0;
  int focus = -1, hovered = -1;
  std::vector<bool> matches; // of the search; empty: none is made

  bool isEmpty() const { return !picture; }
  void setPicture(GraphPicturePtr next);
  const GraphLayout& layout() const { return picture->layout; }
  const TaskGraphNode& node(int drawn) const;
  /// The task of a node, or null when the session does not tune it.
  const GraphTask* task(int drawn) const;
  int nodeAt(const QPointF& point) const; // -1: none
  /// The frame whose badge is there, as an index into picture->drawn.frames; -1: none.
  int badgeAt(const QPointF& point) const;
};

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

/// "tuning now", "frozen", "exhausted"; empty for none.
QString markText(TaskMark mark);

/// Where the badge of a frame's first part is.
QRectF badgeRect(const GraphLayout::Frame& frame);

} // namespace nestwright::ui
