#pragma once
/// \file Programs of a task under the machine's roof: operations per byte moved against operations
/// per second, with the path that the best one took.

#include "core/story/roofline.h"
#include "ui/charts/note_marks.h"
#include "ui/charts/plot_style.h"
#include "ui/document/listed_records.h"

#include <optional>

namespace nestwright::ui {

class RooflinePlot : public QCustomPlot {
  Q_OBJECT
 public:
  explicit RooflinePlot(QWidget* parent = nullptr);

  /// `bandwidth`: bytes per second of the memory; 0 when unknown. `selected`: a record, or 0.
  void show(const Roofline& roofline, Traffic traffic, double bandwidth, RowId selected);
  void showMessage(const QString& text);
  /// What people wrote about the programs.
  void setNotes(const Notes& notes);
  /// Programs of records that are not listed are drawn faintly from now on.
  void setListed(const ListedRecords& listed);
  const ListedRecords& listed() const { return listed_; }
  int otherCount() const { return others_->dataCount(); }
  const NoteMarks& marks() const { return marks_; }
  int pointCount() const { return static_cast<int>(roofline_.points.size()); }
  /// Programs on the path of the best.
  int pathLength() const { return path_->dataCount(); }
  /// Programs that were dropped here.
  int droppedCount() const { return dragged_->dataCount(); }
  /// Where the program of this record is drawn.
  std::optional<QPointF> pixelOf(RowId record) const;
  /// Operations per second that no program of this intensity exceeds; infinity when unknown.
  double roofAt(double intensity) const;

 Q_SIGNALS:
  void picked(nestwright::RowId record);
  /// It was double-clicked: the program itself is wanted.
  void opened(nestwright::RowId record);
  /// It was pressed and moved: the program is to be dragged elsewhere.
  void dragged(nestwright::RowId record);
  /// Shift and drag: only these records are wanted.
  void brushed(const std::vector<FilterCondition>& conditions);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void restyle();
  void refresh();
  void fit();
  void drawRoofs();
  double intensity(const RooflinePoint& point) const;
  double speed(const RooflinePoint& point) const; // GFLOP/s
  const RooflinePoint* nearest(const QPointF& pixel) const;
  QString describe(const RooflinePoint& point) const;

  Roofline roofline_;
  Notes notes_;
  ListedRecords listed_;
  Traffic traffic_ = Traffic::Memory;
  double bandwidth_ = 0;
  RowId selected_ = 0;
  QCPGraph *points_, *others_, *roof_, *ring_;
  QCPCurve* path_; // a graph would sort it by intensity
  QCPGraph *bests_, *newest_, *dragged_;
  NoteMarks marks_;
  QCPItemLine* compulsory_;
  QCPItemText *roofLabel_, *slopeLabel_, *compulsoryLabel_, *message_;
  Readout* readout_;
  QPoint pressed_;
  RowId grabbed_ = 0; // the program under the pressed mouse, until it is dragged
  bool held_ = false; // the mouse was pressed on a program
  bool zoomed_ = false;
};

} // namespace nestwright::ui
