#pragma once
/// \file Records as points, any two of their numbers against each other and a third as colour.
/// Dragging chooses a range of both; the wheel zooms, Home shows everything again.

#include "ui/charts/chart.h"
#include "ui/charts/note_marks.h"
#include "ui/charts/point_fact.h"

#include <optional>
#include <set>
#include <vector>

namespace nestwright::ui {

class ScatterPlot : public Chart {
  Q_OBJECT
 public:
  /// From more than these on, points are drawn small and plain.
  static constexpr int kManyPoints = 4000;

  explicit ScatterPlot(QWidget* parent = nullptr);
  void show(RecordSample sample);
  void setFacts(PointFact x, PointFact y, PointFact colour);
  /// These are ringed.
  void setChosen(const std::vector<RowId>& records);
  void showMessage(const QString& text);
  /// What people wrote about the records.
  void setNotes(const Notes& notes);
  const NoteMarks& marks() const { return marks_; }
  const RecordSample& sample() const { return sample_; }
  /// Points that have both numbers.
  int drawn() const { return drawn_; }
  std::optional<QPointF> pixelOf(RowId record) const;
  /// Records with a ring that are drawn.
  int ringed() const { return rings_->dataCount(); }
  /// Those with a ring, in the order of the points.
  std::vector<const RecordPoint*> ringedPoints() const;
  /// The classes of the colour, in the order of the legend.
  QStringList classes() const;

 Q_SIGNALS:
  /// In the titles' units. A drag along one axis leaves the other unbounded (infinite).
  void brushed(double xLow, double xHigh, double yLow, double yHigh);
  /// Double click: the ranges are to go.
  void cleared();
  void picked(nestwright::RowId task, nestwright::RowId record);
  /// Pressed on a ringed one and moved: the ringed ones are to be dragged elsewhere.
  void dragged();

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int point) const override;
  void choose(int point) override;
  bool walk(int step) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Class {
    QString name;
    QColor colour;
    QCPScatterStyle::ScatterShape shape;
    QVector<double> xs, ys;
  };
  void restyle() override;
  void refresh() override;
  void setUpAxis(QCPAxis* axis, PointFact fact);
  std::vector<Class> namedClasses(std::vector<std::size_t>& of) const;
  std::vector<Class> gradedClasses(std::vector<std::size_t>& of) const;
  void fit();
  void drawBrush(const QPoint& to);
  /// Where a point is drawn; not finite when it lacks one of the numbers.
  QPointF pixelOf(const RecordPoint& point) const;

  RecordSample sample_;
  Notes notes_;
  PointFact x_ = PointFact::Trial, y_ = PointFact::Latency, colour_ = PointFact::Task;
  std::set<RowId> chosen_;
  int drawn_ = 0;
  bool zoomed_ = false;                      // by the wheel, until Home or other records
  std::vector<QCPGraph*> graphs_, swatches_; // the classes, and what the legend shows of them
  QCPGraph* rings_;
  NoteMarks marks_;
  QCPItemRect* brush_;
  QPoint pressed_;
  bool dragging_ = false, grabbed_ = false;
};

} // namespace nestwright::ui
