#pragma once
/// \file How models do on each task, the worst first.

#include "ui/lab/judged.h"
#include "ui/lab/sorted_table.h"

namespace nestwright::ui {

struct JudgedTask {
  int task = 0; // of ModelEvaluation::tasks
  QString name;
  const TaskFigures* figures = nullptr; // by the model; of the judgement that is shown
  double score = 0, other = 0;          // top-k by the model, and by the one beside it
  double picked = 0;                    // seconds
};

class JudgedTaskModel : public SortedTable<JudgedTask> {
  Q_OBJECT
 public:
  enum Column { Task, Score, Other, Picked, Best, Pairs, Correlation, Programs, Failed };
  explicit JudgedTaskModel(QObject* parent = nullptr);
  /// By the model, beside another one, for the number of favourites at place `k`.
  void show(Judged judged, std::size_t model, std::size_t other, std::size_t k);
  /// The row of a task; -1 where there is none.
  int rowOf(int task) const;

 private:
  Columns columns() const;
  QVariant rowData(const JudgedTask& task, int role) const override;

  Judged judged_; // the rows look into it
  std::size_t model_ = 0, other_ = 0, k_ = 0;
};

} // namespace nestwright::ui
