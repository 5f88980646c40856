#include "ui/task_graph/task_graph_painter.h"

#include "ui/kit/colour_map.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr double kRadius = 7;
constexpr double kPadding = 11;

QColor faded(QColor colour, double alpha) {
  colour.setAlphaF(alpha);
  return colour;
}

void drawElided(QPainter& painter, const QRectF& area, const QString& text,
                Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter) {
  const QFontMetricsF metrics(painter.font());
  const bool fits = metrics.horizontalAdvance(text) <= area.width();
  painter.drawText(area, int(alignment | Qt::TextSingleLine),
                   fits ? text : metrics.elidedText(text, Qt::ElideMiddle, area.width()));
}

QPolygonF arrowHead(const QPolygonF& line, double size) {
  const QPointF tip = line.last();
  // Its direction is that of the last stretch, however short its segments are.
  QPointF back = line.first();
  for (qsizetype i = line.size() - 1; i-- > 0;)
    if (QLineF(line[i], tip).length() >= size) {
      back = line[i];
      break;
    }
  QLineF shaft(tip, back);
  if (shaft.length() == 0) return {};
  shaft.setLength(size);
  const QPointF across(shaft.dy() * 0.42, -shaft.dx() * 0.42);
  return QPolygonF{tip, shaft.p2() + across, shaft.p2() - across};
}

} // namespace

GraphDetail detailAt(double scale) {
  if (scale >= 0.78) return GraphDetail::Full;
  if (scale >= 0.5) return GraphDetail::Named;
  if (scale >= 0.3) return GraphDetail::Title;
  return scale >= 0.15 ? GraphDetail::Number : GraphDetail::Colour;
}

/// One node on its way to the screen.
struct TaskGraphPainter::Look {
  const TaskGraphNode& node;
  const GraphTask* task; // null: not tuned by the session
  const NodeText& text;
  QRectF rect;
  GraphDetail detail;
  QString number;
  QColor fill, writing, quiet;
  double width; // of a pen that reads as one pixel or more
  QString title() const { return task ? task->sign + text.title : text.title; }
  /// With the definition that runs, where there are several.
  QString subtitle() const {
    if (!task || task->definition.isEmpty()) return text.subtitle;
    return text.subtitle.isEmpty() ? task->definition
                                   : QStringLiteral("%1 · %2").arg(text.subtitle, task->definition);
  }
};

TaskGraphPainter::TaskGraphPainter(const Colours& colours, const QFont& font)
    : colours_(colours), font_(font) {
  font_.setHintingPreference(QFont::PreferNoHinting);
}

QFont TaskGraphPainter::font(double points, bool bold) const {
  QFont font = font_;
  font.setPixelSize(static_cast<int>(points));
  font.setWeight(bold ? QFont::DemiBold : QFont::Normal);
  return font;
}

