#pragma once
/// \file The trials given to each task over trials or time, as a stack of areas. Areas carry their
/// tasks' names; a click selects the task.

#include "core/story/allocation.h"
#include "ui/charts/plot_style.h"
#include "ui/kit/exportable.h"

#include <QTimer>

#include <optional>

namespace nestwright::ui {

class Document;

class AllocationPlot : public QCustomPlot {
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
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void restyle();
  void schedule();
  void refresh();
  void drawBands();
  void drawLabels();
  QCPGraph* bandGraph(std::size_t index);
  QString bandName(const AllocationBand& band) const;
  /// The band under a point of the widget, and the sample next to it.
  struct Hit {
    std::size_t band = 0;
    int sample = 0;
  };
  std::optional<Hit> hitAt(const QPointF& position) const;

  Document& document_;
  XAxis x_ = XAxis::Trials;
  bool share_ = false;
  Allocation shown_;
  std::vector<QCPGraph*> graphs_;
  std::vector<QCPItemText*> labels_;
  QCPItemText* message_;
  Readout* readout_;
  QTimer refreshTimer_;
  bool dirty_ = true;
};

} // namespace nestwright::ui
