#pragma once
/// \file What is painted of a task graph: its picture, the texts and values of its nodes, and what
/// is selected or found.

#include "core/support/row_id.h"
#include "ui/task_graph/graph_loader.h"
#include "ui/task_graph/graph_values.h"

#include <QRectF>
#include <QStringList>

namespace nestwright::ui {

/// What a node is called, parted for its lines.
struct NodeText {
  QString title;         // "Conv 3x3 64→64"
  QString subtitle;      // "on 56x56"
  QStringList operators; // "Conv", "Bias", "Relu"
};
NodeText nodeText(const TaskGraphNode& node);
/// "1x56x56x64".
QString shapeText(const Shape& shape);
/// "1x56x56x64 float32, 784 KiB".
QString tensorText(const Shape& shape, DataType type);

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
  /// The drawn edge within `reach` of a point, and none below a node; -1: none.
  int edgeAt(const QPointF& point, double reach) const;
  /// The frame whose badge is there, as an index into picture->drawn.frames; -1: none.
  int badgeAt(const QPointF& point) const;
};

/// "tuning now", "pinned", "frozen", …; empty for none.
QString markText(TaskMark mark);

/// What a drawn node is, a line for each fact: its tool-tip.
QString describe(const GraphScene& scene, int node);

/// What flows along a drawn edge: from where, to where, its shape, type and size.
QString describeEdge(const GraphScene& scene, int edge);
/// The middle of an edge's way, where its shape is written.
QPointF middleOf(const QPolygonF& edge);

/// Where the badge of a frame's first part is.
QRectF badgeRect(const GraphLayout::Frame& frame);

} // namespace nestwright::ui
