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
  /// Of these models, by the number of favourites at place `k`; `task` is looked at, -1: none.
  void show(Judged judged, std::size_t a, std::size_t b, std::size_t k, int task);
  void showMessage(const QString& message);
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

  Judged judged_;
  std::size_t a_ = 0, b_ = 0, k_ = 0;
  int task_ = -1;
  QCPGraph *points_, *ring_;
  QCPItemLine* diagonal_;
  QCPItemText *above_, *below_;
};

} // namespace nestwright::ui
