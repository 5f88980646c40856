#include "ui/charts/plot_labels.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

/// Touching is no overlap.
bool overlap(const QRectF& a, const QRectF& b) {
  static constexpr double kTouch = 1e-6;
  return a.left() < b.right() - kTouch && b.left() < a.right() - kTouch &&
         a.top() < b.bottom() - kTouch && b.top() < a.bottom() - kTouch;
}

} // namespace

std::vector<QRectF> spread(const std::vector<QRectF>& wanted, const QRectF& room) {
  std::vector<QRectF> placed;
  for (const QRectF& rect : wanted) {
    const double highest = room.top(), lowest = std::max(highest, room.bottom() - rect.height());
    const double best = std::clamp(rect.top(), highest, lowest);
    // It can stay, or sits right above or below another.
    std::vector<double> tops{best};
    for (const QRectF& other : placed)
      for (const double top : {other.top() - rect.height(), other.bottom()})
        if (top >= highest && top <= lowest) tops.push_back(top);
    std::ranges::stable_sort(tops, {}, [&](double top) { return std::abs(top - rect.top()); });
    const auto isFree = [&](double top) {
      QRectF moved = rect;
      moved.moveTop(top);
      return std::ranges::none_of(placed,
                                  [&](const QRectF& other) { return overlap(moved, other); });
    };
    const auto found = std::ranges::find_if(tops, isFree);
    placed.push_back(rect);
    placed.back().moveTop(found == tops.end() ? best : *found);
  }
  return placed;
}

PlotLabels::PlotLabels(QCustomPlot& plot) : plot_(plot) {
  QObject::connect(&plot, &QCustomPlot::afterLayout, &plot, [this] { layOut(); });
}

void PlotLabels::place(QCPItemText* label, double x, double y) {
  label->position->setCoords(x, y);
  const auto found = std::ranges::find(labels_, label, &Placed::label);
  if (found == labels_.end())
    labels_.push_back({label, x, y});
  else
    *found = {label, x, y};
}

void PlotLabels::deleteAll() {
  for (const Placed& placed : std::exchange(labels_, {}))
    plot_.removeItem(placed.label);
}

void PlotLabels::remove(QCPItemText* label) {
  std::erase_if(labels_, [&](const Placed& placed) { return placed.label == label; });
}

QRectF PlotLabels::rectOf(const QCPItemText& label) {
  const QPointF at = label.position->pixelPosition();
  const QRectF text =
      QFontMetricsF(label.font())
          .boundingRect(QRectF(), Qt::TextDontClip | label.textAlignment(), label.text());
  const QMargins padding = label.padding();
  const QSizeF size(text.width() + padding.left() + padding.right(),
                    text.height() + padding.top() + padding.bottom());
  const Qt::Alignment side = label.positionAlignment();
  return {QPointF(side & Qt::AlignRight ? at.x() - size.width() : at.x(),
                  side & Qt::AlignBottom ? at.y() - size.height() : at.y()),
          size};
}

void PlotLabels::layOut() {
  const QRectF room = plot_.axisRect()->rect();
  std::vector<QCPItemText*> shown;
  std::vector<QRectF> wanted;
  for (const auto& [label, x, y] : labels_) {
    label->position->setCoords(x, y);
    const double pixel = label->position->pixelPosition().y();
    // What it names may be out of sight.
    if (!label->visible() || !(pixel >= room.top() && pixel <= room.bottom())) continue;
    shown.push_back(label);
    wanted.push_back(rectOf(*label));
  }
  const std::vector<QRectF> placed = spread(wanted, room);
  for (std::size_t i = 0; i < shown.size(); ++i)
    shown[i]->position->setPixelPosition(shown[i]->position->pixelPosition() + placed[i].topLeft() -
                                         wanted[i].topLeft());
}

} // namespace nestwright::ui
