#pragma once
/// \file The tuning curve of each task in a small chart of its own, largest share of time first,
/// all over the same trials: where progress was, and where it stopped, at a glance.

#include "core/story/curve_data.h"
#include "ui/charts/chart.h"

#include <QTimer>

#include <vector>

namespace nestwright::ui {

class Document;

class TaskCurves : public Chart {
  Q_OBJECT
 public:
  /// More would be neither looked at nor drawn in time.
  static constexpr std::size_t kMost = 60;

  explicit TaskCurves(Document& document, QWidget* parent = nullptr);
  void setOptions(const CurveOptions& options);
  /// The tasks that have a chart, in the order of these.
  std::vector<RowId> tasks() const;
  /// What stands above the chart of a task: its name, its best, and what came of it.
  QString titleOf(RowId task) const;

 protected:
  void restyle() override;
  void refresh() override;
  std::optional<int> pointAt(const QPointF& position) const override;
  QString describe(int cell) const override;
  void choose(int cell) override;
  bool walk(int step) override;
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Cell {
    RowId task = 0;
    QCPTextElement* title = nullptr;
    QCPAxisRect* area = nullptr;
    QCPGraph* line = nullptr;
    QString words; // the whole title
  };
  void schedule();
  void layOut(std::size_t count);
  void addCell();
  void explain(QCPAxisRect& area);
  void fill(Cell& cell, const TaskHistory& history);
  void styleCell(Cell& cell);
  void fitTitles();

  Document& document_;
  CurveOptions options_;
  std::vector<Cell> cells_;
  int columns_ = 0;
  QTimer timer_;
};

} // namespace nestwright::ui
