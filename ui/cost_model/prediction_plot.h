#pragma once
/// \file What the cost model expected of a round's programs against what was measured: as points
/// with the lines that part the k best, or as lines from one rank to the other.

#include "core/story/predictions.h"
#include "ui/charts/note_marks.h"
#include "ui/charts/zoomable_chart.h"
#include "ui/document/filtered_records.h"

#include <functional>
#include <optional>

namespace nestwright::ui {

/// What is drawn. The programs belong to the caller and stay until the next call.
struct PredictionScene {
  int round = 0;
  std::vector<const PredictedProgram*> programs; // of the round
  std::vector<const PredictedProgram*> before;   // of earlier rounds, as context
  std::size_t k = 8;                             // how many best programs count
  RowId selected = 0;                            // record
  std::function<QString(RowId)> taskName;
  Notes notes;            // what people wrote about them
  FilteredRecords listed; // others are drawn as those of earlier rounds are
  QString message;        // in place of programs
};

class PredictionPlot : public ZoomableChart {
  Q_OBJECT
 public:
  enum class Layout : std::uint8_t { Scores, Ranks };

  explicit PredictionPlot(QWidget* parent = nullptr);

  void show(PredictionScene scene);
  void setLayout(Layout layout);
  const NoteMarks& marks() const { return marks_; }
  /// Programs that are drawn.
  int pointCount() const { return static_cast<int>(points_.size()); }
  /// Of these, how many have bars of one standard deviation.
  int unsureCount() const { return unsure_->dataCount() / 3; }
  /// Where the program of this record is drawn.
  std::optional<QPointF> pixelOf(RowId record) const;

 Q_SIGNALS:
  void picked(nestwright::RowId record);
  /// It was pressed and moved: the program is to be dragged elsewhere.
  void dragged(nestwright::RowId task, nestwright::RowId record);
  /// Shift and drag: only these records are wanted.
  void brushed(const std::vector<FilterCondition>& conditions);

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int point) const override;
  void choose(int point) override;
  std::optional<Selection> grabAt(const QPointF& position) const override;
  void drag(const Selection& held) override { Q_EMIT dragged(held.task, held.record); }
  bool walk(int step) override;

 private:
  /// A program and where it is drawn; as a line it has a second end.
  struct Point {
    const PredictedProgram* program;
    double x, y, y2;
  };
  void restyle() override;
  void refresh() override;
  void refreshScores();
  void refreshRanks();
  void addUnsure(const PredictedProgram& program);
  void drawRankLine(const RankedPrediction& ranked);
  void fitScores();
  void limitLine(QCPItemLine* line, QCPItemText* label, bool vertical, double at,
                 const QString& text);
  double distance(const Point& point, const QPointF& pixel) const;
  QPointF pixelOf(const Point& point) const;
  const PredictedProgram& at(int point) const;

  PredictionScene scene_;
  Layout layout_ = Layout::Scores;
  std::vector<Point> points_;
  QCPGraph *before_, *chosen_, *exploring_, *failed_, *ring_;
  QCPCurve* unsure_; // how sure the model was: bars of one standard deviation
  QCPGraph *hits_, *missed_, *overrated_, *rest_; // of the legend of ranks
  NoteMarks marks_;
  std::vector<QCPItemLine*> rankLines_;
  QCPItemLine *diagonal_, *best_, *predictedLimit_, *measuredLimit_;
  QCPItemText *diagonalLabel_, *bestLabel_, *predictedLabel_, *measuredLabel_;
};

} // namespace nestwright::ui
