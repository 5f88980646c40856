#pragma once
/// \file Two models against each other, a point a task: how much of each task's best a search gets
/// from either's favourites.

#include "ui/charts/zoomable_chart.h"
#include "ui/lab/judged.h"

namespace nestwright::ui {

class AgreementPlot : public ZoomableChart {
  Q_OBJECT
 public:
  explicit AgreementPlot(QWidget* parent = nullptr);
  void show(const JudgedLook& look);
  ExportTable table() const;
  std::optional<QPointF> pixelOf(int task) const;

 Q_SIGNALS:
  void picked(int task);

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int task) const override;
  void choose(int task) override;
  bool walk(int step) override;

 private:
  void restyle() override;
  void refresh() override;
  double score(std::size_t model, int task) const;
  int taskCount() const;

  JudgedLook look_;
  QCPGraph *points_, *ring_;
  QCPItemLine* diagonal_;
  QCPItemText *above_, *below_;
};

} // namespace nestwright::ui
