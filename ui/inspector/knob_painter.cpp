#include "ui/inspector/knob_painter.h"

#include "ui/inspector/knob_plot.h"
#include "ui/kit/colour_map.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/text.h"

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr int kBarHeight = 22;    // of the importance of a decision, pixels
constexpr double kPalest = 0.22;  // of the colour map: its beginning is hard to see
constexpr std::size_t kFew = 600; // segments that are drawn strongly

QColor shareColour(double share) {
  return mapColour(kPalest + (1 - kPalest) * share, colours().dark);
}

} // namespace

QMargins knobMargins(const KnobLines& lines) {
  const QFontMetrics metrics(smallFont());
  const int line = metrics.height();
  const int right = metrics.horizontalAdvance(QStringLiteral("100 %")) + 16;
  const int bars = lines.hasImportance() ? kBarHeight + 6 : 0;
  return {24, 2 * line + 6 + bars, right, 2 * line};
}

KnobPainter::KnobPainter(QCPPainter& painter, const KnobLines& lines, const KnobGeometry& at,
                         QSize plot)
    : painter_(painter), lines_(lines), at_(at), plot_(plot) {
  painter_.setFont(smallFont());
}

void KnobPainter::paintLines(std::span<const KnobSegment> segments) const {
  painter_.setAntialiasing(segments.size() < 4 * kFew);
  // A pen of one pixel is drawn without an outline of its own, many times as fast.
  const double width = segments.size() < kFew ? 1.7 : segments.size() < 4 * kFew ? 1.1 : 1;
  const Colours& c = colours();
  for (const KnobSegment& segment : segments) {
    const QColor colour = segment.faint        ? faded(c.faint, 60)
                          : segment.share <= 0 ? faded(c.failed, 130)
                                               : faded(shareColour(segment.share), 215);
    painter_.setPen(QPen(colour, segment.faint ? 1 : width,
                         !segment.faint && segment.share <= 0 ? Qt::DashLine : Qt::SolidLine));
    painter_.drawLine(
        QLineF(at_.pixelOf(segment.axis, segment.from), at_.pixelOf(segment.axis + 1, segment.to)));
  }
}

void KnobPainter::paintAxes(std::span<const KnobBrush> brushes,
                            std::optional<std::size_t> marked) const {
  if (lines_.lines.empty()) return;
  for (std::size_t axis = 0; axis < at_.axes; ++axis) {
    paintAxis(axis, brushOf(brushes, axis), axis == marked);
    paintImportance(axis);
  }
}

/// The line, its name, some of its values, and what is selected of it.
void KnobPainter::paintAxis(std::size_t axis, const KnobBrush* brush, bool marked) const {
  const Colours& c = colours();
  const QFontMetricsF metrics(painter_.font());
  const double gap = at_.gap();
  const bool isShare = axis == lines_.knobs.size();
  const QPointF top = at_.pixelOf(axis, 1), bottom = at_.pixelOf(axis, 0);
  if (brush) {
    const double high = at_.pixelOf(axis, std::min(1.0, brush->high)).y();
    const double low = at_.pixelOf(axis, std::max(0.0, brush->low)).y();
    painter_.setPen(QPen(c.accent, 1));
    painter_.setBrush(faded(c.accent, 60));
    painter_.drawRect(QRectF(top.x() - 5, high - 3, 10, low - high + 6));
    painter_.setBrush(Qt::NoBrush);
  }
  painter_.setPen(QPen(c.dim, 1.4));
  painter_.drawLine(QLineF(top, bottom));
  // Names beside each other where there is room, else in two rows.
  const QString name = isShare ? KnobPlot::tr("throughput") : qs(lines_.knobs[axis].knob);
  const double room = axis == 0 ? gap : gap * 1.9;
  const QString shown = metrics.elidedText(name, Qt::ElideRight, room - 8);
  const bool fits = metrics.horizontalAdvance(name) < gap - 8;
  const bool upper = !fits && axis % 2 == 1;
  const double width = metrics.horizontalAdvance(shown);
  const double left =
      std::clamp(top.x() - width / 2, 2.0, std::max(2.0, double(plot_.width()) - width - 2));
  const double base = top.y() - 7 - (upper ? metrics.height() : 0);
  painter_.setPen(marked ? c.accent : c.text);
  painter_.drawText(QPointF(left, base - metrics.descent()), shown);
  const auto label = [&](double place, const QString& text) {
    const QString cut =
        isShare ? text : metrics.elidedText(text, Qt::ElideMiddle, std::max(20.0, gap - 14));
    const QPointF at = at_.pixelOf(axis, place) + QPointF(7, metrics.ascent() / 2 - 1);
    const QRectF box(at.x() - 2, at.y() - metrics.ascent(), metrics.horizontalAdvance(cut) + 4,
                     metrics.height());
    painter_.fillRect(box, faded(c.base, 200));
    painter_.setPen(c.dim);
    painter_.drawText(at, cut);
  };
  const auto most =
      static_cast<std::size_t>(std::clamp(at_.area.height() / (2.2 * metrics.height()), 2.0, 7.0));
  if (isShare)
    for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
      label(share, QStringLiteral("%1 %").arg(100 * share, 0, 'f', 0));
  else
    for (const std::size_t value : lines_.knobs[axis].labelled(most))
      label(lines_.knobs[axis].place(value), qs(lines_.knobs[axis].values[value]));
}

