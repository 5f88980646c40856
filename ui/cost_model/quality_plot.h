#pragma once
/// \file How well the cost model ranked each round's programs before it learned from them, round
/// after round.

#include "core/story/predictions.h"
#include "core/support/row_id.h"
#include "ui/charts/chart.h"

#include <array>
#include <functional>

namespace nestwright::ui {

class QualityPlot : public Chart {
  Q_OBJECT
 public:
  explicit QualityPlot(QWidget* parent = nullptr);

  /// Ascending by round. `k`: of how many best programs the recall is.
  void show(std::vector<RoundQuality> rounds, std::size_t k, int selectedRound,
            const QString& message, std::function<QString(RowId)> taskName);
  int roundCount() const { return static_cast<int>(rounds_.size()); }
  /// Where the round is on the x axis, in pixels.
  double pixelOf(int round) const { return xAxis->coordToPixel(round); }

 Q_SIGNALS:
  void picked(int round);

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int round) const override;
  void choose(int round) override;
  bool walk(int step) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// One number over the rounds: its dots, its smoothed line, and its name at the line's end.
  struct Metric {
    QString name;
    QCPGraph *dots, *line;
    QCPItemText* label;
    double RoundQuality::*value;
    int series;
  };
  void restyle() override;
  void refresh() override;
  void placeLabels();

  std::vector<RoundQuality> rounds_;
  std::size_t k_ = 8;
  int selected_ = 0;
  std::function<QString(RowId)> taskName_;
  std::array<Metric, 3> metrics_;
  QCPGraph* chance_;
  QCPItemLine *half_, *here_;
  QCPItemText* halfLabel_;
};

} // namespace nestwright::ui
