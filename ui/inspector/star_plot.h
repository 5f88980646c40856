#pragma once
/// \file A polish as a star: the program in the middle, a ray for each decision, and on it the
/// neighbours that differ in it, the farther out the more their time differs.

#include "core/story/decisions/polish_star.h"
#include "ui/charts/chart.h"
#include "ui/charts/plot_labels.h"

#include <QString>

#include <optional>
#include <vector>

namespace nestwright::ui {

struct StarScene {
  PolishStar star;
  RowId selected = 0;   // a neighbour's record, or the centre's
  std::string decision; // whose ray stands out; empty: none
  QString message;      // in place of a star
};

class StarPlot final : public Chart {
  Q_OBJECT
 public:
  /// More rays than this cannot be named beside each other; the least important ones are left out.
  static constexpr std::size_t kMostRays = 24;

  explicit StarPlot(QWidget* parent = nullptr);
  void show(StarScene scene);
  const StarScene& scene() const { return scene_; }
  std::size_t rayCount() const;
  /// Where the neighbour of a ray is, in pixels.
  QPointF pixelOf(std::size_t ray, std::size_t neighbour) const;
  /// Where the program in the middle is.
  QPointF middle() const;

 Q_SIGNALS:
  /// A neighbour, or the program in the middle.
  void picked(RowId record);

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int point) const override;
  void choose(int point) override;
  bool walk(int step) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Point {
    std::size_t ray = 0, neighbour = 0;
    QPointF place; // the middle is the origin, what differs most is at 1
  };
  void restyle() override;
  void refresh() override;
  void clearDrawn();
  void placePoints();
  /// From the middle, of a neighbour whose time differs by so many times.
  double radiusOf(double factor) const;
  std::vector<QString> raysInWords() const;
  void fit(const std::vector<QString>& names);
  void drawRings();
  void drawRay(std::size_t ray, const QString& name);
  void drawPoints();
  const StarNeighbour& neighbourOf(const Point& point) const;

  StarScene scene_;
  std::vector<Point> points_;
  PlotLabels labels_;
  std::vector<QCPAbstractItem*> items_;
  QCPGraph *slower_, *faster_, *taken_, *failed_, *middle_, *ring_;
};

/// "1.4×".
QString starFactor(double factor);

} // namespace nestwright::ui
