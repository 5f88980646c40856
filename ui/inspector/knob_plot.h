#pragma once
/// \file Measured programs as lines across the knobs of their template, or the decisions of their
/// sketch, coloured by throughput. Dragging along an axis selects those that cross it there. Bars
/// above the axes tell how important decisions are.

#include "core/story/decisions/knob_brush.h"
#include "ui/charts/chart.h"
#include "ui/document/filtered_records.h"
#include "ui/inspector/knob_geometry.h"
#include "ui/inspector/knob_subject.h"

#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace nestwright::ui {

class KnobPainter;

struct KnobScene {
  KnobSubject of; // ranges that were selected are of its configurations alone
  std::shared_ptr<const KnobLines> lines = std::make_shared<KnobLines>();
  RowId selected = 0;     // record
  FilteredRecords listed; // others are drawn faintly
  QString message;        // in place of lines
};

class KnobPlot : public Chart {
  Q_OBJECT
 public:
  explicit KnobPlot(QWidget* parent = nullptr);

  void show(KnobScene scene);
  /// Another record is selected; nothing else changed.
  void setSelected(RowId record);
  const KnobLines& lines() const { return *scene_.lines; }
  /// The ranges that are selected, one an axis at most.
  const std::vector<KnobBrush>& brushes() const { return brushes_; }
  void setBrushes(std::vector<KnobBrush> brushes);
  /// The axis that the keys are about.
  std::size_t markedAxis() const { return marked_; }
  /// Where a place of an axis is, in pixels.
  QPointF pixelOf(std::size_t axis, double place) const;

 Q_SIGNALS:
  void picked(nestwright::RowId record);
  /// The lines were looked through for what is to be drawn.
  void computed();
  /// The user selected or released ranges.
  void brushesChanged();

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int line) const override;
  void choose(int line) override;
  bool walk(int step) override;
  void hover(const QPointF& position) override;
  void click(const QPointF& position) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void restyle() override;
  void refresh() override;
  void fitMargins();
  KnobGeometry knobGeometry() const;
  KnobPainter painterOn(QCPPainter& painter) const;
  /// What changes while the mouse moves: a layer of its own, so that the lines are not drawn again.
  void paintChosen(QCPPainter& painter) const;
  QString describeAxis(std::size_t axis) const;
  bool isFaint(const KnobLine& line) const;
  void setHovered(RowId record);
  /// What is selected, marked and held, of the same axes among those that are shown now.
  void carryOver(const KnobLines& before);
  bool setBrush(std::size_t axis, const std::optional<KnobBrush>& brush);
  void moveBrush(int step, bool extends);

  /// The mouse is held on an axis.
  struct Press {
    std::optional<std::size_t> axis; // nothing: it has gone since
    QPointF at;
    bool dragged = false;
  };

  KnobScene scene_;
  std::vector<KnobBrush> brushes_;
  std::shared_ptr<const KnobLines> brushed_; // the lines that these are ranges of
  std::vector<KnobSegment> segments_;
  RowId hovered_ = 0;
  std::size_t marked_ = 0;
  std::optional<Press> press_;
  QTimer dragging_; // many moves of the mouse are one change
};

} // namespace nestwright::ui
