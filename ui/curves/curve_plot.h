#pragma once
/// \file The tuning curves: best so far of every task and of the weighted total, over trials or
/// time, with the selected task's trials as dots. Lines carry their names, so there is no legend.

#include "core/record/rows/record_filter.h"
#include "core/story/curve_data.h"
#include "ui/charts/plot_labels.h"
#include "ui/charts/plot_style.h"
#include "ui/curves/course_mark_lines.h"
#include "ui/curves/curve_marks.h"
#include "ui/curves/curve_overlays.h"
#include "ui/document/listed_records.h"

#include <QTimer>

#include <map>
#include <optional>

namespace nestwright::ui {

class Document;

class CurvePlot : public QCustomPlot {
  Q_OBJECT
 public:
  explicit CurvePlot(Document& document, QWidget* parent = nullptr);

  const CurveOptions& options() const { return options_; }
  void setOptions(const CurveOptions& options);
  /// True while the user looks at a part; then new points do not move the axes.
  bool isZoomed() const { return zoomed_; }
  /// Shows everything again and follows the session.
  void showAll();
  /// Other sessions and reference values to compare with; refreshNow() shows a change.
  CurveOverlays& overlays() { return overlays_; }
  /// Trials of records that are not listed are drawn faintly from now on.
  void setListed(const ListedRecords& listed);
  /// Dots that are drawn, of listed records and of others.
  int listedDots() const { return dots_->dataCount(); }
  int otherDots() const { return others_->dataCount(); }
  /// What is said of the listed ones; empty while all are.
  QString listedText() const { return listedText_; }
  const CurveMarks& marks() const { return marks_; }
  const CourseMarkLines& courseMarks() const { return courseMarks_; }
  /// Paints the curves as they are seen, as lines and text, into a rectangle of this size.
  void draw(QPainter& painter, QSize size);
  /// Draws what has changed at once, not at the next tick.
  void refreshNow();

 Q_SIGNALS:
  void zoomChanged();
  void listedTextChanged();
  /// Pressed on the ring around the selected record and moved: it is to be dragged elsewhere.
  void dragged();
  /// Shift and drag: only records of these ranges are wanted.
  void brushed(const std::vector<FilterCondition>& conditions);

 protected:
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override; // curve_plot_choosing.cpp
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  /// What the mouse points at.
  struct Hit {
    RowId task = 0, record = 0;
    double x = 0, y = 0, distance = 0;
    QString text;
  };

  void build();
  void restyle();
  void schedule();
  void refresh();
  void refreshLines();
  void refreshDots();
  void refreshLabels();
  void fitAxes();
  void styleLines();
  QCPGraph* addLine();
  // curve_plot_choosing.cpp
  void selectTrial(int step, bool bestsOnly);
  void selectTask(int step);
  std::vector<FilterCondition> conditionsOf(const QRect& area) const;
  void describeListed();
  std::optional<Hit> hitAt(const QPointF& position) const;
  std::optional<Hit> lineHit(const QPointF& position) const;
  std::optional<Hit> dotHit(const QPointF& position) const;
  void showReadout(const QPointF& position);

  Document& document_;
  PlotLabels labels_;
  CurveOverlays overlays_;
  CurveMarks marks_;
  CourseMarkLines courseMarks_;
  CurveOptions options_;
  std::map<RowId, QCPGraph*> tasks_;
  QCPGraph *total_, *untuned_, *dots_, *others_, *errors_, *otherErrors_;
  ListedRecords listed_;
  QString listedText_;
  QCPItemStraightLine *naiveTotal_, *naiveTask_;
  QCPItemText *totalLabel_, *taskLabel_, *naiveLabel_, *naiveTaskLabel_, *message_;
  QCPItemTracer* tracer_;
  Readout* readout_;
  QTimer refreshTimer_;
  bool zoomed_ = false;
  bool dirty_ = true, drawHidden_ = false;
  QPoint pressed_;
  // The mouse was pressed on the selected record; and it was not told yet that it is dragged.
  bool held_ = false, grabbed_ = false;
};

} // namespace nestwright::ui
