#pragma once
/// \file Two sessions task by task, as a table.

#include "core/result/measure_result.h"
#include "core/session/insight/compare_sessions.h"

#include <QAbstractTableModel>
#include <QString>

#include <limits>

namespace nestwright::ui {

class SessionCompareModel : public QAbstractTableModel {
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
  enum Role {
    SortRole = Qt::UserRole,
    RowRole,     // row of the comparison, whatever the order is
    FractionRole // of the largest gain, -1 to 1
  };

  using QAbstractTableModel::QAbstractTableModel;
  void setComparison(SessionComparison comparison);
  const SessionComparison& comparison() const { return comparison_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  /// What the network gains by this task, seconds; NaN where a side was not measured.
  double gain(const TaskComparison& task) const;
  QString text(const TaskComparison& task, int column) const;
  QVariant sortValue(const TaskComparison& task, int column) const;
  QString toolTip(const TaskComparison& task, int column) const;

  SessionComparison comparison_;
  double largestGain_ = 0;
};

/// "▲ faster", "▼ slower", "≈ not significant", "– not measured": never by colour alone.
QString verdictMark(LatencyVerdict verdict);

} // namespace nestwright::ui
