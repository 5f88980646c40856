#pragma once
/// \file Two sessions task by task, as a table.

#include "core/result/measure_result.h"
#include "core/session/insight/compare_sessions.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

/// The ItemRole is the row of the comparison, whatever the order is; the FractionRole is of the
/// largest gain, -1 to 1.
class SessionCompareModel : public TableModel<TaskComparison> {
  Q_OBJECT
 public:
  enum Column {
    Task,
    LatencyA,
    LatencyB,
    Ratio,
    Interval,
    Verdict,
    Gain,
    TrialsA,
    TrialsB,
    ColumnCount
  };
  explicit SessionCompareModel(QObject* parent = nullptr);
  void setComparison(SessionComparison comparison);
  const SessionComparison& comparison() const { return comparison_; }

 private:
  /// What the network gains by this task, seconds; NaN where a side was not measured.
  static double gain(const TaskComparison& task);
  Columns columns() const;
  QVariant rowData(const TaskComparison& task, int role) const override;

  SessionComparison comparison_;
  double largestGain_ = 0;
};

} // namespace nestwright::ui
