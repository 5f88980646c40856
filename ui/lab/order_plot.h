#pragma once
/// \file The programs of a task in two orders side by side: as a model puts them, and as measuring
/// did.

#include "ui/charts/chart.h"
#include "ui/lab/judged.h"

namespace nestwright::ui {

class OrderPlot : public Chart {
  Q_OBJECT
 public:
  explicit OrderPlot(QWidget* parent = nullptr);
  /// Of a task, in the model's order; the first `k` of both orders are told apart.
  void show(std::vector<JudgedProgram> programs, std::size_t k, const QString& model);
  void showMessage(const QString& message);
  const std::vector<JudgedProgram>& programs() const { return programs_; }
  ExportTable table() const;

 protected:
  std::optional<int> pointAt(const QPointF& pixel) const override;
  QString describe(int program) const override;
  bool walk(int step) override;
  Qt::Orientation walks() const override { return Qt::Vertical; }

 private:
  void restyle() override;
  void refresh() override;

  std::vector<JudgedProgram> programs_;
  std::size_t k_ = 1;
  QString model_;
  int at_ = -1;
  QCPCurve *hits_, *missed_, *overrated_, *rest_, *here_;
};

} // namespace nestwright::ui
