#pragma once
/// \file End-to-end latency against samples: every combination as a dot, the best so far with the
/// measuring noise as a band, and the per-task bests as a line.

#include "ui/charts/plot_library.h"
#include "ui/kit/format.h"

#include <QLabel>

#include <optional>

namespace nestwright::ui {

class RecombinationControl;

class RecombinationPlot : public QCustomPlot {
  Q_OBJECT
 public:
  RecombinationPlot(const RecombinationControl& control, QWidget* parent);
  /// The sample that is marked; -1: none.
  void mark(int sample);
  int marked() const { return marked_; }
  /// Where a sample is drawn, in pixels, for tests.
  QPointF positionOf(int sample) const;
  QString readout() const { return readout_->isHidden() ? QString() : readout_->text(); }
  /// What is shown instead of curves while there are none.
  QString message() const { return message_->visible() ? message_->text() : QString(); }

 Q_SIGNALS:
  void picked(int sample);

 protected:
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void build();
  void restyle();
  void refresh();
  void fitAxes();
  void placeLabels();
  double scaled(double seconds) const;
  double xOf(int sample) const;
  std::optional<int> sampleAt(const QPointF& position) const;
  QString describe(int sample) const;
  void setBand(QCPGraph* low, QCPGraph* high, const QVector<double>& x, const QVector<double>& y);

  const RecombinationControl& control_;
  QCPGraph *bandLow_, *bandHigh_, *baseLow_, *baseHigh_;
  QCPGraph *baseline_, *best_, *dots_, *drift_, *failed_, *winner_, *ring_;
  QCPItemText *baselineLabel_, *bestLabel_, *message_;
  QLabel* readout_;
  std::vector<int> x_; // of each sample: combinations measured up to it
  TimeUnit unit_ = TimeUnit::Milliseconds;
  int marked_ = -1;
};

} // namespace nestwright::ui
