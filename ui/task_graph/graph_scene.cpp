#include "ui/task_graph/graph_scene.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QLineF>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
QString markText(TaskMark mark) {
  switch (mark) {
  case TaskMark::Active:
    return tr("tuning now");
  case TaskMark::Pinned:
    return tr("pinned");
  case TaskMark::Paused:
    return tr("paused");
  case TaskMark::Frozen:
    return tr("frozen");
  case TaskMark::Exhausted:
    return tr("exhausted");
  case TaskMark::None:
    break;
  }
  return {};
}

QString shapeText(const Shape& shape) {
  QStringList extents;
  for (const std::int64_t extent : shape)
    extents.append(QString::number(extent));
  return extents.isEmpty() ? tr("scalar") : extents.join(QLatin1Char('x'));
}

NodeText nodeText(const TaskGraphNode& node) {
  NodeText text;
  const QStringList fused = taskTitle(node.title).split(QStringLiteral(" + "));
  text.title = fused.first();
  if (node.kind == TaskGraphNode::Kind::Group) {
    if (const qsizetype on = text.title.indexOf(QStringLiteral(" on ")); on > 0) {
      text.subtitle = text.title.mid(on + 1);
      text.title.truncate(on);
    }
    for (const OperatorFacts& part : node.parts)
      text.operators.append(qs(part.op));
    // "Bias" says more than "Add".
    if (fused.size() == text.operators.size())
      for (qsizetype i = 1; i < fused.size(); ++i)
        text.operators[i] = fused[i].section(QLatin1Char(' '), 0, 0);
  } else if (node.kind == TaskGraphNode::Kind::Stage) {
    text.title = taskTitle(node.title);
  }
  if (text.subtitle.isEmpty()) text.subtitle = QStringLiteral("→ ") + shapeText(node.shape);
  return text;
}

QRectF badgeRect(const GraphLayout::Frame& frame) {
  return {frame.rect.left() + 12, frame.rect.top() - 11, 62, 22};
}

void GraphScene::setPicture(GraphPicturePtr next) {
  picture = std::move(next);
  texts.clear();
  matches.clear();
  focus = hovered = -1;
  if (isEmpty()) return;
  for (std::size_t n = 0; n < picture->drawn.nodes.size(); ++n)
    texts.push_back(nodeText(node(static_cast<int>(n))));
  std::vector<int> inputs(texts.size(), 0);
  for (const auto* edges : {&picture->drawn.edges, &picture->drawn.implied})
    for (const DrawnGraph::Edge& edge : *edges)
      ++inputs[static_cast<std::size_t>(edge.to)];
  for (std::size_t n = 0; n < texts.size(); ++n)
    if (inputs[n] > static_cast<int>(kManyInputs))
      texts[n].subtitle += QStringLiteral("  ·  ") + tr("reads %1").arg(inputs[n]);
}

const TaskGraphNode& GraphScene::node(int drawn) const {
  return picture->source->graph
      .nodes[static_cast<std::size_t>(picture->drawn.nodes[static_cast<std::size_t>(drawn)])];
}

const GraphTask* GraphScene::task(int drawn) const {
  const int task = node(drawn).task;
  if (task < 0 || static_cast<std::size_t>(task) >= values.tasks.size()) return nullptr;
  const GraphTask& found = values.tasks[static_cast<std::size_t>(task)];
  return found.task ? &found : nullptr;
}

int GraphScene::nodeAt(const QPointF& point) const {
  if (isEmpty()) return -1;
  for (std::size_t n = 0; n < layout().nodes.size(); ++n)
    if (layout().nodes[n].contains(point)) return static_cast<int>(n);
  return -1;
}

int GraphScene::edgeAt(const QPointF& point, double reach) const {
  if (isEmpty() || nodeAt(point) >= 0) return -1;
  int nearest = -1;
  for (std::size_t e = 0; e < layout().edges.size(); ++e) {
    const QPolygonF& line = layout().edges[e];
    if (!line.boundingRect().adjusted(-reach, -reach, reach, reach).contains(point)) continue;
    for (qsizetype i = 1; i < line.size(); ++i) {
      const QPointF along = line[i] - line[i - 1], to = point - line[i - 1];
      const double length = QPointF::dotProduct(along, along);
      const double part =
          length > 0 ? std::clamp(QPointF::dotProduct(along, to) / length, 0.0, 1.0) : 0;
      const double distance = QLineF(point, line[i - 1] + part * along).length();
      if (distance > reach) continue;
      reach = distance;
      nearest = static_cast<int>(e);
    }
  }
  return nearest;
}

