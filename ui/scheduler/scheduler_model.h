#pragma once
/// \file The tasks as the scheduler sees them, a row each: what the user may steer, the trials
/// given in all, and the terms of one choice.

#include "core/session/run/events.h"
#include "core/session/schedule/objective.h"
#include "ui/tasks/task_table.h"

#include <optional>
#include <unordered_map>

namespace nestwright::ui {

class SchedulerModel : public TaskTable {
  Q_OBJECT
 public:
  enum Column {
    Name,
    Pinned,
    Paused,
    Importance,
    Trials,
    Gain,
    Chain,
    Slope,
    Own,
    Similar,
    Stagnant,
    ColumnCount
  };

  explicit SchedulerModel(Document& document, QObject* parent = nullptr);

  /// Whose terms are shown; nothing leaves them out.
  void setChoice(const std::optional<TaskChosen>& choice);

 private:
  void refresh();
  const GradientTerms* termsOf(const TaskEntry& task) const;
  Columns columns() const;
  QVariant rowData(const TaskEntry& task, int role) const override;
  QString nameTip(const TaskEntry& task) const;
  QString similarTip(const TaskEntry& task) const;
  QVariant promisedPart(const TaskEntry& task) const;
  QString shortName(RowId task) const;

  std::unordered_map<RowId, GradientTerms> terms_;
  RowId chosen_ = 0;
  double bestGain_ = 0;
  std::int64_t mostTrials_ = 0, allTrials_ = 0;
};

} // namespace nestwright::ui
