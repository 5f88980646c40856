#pragma once
/// \file End-to-end latency against samples: every combination as a dot, the best so far with the
/// measuring noise as a band, and the per-task bests as a line.

#include "ui/charts/chart.h"
#include "ui/kit/format.h"

#include <vector>

namespace nestwright::ui {

class RecombinationControl;

class RecombinationPlot : public Chart {
  Q_OBJECT
 public:
  RecombinationPlot(const RecombinationControl& control, QWidget* parent);
  /// The sample that is marked; -1: none.
  void mark(int sample);
  int marked() const { return marked_; }
  /// Where a sample is drawn, in pixels, for tests.
  QPointF positionOf(int sample) const;

 Q_SIGNALS:
  void picked(int sample);

 protected:
  std::optional<int> pointAt(const QPointF& position) const override;
  QString describe(int sample) const override;
  void choose(int sample) override;
  bool walk(int step) override;

 private:
  void build();
  void restyle() override;
  void refresh() override;
  void fitAxes();
  void placeLabels();
  double scaled(double seconds) const;
  double xOf(int sample) const;
  void setBand(QCPGraph* low, QCPGraph* high, const QVector<double>& x, const QVector<double>& y);

  const RecombinationControl& control_;
  QCPGraph *bandLow_, *bandHigh_, *baseLow_, *baseHigh_;
  QCPGraph *baseline_, *best_, *dots_, *drift_, *failed_, *winner_, *ring_;
  QCPItemText *baselineLabel_, *bestLabel_;
  std::vector<int> x_; // of each sample: combinations measured up to it
  TimeUnit unit_ = TimeUnit::Milliseconds;
  int marked_ = -1;
};

} // namespace nestwright::ui
