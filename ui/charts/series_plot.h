#pragma once
/// \file Numbers along rounds or steps: lines, dots, bars and bands with their names at the right
/// end. Who shows it says what there is; it knows nothing of where the numbers come from.

#include "ui/charts/chart.h"
#include "ui/charts/plot_labels.h"

#include <functional>
#include <vector>

namespace nestwright::ui {

struct PlotSeries {
  enum class Shape : std::uint8_t {
    Line,
    Step, // keeps its value until the next one
    Dots,
    Bars,
    Band // between `y` and `upper`
  };
  QString name; // at its right end; empty: none
  Shape shape = Shape::Line;
  int colour = 0; // of the theme's series
  Qt::PenStyle style = Qt::SolidLine;
  std::vector<double> x, y, upper; // NaN: nothing there
  bool faint = false;              // a band that others lie over
};

/// A value that the numbers are to be compared with: a dotted line across.
struct PlotReference {
  double y = 0;
  QString text;
  int colour = -1; // of the theme's series; -1: none
};

struct SeriesScene {
  std::vector<PlotSeries> series;
  std::vector<PlotReference> references;
  QString xLabel, xTip, yLabel, yTip;
  double yLow = 0, yHigh = 0;              // what is seen at least; nothing where both are 0
  double marked = -1;                      // the x that is looked at; -1: none
  std::vector<double> stops;               // the x that something is told of, ascending
  std::function<QString(double)> describe; // what is told of one
  QString message;                         // in place of numbers
};

class SeriesPlot : public Chart {
  Q_OBJECT
 public:
  /// `name`: what it shows, for those who do not see it.
  SeriesPlot(QWidget* parent, const QString& name);

  void show(SeriesScene scene);
  const SeriesScene& scene() const { return scene_; }
  /// Where this x is, in pixels.
  double pixelOf(double x) const { return xAxis->coordToPixel(x); }

 Q_SIGNALS:
  /// The x of a stop.
  void picked(double x);

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int stop) const override;
  void choose(int stop) override;
  bool walk(int step) override;

 private:
  void restyle() override;
  void refresh() override;
  void drawSeries(const PlotSeries& series);
  void nameEnd(const PlotSeries& series, double end, const QColor& colour);
  void drawReference(const PlotReference& reference);
  void fit();
  void clearDrawn();

  SeriesScene scene_;
  PlotLabels labels_;
  std::vector<QCPItemText*> names_;
  std::vector<QCPAbstractItem*> items_;
  QCPItemLine* here_;
};

} // namespace nestwright::ui
