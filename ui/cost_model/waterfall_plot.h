#pragma once
/// \file A program's score taken apart: from what the model expects of any program, bar by bar what
/// each feature adds or takes, down to the score.

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
    bool total = false; // from zero: where it begins, and the score
  };
  /// As many as have room; the smallest features share one.
  const std::vector<Bar>& bars() const { return bars_; }

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int bar) const override;
  void hover(const QPointF& position) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void restyle() override;
  void refresh() override;
  void makeBars(std::size_t features);
  void drawBar(const Bar& bar, double row);
  void drawMark(const std::optional<double>& value, const QString& text, Qt::PenStyle style,
                double row);
  void clearItems();

  ScoreStory story_;
  std::vector<Bar> bars_;
  std::vector<QCPAbstractItem*> items_;
};

} // namespace nestwright::ui