void TaskGraphPainter::paint(QPainter& painter, const GraphScene& scene, const QRectF& visible,
                             double scale) const {
  if (scene.isEmpty()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  for (const GraphLayout::Frame& frame : scene.layout().frames)
    if (frame.rect.adjusted(-20, -20, 20, 20).intersects(visible))
      paintFrame(painter, scene, frame, scale);
  paintEdges(painter, scene, visible, scale);
  for (std::size_t n = 0; n < scene.layout().nodes.size(); ++n)
    if (scene.layout().nodes[n].intersects(visible))
      paintNode(painter, scene, static_cast<int>(n), scale);
  if (detailAt(scale) >= GraphDetail::Full) paintShapes(painter, scene, visible);
  int last = -1;
  for (const GraphLayout::Frame& frame : scene.layout().frames) {
    if (frame.frame != last) paintBadge(painter, scene, frame, scale);
    last = frame.frame;
  }
}

void TaskGraphPainter::paintFrame(QPainter& painter, const GraphScene& scene,
                                  const GraphLayout::Frame& frame, double scale) const {
  const bool folded = scene.picture->drawn.frames[static_cast<std::size_t>(frame.frame)].folded;
  const QColor edge = faded(colours_.dim, 0.45);
  QPen pen(edge, std::max(1.0, 0.8 / scale));
  if (!folded) pen.setStyle(Qt::DashLine);
  painter.setPen(pen);
  // A pile of blocks, of which the topmost is seen.
  for (const double shift : {10.0, 5.0}) {
    if (!folded) break;
    painter.setBrush(colours_.window);
    painter.drawRoundedRect(frame.rect.translated(shift, shift), kRadius * 1.6, kRadius * 1.6);
  }
  painter.setBrush(folded ? colours_.window : faded(colours_.window, 0.5));
  painter.drawRoundedRect(frame.rect, kRadius * 1.6, kRadius * 1.6);
}

void TaskGraphPainter::paintBadge(QPainter& painter, const GraphScene& scene,
                                  const GraphLayout::Frame& frame, double scale) const {
  const DrawnGraph::Frame& drawn =
      scene.picture->drawn.frames[static_cast<std::size_t>(frame.frame)];
  const Repeat& repeat = scene.picture->source->repeats[static_cast<std::size_t>(drawn.repeat)];
  if (scale < 0.15) return;
  QRectF rect = badgeRect(frame);
  // Far away the badge keeps a size that can be read.
  const double grown = std::clamp(0.62 / scale, 1.0, 2.2);
  rect.setSize(rect.size() * grown);
  rect.translate(0, -rect.height() * (1 - 1 / grown) / 2);
  painter.setPen(QPen(colours_.accent, std::max(1.0, 0.8 / scale)));
  painter.setBrush(drawn.folded ? colours_.accent : colours_.base);
  painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2);
  painter.setPen(drawn.folded ? colours_.accentText : colours_.accent);
  painter.setFont(font(12 * grown, true));
  painter.drawText(rect, Qt::AlignCenter,
                   drawn.folded ? QStringLiteral("× %1  +").arg(repeat.copies)
                                : QStringLiteral("× %1  –").arg(repeat.copies));
}

void TaskGraphPainter::paintEdges(QPainter& painter, const GraphScene& scene, const QRectF& visible,
                                  double scale) const {
  const auto& edges = scene.picture->drawn.edges;
  paintImplied(painter, scene, scale);
  const double width = std::max(1.3, 0.7 / scale);
  const QColor plain = faded(colours_.dim, scale < 0.15 ? 0.45 : 0.7);
  for (const bool lit : {false, true}) {
    const QColor colour = lit ? colours_.accent : plain;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const auto isNear = [&](int node) { return edges[e].from == node || edges[e].to == node; };
      if (lit != (isNear(scene.focus) || isNear(scene.hovered))) continue;
      const QPolygonF& line = scene.layout().edges[e];
      if (!line.boundingRect().adjusted(-4, -4, 4, 4).intersects(visible)) continue;
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(colour, lit ? width * 1.6 : width));
      painter.drawPolyline(line);
      if (scale < 0.3) continue;
      painter.setPen(Qt::NoPen);
      painter.setBrush(colour);
      painter.drawPolygon(arrowHead(line, lit ? 10 : 8));
    }
  }
}

void TaskGraphPainter::paintShapes(QPainter& painter, const GraphScene& scene,
                                   const QRectF& visible) const {
  painter.setFont(font(10, false));
  const QFontMetricsF metrics(painter.font());
  const auto& edges = scene.picture->drawn.edges;
  std::vector<QRectF> taken;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const QPointF middle = middleOf(scene.layout().edges[e]);
    if (!visible.contains(middle)) continue;
    const TaskGraphNode& from = scene.node(edges[e].from);
    // An input's own box says it.
    if (from.kind == TaskGraphNode::Kind::Input) continue;
    const QString text = shapeText(from.shape);
    const QRectF area(middle.x() + 5, middle.y() - metrics.height() / 2,
                      metrics.horizontalAdvance(text) + 2, metrics.height());
    const auto isIn = [&](const QRectF& other) { return other.intersects(area); };
    if (std::ranges::any_of(taken, isIn) || std::ranges::any_of(scene.layout().nodes, isIn))
      continue;
    taken.push_back(area);
    const bool lit = edges[e].from == scene.focus || edges[e].to == scene.focus;
    painter.setPen(lit ? colours_.text : colours_.dim);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, text);
  }
}

