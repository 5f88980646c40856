#pragma once
/// \file Programs of a task under the machine's roof: operations per byte moved against operations
/// per second, with the path that the best one took.

#include "core/story/roofline.h"
#include "ui/charts/note_marks.h"
#include "ui/charts/zoomable_chart.h"
#include "ui/document/filtered_records.h"

#include <array>
#include <optional>
#include <vector>

namespace nestwright::ui {

class RooflinePlot : public ZoomableChart {
  Q_OBJECT
 public:
  explicit RooflinePlot(QWidget* parent = nullptr);

  /// `bandwidth`: bytes per second of what the bytes come from; 0 when unknown. `selected`: a
  /// record, or 0.
  void show(const Roofline& roofline, Traffic traffic, double bandwidth, RowId selected);
  void showMessage(const QString& text);
  /// What people wrote about the programs.
  void setNotes(const Notes& notes);
  /// Programs of records that are not listed are drawn faintly from now on.
  void setListed(const FilteredRecords& listed);
  const FilteredRecords& listed() const { return listed_; }
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
  /// What is written beside the lines that are drawn, the roof's own among them.
  QStringList roofNames() const;

 Q_SIGNALS:
  void picked(nestwright::RowId record);
  /// It was double-clicked: the program itself is wanted.
  void opened(nestwright::RowId record);
  /// It was pressed and moved: the program is to be dragged elsewhere.
  void dragged(nestwright::RowId record);
  /// Shift and drag: only these records are wanted.
  void brushed(const std::vector<FilterCondition>& conditions);

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int point) const override;
  void choose(int point) override;
  std::optional<Selection> grabAt(const QPointF& position) const override;
  void drag(const Selection& held) override { Q_EMIT dragged(held.record); }
  bool walk(int step) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void restyle() override;
  void refresh() override;
  void fit();
  /// A line beside the roof: what tensor cores could do, or another level's memory.
  struct FurtherRoof {
    QString name;
    double flops = 0, bandwidth = 0; // of the two it is the lower one
    bool isSlope = false;            // the bandwidth is what it is about
  };
  std::vector<FurtherRoof> furtherRoofs() const;
  void drawRoofs();
  void drawFurther(std::size_t number, const FurtherRoof* roof);
  QString bandwidthText(Traffic traffic, double bandwidth) const;
  double intensity(const RooflinePoint& point) const;
  double speed(const RooflinePoint& point) const; // GFLOP/s
  const RooflinePoint& at(int point) const;

  Roofline roofline_;
  Notes notes_;
  FilteredRecords listed_;
  Traffic traffic_ = Traffic::Memory;
  double bandwidth_ = 0;
  RowId selected_ = 0;
  QCPGraph *points_, *others_, *roof_, *ring_;
  QCPCurve* path_; // a graph would sort it by intensity
  QCPGraph *bests_, *newest_, *dragged_;
  NoteMarks marks_;
  QCPItemLine* compulsory_;
  QCPItemText *roofLabel_, *slopeLabel_, *compulsoryLabel_;
  std::array<QCPGraph*, 4> further_;
  std::array<QCPItemText*, 4> furtherLabels_;
};

} // namespace nestwright::ui
