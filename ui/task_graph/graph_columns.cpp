#include "ui/task_graph/graph_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace nestwright::ui {
namespace {

constexpr int kMostColumns = 24;
constexpr double kLane = 7;    // between neighbouring edges on their way to the next column
constexpr double kMargin = 14; // between a column and the first lane
constexpr double kCorner = 7;  // radius
/// What a column that is off the even height by all of it costs, in edges that cross.
constexpr double kUnevenness = 8;

/// A place to cut, and how many edges cross it.
struct Cut {
  double y = 0;
  int crossing = 0;
};

/// A stretch of the layout between two cuts, and where it goes.
struct Column {
  double top = 0, bottom = 0;
  double left = 0, right = 0; // of what is in it
  QPointF shift;
};

class ColumnMaker {
 public:
  ColumnMaker(const GraphLayout& layout, const DrawnGraph& drawn)
      : layout_(layout), drawn_(drawn) {}

  GraphLayout run(double aspect) {
    const auto count = static_cast<std::size_t>(
        std::clamp(std::lround(std::sqrt(aspect * layout_.size.height() /
                                         (layout_.size.width() + kMargin * 4))),
                   1L, long(kMostColumns)));
    const std::vector<Cut> places = cutPlaces();
    if (count < 2 || places.empty()) return layout_;
    cut(chooseCuts(places, std::min(count, places.size() + 1)));
    place();
    return moved();
  }

 private:
  /// The middles of the stretches that nothing is in.
  std::vector<Cut> cutPlaces() const {
    std::vector<std::pair<double, double>> taken;
    for (const QRectF& rect : layout_.nodes)
      taken.emplace_back(rect.top(), rect.bottom());
    for (const GraphLayout::Frame& frame : layout_.frames)
      if (drawn_.frames[static_cast<std::size_t>(frame.frame)].folded)
        taken.emplace_back(frame.rect.top(), frame.rect.bottom());
    std::sort(taken.begin(), taken.end());
    std::vector<Cut> places;
    double end = std::numeric_limits<double>::infinity();
    for (const auto& [top, bottom] : taken) {
      if (top > end) places.push_back({(end + top) / 2, 0});
      end = std::isinf(end) ? bottom : std::max(end, bottom);
    }
    for (Cut& place : places)
      place.crossing = static_cast<int>(
          std::count_if(layout_.edges.begin(), layout_.edges.end(), [&](const QPolygonF& line) {
            return (line.first().y() < place.y) != (line.last().y() < place.y);
          }));
    return places;
  }

  /// `count` - 1 of the places: even columns and few crossings.
  std::vector<double> chooseCuts(const std::vector<Cut>& places, std::size_t count) const {
    const double even = layout_.size.height() / static_cast<double>(count);
    const auto uneven = [&](double top, double bottom) {
      const double off = (bottom - top - even) / even;
      return kUnevenness * off * off;
    };
    const double infinity = std::numeric_limits<double>::infinity();
    // cost[c][i]: best way to make c + 1 columns that end at place i.
    std::vector<std::vector<double>> cost(count - 1, std::vector<double>(places.size(), infinity));
    std::vector<std::vector<std::size_t>> from(count - 1, std::vector<std::size_t>(places.size()));
    for (std::size_t c = 0; c + 1 < count; ++c)
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (c == 0) cost[c][i] = uneven(0, places[i].y) + places[i].crossing;
        for (std::size_t j = 0; c > 0 && j < i; ++j) {
          const double sum = cost[c - 1][j] + uneven(places[j].y, places[i].y) + places[i].crossing;
          if (sum < cost[c][i]) cost[c][i] = sum, from[c][i] = j;
        }
      }
    std::size_t last = 0;
    double best = infinity;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double sum = cost.back()[i] + uneven(places[i].y, layout_.size.height());
      if (sum < best) best = sum, last = i;
    }
    std::vector<double> cuts;
    for (std::size_t c = count - 1; c-- > 0; last = from[c][last])
      cuts.push_back(places[last].y);
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

  void cut(const std::vector<double>& cuts) {
    double top = 0;
    for (const double y : cuts)
      columns_.push_back({std::exchange(top, y), y, 0, 0, {}});
    columns_.push_back({top, layout_.size.height(), 0, 0, {}});
    for (Column& column : columns_) {
      column.left = std::numeric_limits<double>::infinity();
      column.right = -column.left;
    }
    const auto widen = [&](std::size_t column, double left, double right) {
      columns_[column].left = std::min(columns_[column].left, left);
      columns_[column].right = std::max(columns_[column].right, right);
    };
    for (const QRectF& rect : layout_.nodes)
      widen(columnAt(rect.center().y()), rect.left(), rect.right());
    for (const GraphLayout::Frame& frame : layout_.frames)
      for (std::size_t c = columnAt(frame.rect.top()); c <= columnAt(frame.rect.bottom()); ++c)
        widen(c, frame.rect.left(), frame.rect.right());
    for (const QPolygonF& line : layout_.edges)
      for (const QPointF& point : line)
        widen(columnAt(point.y()), point.x(), point.x());
    for (std::size_t c = 0; c + 1 < columns_.size(); ++c)
      for (const QPolygonF& line : layout_.edges)
        if (columnAt(line.first().y()) <= c && columnAt(line.last().y()) > c)
          crossings_[c].push_back(crossingAt(line, columns_[c].bottom));
    for (auto& [c, xs] : crossings_) {
      std::sort(xs.begin(), xs.end());
      for (const double x : xs)
        widen(c, x, x), widen(c + 1, x, x);
    }
  }