int GraphScene::badgeAt(const QPointF& point) const {
  if (isEmpty()) return -1;
  int last = -1;
  for (const GraphLayout::Frame& frame : layout().frames) {
    // Only the first part of a frame that is in several columns has one.
    if (frame.frame != last && badgeRect(frame).contains(point)) return frame.frame;
    last = frame.frame;
  }
  return -1;
}

QPointF middleOf(const QPolygonF& edge) {
  double whole = 0;
  for (qsizetype i = 1; i < edge.size(); ++i)
    whole += QLineF(edge[i - 1], edge[i]).length();
  double left = whole / 2;
  for (qsizetype i = 1; i < edge.size(); ++i) {
    const QLineF piece(edge[i - 1], edge[i]);
    if (piece.length() >= left && piece.length() > 0) return piece.pointAt(left / piece.length());
    left -= piece.length();
  }
  return edge.isEmpty() ? QPointF() : edge.last();
}

QString describeEdge(const GraphScene& scene, int edge) {
  const DrawnGraph::Edge& drawn = scene.picture->drawn.edges[static_cast<std::size_t>(edge)];
  const TaskGraphNode &from = scene.node(drawn.from), &to = scene.node(drawn.to);
  return QStringLiteral("%1 → %2\n%3")
      .arg(qs(from.name), qs(to.name), tensorText(from.shape, from.type));
}

QString tensorText(const Shape& shape, DataType type) {
  return QStringLiteral("%1 %2, %3")
      .arg(shapeText(shape), qs(toString(type)), bytesText(TensorFacts{{}, shape, type}.bytes()));
}

QString describe(const GraphScene& scene, int n) {
  const TaskGraphNode& node = scene.node(n);
  QStringList lines{taskTitle(node.title)};
  const auto add = [&](const QString& line) { lines.append(line); };
  switch (node.kind) {
  case TaskGraphNode::Kind::Input:
    lines[0] = tr("Input %1").arg(qs(node.name));
    break;
  case TaskGraphNode::Kind::Output:
    lines[0] = tr("Output %1").arg(qs(node.name));
    break;
  case TaskGraphNode::Kind::Group:
    add(tr("node %1").arg(qs(node.name)));
    for (const OperatorFacts& part : node.parts)
      add(QStringLiteral("   %1  → %2   %3")
              .arg(qs(part.op), shapeText(part.output.shape), qs(part.name)));
    break;
  case TaskGraphNode::Kind::Stage:
    break;
  }
  add(tr("result: %1").arg(shapeText(node.shape)));
  const int copies = scene.picture->drawn.copies[static_cast<std::size_t>(n)];
  if (copies > 1) add(tr("stands for %1 equal nodes").arg(copies));
  if (const GraphTask* task = scene.task(n)) {
    if (!std::isnan(task->seconds))
      add((task->tuned ? tr("best: %1") : tr("naive: %1 (no verified program yet)"))
              .arg(timeText(task->seconds)));
    if (!task->definition.isEmpty())
      add(tr("runs as %1, the fastest of: %2").arg(task->definition, task->definitions));
    if (task->share > 0)
      add(tr("%1 of the network's time; all %2 nodes of this task: %3")
              .arg(percentText(task->share))
              .arg(task->weight)
              .arg(percentText(task->share * task->weight)));
    if (scene.values.measure != GraphMeasure::Time)
      add(QStringLiteral("%1: %2").arg(measureName(scene.values.measure).toLower(),
                                       measureText(scene.values.measure, task->value)));
    if (task->mark != TaskMark::None) add(markText(task->mark));
    if (!task->note.isEmpty()) add(task->note);
  } else if (node.kind == TaskGraphNode::Kind::Group) {
    add(node.tunable ? tr("this session does not tune it")
                     : tr("not tuned: it only moves elements or works on each by itself"));
  }
  return lines.join(QLatin1Char('\n'));
}

} // namespace nestwright::ui
