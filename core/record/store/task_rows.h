#pragma once
/// \file The tasks of a file, and the sums over their records.

#include "core/record/rows/task_row.h"
#include "core/record/store/rows.h"

#include <optional>
#include <string_view>
#include <vector>

namespace nestwright {

/// Tasks, each once for a target, and the sums over their records.
class TaskRows : public Rows {
 public:
  using Rows::Rows;

  /// Finds it by key and target, or adds it; ids are stable. One whose DAG nobody told so far, of a
  /// log, takes that of the row, with its name and operations. Throws InputError for an equal key
  /// hash with another DAG (C27).
  RowId add(const TaskRow& row);
  void setNaiveSeconds(RowId task, double seconds);

  /// Each once, at its first place; of a network, at its places there.
  std::vector<TaskRow> all(RowId network = 0) const;
  /// Each at all of its places, those on their own first.
  std::vector<TaskRow> places() const;
  std::optional<TaskRow> one(RowId id) const;
  std::optional<TaskRow> find(std::string_view key, RowId target) const;
  std::vector<TaskSummary> summaries() const;
  /// Of tasks of this session that have no best: the fastest record of a log, where there is one.
  std::vector<FastestImported> fastestImported(RowId session) const;
  /// Throws InputError when the task is not there.
  TaskSummary summary(RowId task) const;
};

} // namespace nestwright
