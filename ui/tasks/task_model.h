#pragma once
/// \file The tasks of the session as a table: one row a task, raw numbers for sorting under
/// SortRole, and every column explained by its header's tool tip.

#include "core/record/store/notes.h"
#include "ui/kit/format.h"
#include "ui/tasks/task_table.h"

namespace nestwright::ui {

class TuningOrigins;

class TaskModel : public TaskTable {
  Q_OBJECT
 public:
  enum Column {
    Name,
    Best,
    Share,
    Importance,
    Pinned,
    Paused,
    SpeedUp,
    Throughput,
    Trials,
    Trend,
    Errors,
    Naive,
    Weight,
    Origin,
    Definition,
    ColumnCount
  };

  explicit TaskModel(Document& document, QObject* parent = nullptr);

  /// Whether some task became faster during the session, and whether some trial failed: columns
  /// that say nothing else are left out.
  bool hasTrend() const;
  bool hasErrors() const;
  /// Whether some operator has several definitions.
  bool hasAlternatives() const;
  /// A best that only a log tells of, which takes more room.
  bool hasImported() const;

 private:
  void refresh();
  Columns columns() const;
  QVariant rowData(const TaskEntry& task, int role) const override;
  QString nameTip(const TaskEntry& task) const;
  QString weightText(const TaskEntry& task) const;
  QString networksText(const TaskEntry& task) const;
  double shareOf(const TaskEntry& task) const;
  Note noteOf(const TaskEntry& task) const;
  QVector<double> trendOf(const TaskEntry& task) const;

  double total_ = 0; // what shares are shares of
  double maxShare_ = 0;
  int unmeasured_ = 0; // tasks without any time
  TuningOrigins* origins_;
  TimeUnit bestUnit_ = TimeUnit::Milliseconds, naiveUnit_ = TimeUnit::Milliseconds;
};

} // namespace nestwright::ui