/// Of the nodes in hand alone: straight lines, for these edges have no way of their own.
void TaskGraphPainter::paintImplied(QPainter& painter, const GraphScene& scene,
                                    double scale) const {
  QPen pen(faded(colours_.accent, 0.7), std::max(1.3, 0.7 / scale));
  pen.setStyle(Qt::DashLine);
  painter.setPen(pen);
  for (const DrawnGraph::Edge& edge : scene.picture->drawn.implied)
    for (const int node : {scene.focus, scene.hovered})
      if (edge.from == node || edge.to == node) {
        const QRectF &from = scene.layout().nodes[static_cast<std::size_t>(edge.from)],
                     &to = scene.layout().nodes[static_cast<std::size_t>(edge.to)];
        painter.drawLine(from.center(), to.center());
      }
}

void TaskGraphPainter::paintNode(QPainter& painter, const GraphScene& scene, int n,
                                 double scale) const {
  const TaskGraphNode& node = scene.node(n);
  Look look{.node = node,
            .task = scene.task(n),
            .text = scene.texts[static_cast<std::size_t>(n)],
            .rect = scene.layout().nodes[static_cast<std::size_t>(n)],
            .detail = detailAt(scale),
            .number = {},
            .fill = {},
            .writing = {},
            .quiet = {},
            .width = std::max(1.0, 0.8 / scale)};
  const bool isKnown = look.task && !std::isnan(look.task->value);
  look.fill = isKnown ? mapColour(look.task->fraction, colours_.dark) : colours_.base;
  look.writing = isKnown ? textOn(look.fill) : colours_.text;
  look.quiet = faded(look.writing, 0.78);
  if (look.task) look.number = measureText(scene.values.measure, look.task->value);
  const bool isDimmed = !scene.matches.empty() && !scene.matches[static_cast<std::size_t>(n)];
  painter.setOpacity(isDimmed ? 0.22 : 1);
  if (look.task)
    look.detail >= GraphDetail::Full ? paintCard(painter, look) : paintSmallCard(painter, look);
  else
    paintPill(painter, look);
  const bool isSelected = look.task && look.task->task == scene.selectedTask;
  if (isSelected || n == scene.focus || n == scene.hovered) {
    const double grow = n == scene.focus ? 3.5 : 2.5;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(
        QPen(isSelected || n == scene.focus ? colours_.accent : faded(colours_.accent, 0.5),
             std::max(n == scene.focus ? 3.0 : 2.0, 1.6 / scale)));
    painter.drawRoundedRect(look.rect.adjusted(-grow, -grow, grow, grow), kRadius + grow,
                            kRadius + grow);
  }
  painter.setOpacity(1);
}

/// Everything: what it is, its operators, the number, the latency and the trend.
void TaskGraphPainter::paintCard(QPainter& painter, const Look& look) const {
  painter.setPen(QPen(faded(look.writing, 0.28), look.width));
  painter.setBrush(look.fill);
  painter.drawRoundedRect(look.rect, kRadius, kRadius);
  const QRectF inside = look.rect.adjusted(kPadding, 8, -kPadding, -8);
  QRectF line(inside.topLeft(), QSizeF(inside.width(), 17));
  painter.setPen(look.writing);
  painter.setFont(font(13, true));
  drawElided(painter, line, look.title());
  line.moveTop(line.bottom());
  line.setHeight(14);
  const double used = paintMark(painter, look, line);
  painter.setPen(look.quiet);
  painter.setFont(font(11, false));
  drawElided(painter, line.adjusted(0, 0, -used, 0), look.subtitle());
  line.moveTop(line.bottom() + 4);
  line.setHeight(16);
  paintOperators(painter, look, line);
  line = QRectF(inside.left(), inside.bottom() - 22, inside.width(), 22);
  painter.setPen(look.writing);
  painter.setFont(font(16, true));
  painter.drawText(line, Qt::AlignLeft | Qt::AlignBottom, look.number);
  const double after = QFontMetricsF(painter.font()).horizontalAdvance(look.number) + 8;
  painter.setPen(look.quiet);
  painter.setFont(font(11, false));
  if (!std::isnan(look.task->seconds))
    painter.drawText(line.adjusted(after, 0, 0, -1.5), Qt::AlignLeft | Qt::AlignBottom,
                     look.task->tuned ? timeText(look.task->seconds)
                                      : tr("%1 naive").arg(timeText(look.task->seconds)));
  paintTrend(painter, look, QRectF(inside.right() - 56, line.top() + 2, 56, 18));
}

