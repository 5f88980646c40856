#pragma once
/// \file How the labels of a data set are spread: what share of its task's best each program
/// reaches, in ten bars.

#include "core/dataset/data_survey.h"
#include "ui/charts/chart.h"

namespace nestwright::ui {

class LabelPlot : public Chart {
  Q_OBJECT
 public:
  explicit LabelPlot(QWidget* parent = nullptr);
  /// `failed` programs have the label 0 and a bar of their own, where they are kept.
  void show(const std::array<std::size_t, kLabelBins>& labels, std::size_t failed);
  /// The bars as rows; none while there are none.
  ExportTable table() const;

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int bin) const override;
  bool walk(int step) override;

 private:
  void restyle() override;
  void refresh() override;
  /// "0.1 to 0.2"; of -1 the failed ones.
  QString rangeText(int bin) const;
  std::size_t programs(int bin) const;

  std::array<std::size_t, kLabelBins> labels_{};
  std::size_t failed_ = 0;
  bool shown_ = false;
  std::optional<int> at_; // the bar that the keyboard is at
  QCPBars *bars_, *failedBar_;
};

} // namespace nestwright::ui