  std::size_t columnAt(double y) const {
    std::size_t c = 0;
    while (c + 1 < columns_.size() && y >= columns_[c].bottom)
      ++c;
    return c;
  }

  static double crossingAt(const QPolygonF& line, double y) {
    for (qsizetype i = 0; i + 1 < line.size(); ++i) {
      const QPointF &a = line[i], &b = line[i + 1];
      if ((a.y() < y) != (b.y() < y))
        return a.x() + (b.x() - a.x()) * (y - a.y()) / (b.y() - a.y());
    }
    return line.first().x();
  }

  double lanes(std::size_t cut) const {
    const auto found = crossings_.find(cut);
    return found == crossings_.end() ? 0 : static_cast<double>(found->second.size());
  }

  void place() {
    double most = 0;
    for (std::size_t c = 0; c + 1 < columns_.size(); ++c)
      most = std::max(most, lanes(c));
    top_ = kMargin + most * kLane;
    double x = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      Column& column = columns_[c];
      column.shift = QPointF(x - column.left, top_ - column.top);
      x += column.right - column.left + 2 * kMargin + lanes(c) * kLane;
      height_ = std::max(height_, top_ + column.bottom - column.top + kMargin + lanes(c) * kLane);
    }
    width_ = x - 2 * kMargin;
  }

  GraphLayout moved() const {
    GraphLayout result;
    result.size = QSizeF(width_, height_);
    for (const QRectF& rect : layout_.nodes)
      result.nodes.push_back(rect.translated(columns_[columnAt(rect.center().y())].shift));
    for (const QPolygonF& line : layout_.edges)
      result.edges.push_back(movedEdge(line));
    for (const GraphLayout::Frame& frame : layout_.frames)
      for (std::size_t c = columnAt(frame.rect.top()); c <= columnAt(frame.rect.bottom()); ++c) {
        QRectF part = frame.rect;
        part.setTop(std::max(part.top(), columns_[c].top));
        part.setBottom(std::min(part.bottom(), columns_[c].bottom));
        result.frames.push_back({frame.frame, part.translated(columns_[c].shift)});
      }
    return result;
  }

  QPolygonF movedEdge(const QPolygonF& line) const {
    QPolygonF result;
    std::size_t column = columnAt(line.first().y());
    const std::size_t last = columnAt(line.last().y());
    for (const QPointF& point : line) {
      // A curve that swings back over a cut stays in its column.
      const std::size_t to = std::clamp(columnAt(point.y()), column, std::max(column, last));
      for (; column < to; ++column)
        addWay(result, column, crossingAt(line, columns_[column].bottom));
      result.append(point + columns_[column].shift);
    }
    return result;
  }

  /// From the bottom of a column to the top of the next. Lanes are ordered so that none cross.
  void addWay(QPolygonF& line, std::size_t cut, double x) const {
    const std::vector<double>& xs = crossings_.at(cut);
    const auto rank =
        static_cast<double>(xs.end() - std::upper_bound(xs.begin(), xs.end(), x)); // 0: rightmost
    const double count = static_cast<double>(xs.size());
    const Column &here = columns_[cut], &next = columns_[cut + 1];
    const QPointF start = QPointF(x, here.bottom) + here.shift,
                  end = QPointF(x, next.top) + next.shift;
    const double down = start.y() + kMargin / 2 + rank * kLane;
    const double side = here.right + here.shift.x() + kMargin + (rank + 0.5) * kLane;
    const double up = end.y() - kMargin / 2 - (count - 1 - rank) * kLane;
    line.append(start);
    addCorner(line, {start.x(), down}, {side, down});
    addCorner(line, {side, down}, {side, up});
    addCorner(line, {side, up}, {end.x(), up});
    addCorner(line, {end.x(), up}, end);
    line.append(end);
  }

  /// A rounded corner on the way from the line's end to `next`.
  static void addCorner(QPolygonF& line, const QPointF& corner, const QPointF& next) {
    const auto towards = [](const QPointF& from, const QPointF& to) {
      const QPointF way = to - from;
      const double length = std::hypot(way.x(), way.y());
      return length > 0 ? way * (std::min(kCorner, length / 2) / length) : QPointF();
    };
    const QPointF in = corner + towards(corner, line.last()), out = corner + towards(corner, next);
    for (int k = 0; k <= 4; ++k) {
      const double t = k / 4.0;
      line.append(in * ((1 - t) * (1 - t)) + corner * (2 * t * (1 - t)) + out * (t * t));
    }
  }

  const GraphLayout& layout_;
  const DrawnGraph& drawn_;
  std::vector<Column> columns_;
  std::map<std::size_t, std::vector<double>> crossings_; // x of the edges at each cut, ascending
  double top_ = 0, width_ = 0, height_ = 0;
};

} // namespace

GraphLayout inColumns(const GraphLayout& layout, const DrawnGraph& drawn, double aspect) {
  return ColumnMaker(layout, drawn).run(aspect);
}

} // namespace nestwright::ui
