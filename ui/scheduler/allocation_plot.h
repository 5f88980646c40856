#pragma once
/// \file The trials given to each task over trials or time, as a stack of areas. Areas carry their
/// tasks' names; a click selects the task.

#include "core/story/allocation.h"
#include "ui/charts/chart.h"
#include "ui/kit/exportable.h"

#include <QTimer>

namespace nestwright::ui {

class Document;

class AllocationPlot : public Chart {
  Q_OBJECT
 public:
  explicit AllocationPlot(Document& document, QWidget* parent = nullptr);

  void setAxis(XAxis x);
  /// Shares of all trials instead of their numbers.
  void setShare(bool share);
  /// Draws what has changed at once, not at the next tick; also when it is not in sight.
  void refreshNow();
  const Allocation& shown() const { return shown_; }
  /// The numbers that are drawn: a row for each place on the horizontal axis, a column a band.
  ExportTable table() const;

 protected:
  void showEvent(QShowEvent* event) override;
  std::optional<int> pointAt(const QPointF& position) const override;
  QString describe(int point) const override;
  void choose(int point) override;
  /// Areas lie on one another.
  Qt::Orientation walks() const override { return Qt::Vertical; }
  bool walk(int step) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void restyle() override;
  void schedule();
  void refresh() override;
  void drawBands();
  void drawLabels();
  QCPGraph* bandGraph(std::size_t index);
  QString bandName(const AllocationBand& band) const;
  /// A point is a sample of a band.
  std::size_t bandOf(int point) const;
  std::size_t sampleOf(int point) const;

  Document& document_;
  XAxis x_ = XAxis::Trials;
  bool share_ = false;
  Allocation shown_;
  std::vector<QCPGraph*> graphs_;
  std::vector<QCPItemText*> labels_;
  QTimer refreshTimer_;
  bool dirty_ = true;
};

} // namespace nestwright::ui
