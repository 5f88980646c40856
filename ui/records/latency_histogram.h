#pragma once
/// \file How the latencies of the listed records are spread: bars of equal ratio, marks for best,
/// median and quartiles. Dragging over the bars chooses a range.

#include "core/record/rows/record_statistics.h"
#include "ui/charts/chart.h"
#include "ui/kit/exportable.h"
#include "ui/kit/plot_library.h"

namespace nestwright::ui {

class LatencyHistogram : public Chart {
  Q_OBJECT
 public:
  explicit LatencyHistogram(QWidget* parent = nullptr);
  /// Null: nothing to show, with the reason in words.
  void show(const RecordStatistics* figures, const QString& message);
  /// The bins' edges, seconds; one more than there are bars.
  static std::vector<double> edges(const RecordStatistics& figures);
  /// What is told of the bin under the pointer.
  QString binText(std::size_t bin) const;
  /// The bars as rows; none while there are none.
  ExportTable table() const;

 Q_SIGNALS:
  /// Both in seconds, and edges of bars.
  void rangeChosen(double low, double high);
  /// Double click: all ranges are to go.
  void rangeCleared();

 protected:
  void tell(const QPointF& position, const QString& text) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void restyle() override;
  void refresh() override;
  /// The number of the bin under a place of the widget, -1 left and the number of bins right of
  /// all.
  int binAt(const QPoint& at) const;
  void brush(int from, int to);

  RecordStatistics figures_;
  bool shown_ = false;
  std::vector<double> edges_;
  QCPBars* bars_;
  QCPItemRect* brush_;
  QCPItemStraightLine* median_;
  int pressed_ = -1;
  int from_ = -1, to_ = -1; // bars that the keyboard is at
  bool dragging_ = false;
};

} // namespace nestwright::ui