void KnobPainter::paintImportance(std::size_t axis) const {
  if (axis >= lines_.knobs.size()) return;
  const std::optional<double> importance = lines_.knobs[axis].importance;
  if (!importance) return;
  const double gap = at_.gap();
  const double width = std::clamp(0.6 * gap, 4.0, 24.0);
  const double left = at_.pixelOf(axis, 1).x() - width / 2, bottom = 3 + kBarHeight;
  const double height = std::max(1.0, *importance * kBarHeight);
  painter_.setAntialiasing(false);
  painter_.fillRect(QRectF(left, bottom - height, width, height), colours().accent);
  painter_.setPen(QPen(colours().faint, 1));
  painter_.drawLine(QLineF(left - 2, bottom, left + width + 2, bottom));
}

void KnobPainter::paintLegend(std::span<const KnobSegment> segments) const {
  if (lines_.lines.empty()) return;
  const QFontMetricsF metrics(painter_.font());
  const Colours& c = colours();
  const double y = plot_.height() - metrics.descent() - 4;
  double x = at_.area.left();
  const auto write = [&](const QString& text) {
    painter_.setPen(c.dim);
    painter_.drawText(QPointF(x, y), text);
    x += metrics.horizontalAdvance(text) + 6;
  };
  write(KnobPlot::tr("slow"));
  constexpr int kSteps = 32;
  const double length = std::min(110.0, 0.2 * plot_.width());
  for (int i = 0; i < kSteps; ++i)
    painter_.fillRect(QRectF(x + i * length / kSteps, y - metrics.ascent() + 3,
                             length / kSteps + 0.6, metrics.ascent() - 3),
                      shareColour(double(i) / (kSteps - 1)));
  x += length + 6;
  write(KnobPlot::tr("fast"));
  x += 10;
  const auto sample = [&](const QPen& pen, const QString& text) {
    if (x + 26 + metrics.horizontalAdvance(text) > plot_.width() - 4)
      return; // no room: tool-tips say it
    painter_.setPen(pen);
    painter_.drawLine(
        QLineF(x, y - metrics.ascent() / 2 + 1, x + 20, y - metrics.ascent() / 2 + 1));
    x += 26;
    write(text);
    x += 10;
  };
  sample(QPen(c.accent, 3), KnobPlot::tr("the fastest"));
  if (lines_.lines.front().failed())
    sample(QPen(c.failed, 1.5, Qt::DashLine), KnobPlot::tr("failed"));
  if (std::ranges::any_of(segments, &KnobSegment::faint))
    sample(QPen(faded(c.faint, 120), 1), KnobPlot::tr("not selected"));
}

void KnobPainter::paintLine(const KnobLine& line, const QPen& pen, bool dots) const {
  QPolygonF points;
  for (std::size_t axis = 0; axis < line.places.size(); ++axis)
    points.append(at_.pixelOf(axis, line.places[axis]));
  painter_.setAntialiasing(true);
  painter_.setBrush(Qt::NoBrush);
  painter_.setPen(pen);
  painter_.drawPolyline(points);
  if (!dots) return;
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(pen.color());
  for (const QPointF& point : points)
    painter_.drawEllipse(point, 3.2, 3.2);
}

} // namespace nestwright::ui
