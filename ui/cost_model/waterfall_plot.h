#pragma once
/// \file A program's score taken apart: from what the model expects of any program, bar by bar what
/// each feature, or each step, adds or takes, down to the score.

#include "ui/charts/chart.h"
#include "ui/cost_model/score_story.h"

namespace nestwright::ui {

class WaterfallPlot : public Chart {
  Q_OBJECT
 public:
  explicit WaterfallPlot(QWidget* parent = nullptr);

  void show(const ScoreStory& story);
  void showMessage(const QString& message);
  /// One bar of the waterfall.
  struct Bar {
    QString name, tip;
    double from = 0, to = 0;
    bool total = false; // up to a score, from zero or the axis: where it begins, and the end
    int step = -1;      // of the program; -1: it is none
  };
  /// As many as have room; the smallest parts share one.
  const std::vector<Bar>& bars() const { return bars_; }

 Q_SIGNALS:
  /// A step's bar was clicked.
  void stepPicked(int step);

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int bar) const override;
  void choose(int bar) override;
  void hover(const QPointF& position) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void restyle() override;
  void refresh() override;
  /// Whether the score is a share of the fastest program's throughput.
  bool isShare() const;
  void explainAxes();
  /// From where to where the bars go.
  std::pair<double, double> extent() const;
  void makeBars(std::size_t parts);
  void drawBar(const Bar& bar, double from, double row);
  void drawMark(const std::optional<double>& value, const QString& text, Qt::PenStyle style,
                double row);
  void clearItems();

  ScoreStory story_;
  std::vector<Bar> bars_;
  std::vector<QCPAbstractItem*> items_;
};

} // namespace nestwright::ui