void TaskGraphPainter::paintOperators(QPainter& painter, const Look& look,
                                      const QRectF& line) const {
  painter.setFont(font(10, false));
  const QFontMetricsF metrics(painter.font());
  double x = line.left();
  for (qsizetype i = 0; i < look.text.operators.size(); ++i) {
    const QString& name = look.text.operators[i];
    const double width = metrics.horizontalAdvance(name) + 10;
    const qsizetype left = look.text.operators.size() - i;
    const QString more = QStringLiteral("+%1").arg(left);
    const bool isLast = left == 1;
    if (x + width > line.right() - (isLast ? 0 : 26)) {
      painter.setPen(look.quiet);
      painter.drawText(QRectF(x, line.top(), 26, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
                       more);
      return;
    }
    const QRectF chip(x, line.top(), width, line.height());
    painter.setPen(QPen(faded(look.writing, 0.35), 1));
    painter.setBrush(faded(look.writing, 0.07));
    painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(look.writing);
    painter.drawText(chip, Qt::AlignCenter, name);
    x = chip.right();
    if (!isLast) {
      painter.setPen(QPen(faded(look.writing, 0.5), 1));
      painter.drawLine(QPointF(x, chip.center().y()), QPointF(x + 4, chip.center().y()));
      x += 4;
    }
  }
}

/// The best latency over the session, logarithmic; a flat one lies at the bottom.
void TaskGraphPainter::paintTrend(QPainter& painter, const Look& look, const QRectF& area) const {
  const QVector<double>& trend = look.task->trend;
  if (trend.size() < 2) return;
  const auto [low, high] = std::minmax_element(trend.begin(), trend.end());
  if (*low <= 0) return;
  const double bottom = std::log(*low), height = std::log(*high) - bottom;
  QPolygonF line;
  for (qsizetype i = 0; i < trend.size(); ++i) {
    const double part = height > 1e-6 ? (std::log(trend[i]) - bottom) / height : 0;
    const QPointF point(area.right() - area.width() * double(trend.size() - 1 - i) / 23.0,
                        area.bottom() - part * area.height());
    if (!line.isEmpty()) line.append(QPointF(point.x(), line.last().y()));
    line.append(point);
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(faded(look.writing, 0.75), 1.3));
  painter.drawPolyline(line);
  painter.setPen(Qt::NoPen);
  painter.setBrush(look.writing);
  painter.drawEllipse(line.last(), 2.2, 2.2);
}

/// A word with a sign; gives the width that it took at the line's right end.
double TaskGraphPainter::paintMark(QPainter& painter, const Look& look, const QRectF& line) const {
  const QString text = markText(look.task->mark);
  if (text.isEmpty()) return 0;
  painter.setFont(font(10, true));
  const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 22;
  const QRectF pill(line.right() - width, line.top() - 1, width, 16);
  const bool isActive = look.task->mark == TaskMark::Active;
  painter.setPen(Qt::NoPen);
  painter.setBrush(isActive ? look.writing : faded(look.writing, 0.16));
  painter.drawRoundedRect(pill, 8, 8);
  const QColor ink = isActive ? look.fill : look.writing;
  painter.setBrush(ink);
  const QPointF at(pill.left() + 10, pill.center().y());
  if (isActive)
    painter.drawPolygon(QPolygonF{at + QPointF(-3, -4), at + QPointF(-3, 4), at + QPointF(4, 0)});
  else
    painter.drawRect(QRectF(at.x() - 3, at.y() - 3, 6, 6));
  painter.setPen(ink);
  painter.drawText(pill.adjusted(17, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
  return width + 4;
}

void TaskGraphPainter::paintSmallCard(QPainter& painter, const Look& look) const {
  painter.setPen(QPen(faded(look.writing, 0.28), look.width));
  painter.setBrush(look.fill);
  if (look.detail == GraphDetail::Colour) {
    painter.drawRect(look.rect);
    return;
  }
  painter.drawRoundedRect(look.rect, kRadius, kRadius);
  const QRectF inside = look.rect.adjusted(kPadding, 5, -kPadding, -5);
  const bool isActive = look.task->mark == TaskMark::Active;
  if (isActive) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(look.writing);
    const QPointF tip(inside.right() + 2, inside.bottom() - 16);
    painter.drawPolygon(QPolygonF{tip, tip + QPointF(-22, -13), tip + QPointF(-22, 13)});
  }
  painter.setPen(look.writing);
  if (look.detail == GraphDetail::Number) {
    painter.setFont(font(46, true));
    painter.drawText(look.rect, Qt::AlignCenter, look.number);
    return;
  }
  const bool isNamed = look.detail == GraphDetail::Named;
  const double size = isNamed ? 17 : 25;
  painter.setFont(font(size, true));
  QRectF line(inside.left(), inside.top(), inside.width(), size * 1.35);
  drawElided(painter, line, look.title());
  if (isNamed) {
    line.moveTop(line.bottom());
    painter.setPen(look.quiet);
    painter.setFont(font(15, false));
    drawElided(painter, line, look.subtitle());
    painter.setPen(look.writing);
  }
  painter.setFont(font(isNamed ? 24 : 32, true));
  painter.drawText(inside, Qt::AlignLeft | Qt::AlignBottom, look.number);
}

/// Inputs, outputs, and groups that the session does not tune.
void TaskGraphPainter::paintPill(QPainter& painter, const Look& look) const {
  const bool isGroup = look.node.kind == TaskGraphNode::Kind::Group;
  QPen pen(isGroup ? faded(colours_.dim, 0.7) : colours_.faint, look.width);
  if (isGroup) pen.setStyle(Qt::DashLine);
  painter.setPen(pen);
  painter.setBrush(isGroup ? colours_.base : colours_.raised);
  const double radius = isGroup ? kRadius : look.rect.height() / 2;
  painter.drawRoundedRect(look.rect, radius, radius);
  if (look.detail <= GraphDetail::Number) return;
  const QRectF inside = look.rect.adjusted(kPadding, 2, -kPadding, -2);
  painter.setPen(isGroup ? colours_.dim : colours_.text);
  const double size = look.detail == GraphDetail::Full    ? 11
                      : look.detail == GraphDetail::Named ? 15
                                                          : 22;
  painter.setFont(font(size, !isGroup));
  if (isGroup || look.detail != GraphDetail::Full)
    return drawElided(painter, inside, look.text.title, Qt::AlignCenter);
  const double width = std::min(QFontMetricsF(painter.font()).horizontalAdvance(look.text.title),
                                inside.width() * 0.5);
  drawElided(painter, QRectF(inside.left(), inside.top(), width + 1, inside.height()),
             look.text.title);
  painter.setPen(colours_.dim);
  painter.setFont(font(11, false));
  drawElided(painter, inside.adjusted(width + 8, 0, 0, 0), shapeText(look.node.shape),
             Qt::AlignRight | Qt::AlignVCenter);
}

QSizeF TaskGraphPainter::legendSize() const {
  const QFontMetricsF metrics(font_);
  return {std::max(metrics.averageCharWidth() * 30, 200.0), metrics.height() * 2 + 30};
}

void TaskGraphPainter::paintLegend(QPainter& painter, const GraphScene& scene,
                                   const QRectF& area) const {
  const QSizeF size = legendSize();
  const QRectF box(area.left() + 10, area.bottom() - 10 - size.height(), size.width(),
                   size.height());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colours_.line, 1));
  painter.setBrush(faded(colours_.raised, 0.94));
  painter.drawRoundedRect(box, 6, 6);
  const QRectF inside = box.adjusted(10, 7, -10, -7);
  painter.setFont(font_);
  painter.setPen(colours_.text);
  const double text = QFontMetricsF(font_).height();
  painter.drawText(QRectF(inside.left(), inside.top(), inside.width(), text),
                   Qt::AlignLeft | Qt::AlignVCenter, measureName(scene.values.measure));
  const QRectF bar(inside.left(), inside.top() + text + 4, inside.width(), 8);
  QLinearGradient ramp(bar.topLeft(), bar.topRight());
  for (int i = 0; i <= 20; ++i)
    ramp.setColorAt(i / 20.0, mapColour(i / 20.0, colours_.dark));
  painter.setPen(QPen(colours_.faint, 1));
  painter.setBrush(ramp);
  painter.drawRect(bar);
  painter.setPen(colours_.dim);
  const QRectF below(inside.left(), bar.bottom() + 2, inside.width(), text);
  const auto value = [&](double part) {
    return measureText(scene.values.measure, part * scene.values.top);
  };
  painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, value(0));
  if (scene.values.top > 0) {
    painter.drawText(below, Qt::AlignHCenter | Qt::AlignVCenter, value(0.5));
    painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter, value(1));
  }
}

} // namespace nestwright::ui
