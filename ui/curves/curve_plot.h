#pragma once
/// \file The tuning curves: best so far of every task and of the weighted total, over trials or
/// time, with the selected task's trials as dots. Lines carry their names, so there is no legend.

#include "core/record/rows/record_filter.h"
#include "core/story/curve_data.h"
#include "ui/charts/plot_labels.h"
#include "ui/charts/zoomable_chart.h"
#include "ui/curves/course_mark_lines.h"
#include "ui/curves/curve_focus.h"
#include "ui/curves/curve_lines.h"
#include "ui/curves/curve_marks.h"
#include "ui/curves/curve_names.h"
#include "ui/curves/curve_overlays.h"
#include "ui/curves/curve_trials.h"
#include "ui/curves/trial_conditions.h"

#include <QTimer>

#include <optional>

namespace nestwright::ui {

class Document;

class CurvePlot : public ZoomableChart {
  Q_OBJECT
 public:
  explicit CurvePlot(Document& document, QWidget* parent = nullptr);

  const CurveOptions& options() const { return options_; }
  void setOptions(const CurveOptions& options);
  /// Shows everything again and follows the session.
  void showAll() override;
  /// Other sessions and reference values to compare with; schedule() shows a change.
  CurveOverlays& overlays() { return overlays_; }
  /// Trials of records that are not listed are drawn faintly from now on.
  void setListed(const FilteredRecords& listed);
  const CurveTrials& trials() const { return trials_; }
  /// What is said of the listed ones; empty while all are.
  QString listedText() const { return listedText_; }
  const CurveMarks& marks() const { return marks_; }
  const CourseMarkLines& courseMarks() const { return courseMarks_; }
  const CurveFocus& focus() const { return focus_; }
  const CurveNames& names() const { return names_; }
  void drawPicture(QPainter& painter, QSize size) override;
  /// Draws what has changed at the next tick.
  void schedule();
  /// Draws it at once.
  void refreshNow();

 Q_SIGNALS:
  void listedTextChanged();
  /// Pressed on the ring around the selected record and moved: it is to be dragged elsewhere.
  void dragged();
  /// Shift and drag: only records of these ranges are wanted.
  void brushed(const std::vector<FilterCondition>& conditions);

 protected:
  std::optional<Selection> grabAt(const QPointF& position) const override;
  void drag(const Selection&) override { Q_EMIT dragged(); }
  void hover(const QPointF& position) override;
  void click(const QPointF& position) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  /// What the mouse points at.
  struct Hit {
    RowId task = 0, record = 0;
    QPointF place; // coordinates; y is 0 for one that failed
    QString text;
    bool isProgram = true; // a dot or a line; else a mark beside them
  };

  void build();
  void restyle() override;
  void refresh() override;
  void refreshTrials();
  void fitAxes();
  void showMessage();
  void selectTrial(int step, bool bestsOnly);
  void selectTask(int step);
  std::optional<Hit> hitAt(const QPointF& position) const;

  Document& document_;
  // What is made later is drawn over what was made before.
  PlotLabels labels_;
  CurveOverlays overlays_;
  CurveMarks marks_;
  CourseMarkLines courseMarks_;
  CurveTrials trials_;
  CurveFocus focus_;
  CurveLines lines_;
  CurveNames names_;
  TrialConditions conditions_;
  QPointF hovered_; // where the mouse was last
  CurveOptions options_;
  FilteredRecords listed_;
  QString listedText_;
  QCPItemTracer* tracer_;
  QTimer refreshTimer_;
  bool dirty_ = true, drawHidden_ = false;
};

} // namespace nestwright::ui
