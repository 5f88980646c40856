#pragma once
/// \file Programs on two targets: the time of each by the best one there, on logarithmic axes.

#include "ui/charts/zoomable_chart.h"
#include "ui/travel/travel_program_model.h"

#include <optional>
#include <vector>

namespace nestwright::ui {

/// What is drawn.
struct TravelScene {
  TravelAnswer answer;
  std::optional<std::size_t> task; // its index; nothing: all
  std::size_t a = 0, b = 1;        // targets, on the x axis and the y axis
  std::optional<TravelRow> chosen;
  QString message; // in place of programs
};

class TravelPlot : public ZoomableChart {
  Q_OBJECT
 public:
  /// Of more programs every n-th is drawn, beside those that are good somewhere.
  static constexpr std::size_t kMostPoints = 20'000;

  explicit TravelPlot(QWidget* parent = nullptr);
  void show(TravelScene scene);
  /// Another program is chosen; nothing else changed.
  void choose(const std::optional<TravelRow>& row);
  int pointCount() const { return static_cast<int>(points_.size()); }
  std::optional<QPointF> pixelOf(const TravelRow& row) const;

 Q_SIGNALS:
  void picked(std::size_t task, std::size_t program);

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int point) const override;
  void choose(int point) override;
  bool walk(int step) override;

 private:
  struct Point {
    TravelRow row;
    double x = 1, y = 1;     // where it is drawn
    double onA = 1, onB = 1; // times by the best; infinity where it failed
  };
  void restyle() override;
  void refresh() override;
  void collect();
  void addTask(std::size_t task, std::size_t stride);
  void placeFailed();
  void drawPoints();
  void markChosen();
  QPointF pixelOf(const Point& point) const;

  TravelScene scene_;
  std::vector<Point> points_;
  std::size_t leftOut_ = 0; // of those that are good on neither
  QCPGraph *nowhere_, *onOne_, *onBoth_, *failed_, *ring_;
  QCPItemLine *diagonal_, *boundA_, *boundB_;
};

} // namespace nestwright::ui
