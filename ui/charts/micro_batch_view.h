#pragma once
/// \file The micro-batches of one measurement as a strip: how long a run took in each, which of
/// them the time is of, and where the evaluator stopped and why.

#include "core/result/micro_batches.h"
#include "ui/charts/chart.h"

#include <QWidget>

#include <vector>

class QLabel;

namespace nestwright::ui {

/// A bar for each micro-batch.
class MicroBatchPlot : public Chart {
  Q_OBJECT
 public:
  explicit MicroBatchPlot(QWidget* parent = nullptr);
  void show(const MeasureResult& result);
  ExportTable table() const;

 protected:
  std::optional<int> pointAt(const QPointF& position) const override;
  QString describe(int batch) const override;
  bool walk(int step) override;

 private:
  void restyle() override;
  void refresh() override;

  MeasureResult result_;
  std::vector<double> times_;
  std::vector<bool> counted_;
  QCPBars *bars_, *leftOut_;
  QCPItemStraightLine* time_;
  int at_ = -1; // where the keys are
};

/// With the reason below it; hidden where a measurement has no micro-batches.
class MicroBatchView : public QWidget {
  Q_OBJECT
 public:
  explicit MicroBatchView(QWidget* parent = nullptr);
  void show(const MeasureResult& result);
  MicroBatchPlot* plot() const { return plot_; }
  QString reason() const;

 private:
  void restyle();

  MicroBatchPlot* plot_;
  QLabel* reason_;
};

} // namespace nestwright::ui
