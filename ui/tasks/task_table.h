#pragma once
/// \file What tables with one row a task have in common: the rows are the document's tasks, the
/// first column is the name, and importance, pinning and pausing can be set.

#include "core/session/schedule/task_mode.h"
#include "core/story/session_contents.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

class Document;

/// Where a table has the columns that steer a task.
struct SteeringColumns {
  int importance, pinned, paused;
};

class TaskTable : public ColumnModel<TaskEntry> {
  Q_OBJECT
 public:
  int rowCount(const QModelIndex& parent = {}) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  /// Sets the importance, 0 to 1000; pins, pauses or frees by the state of a box.
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  /// A row can be dragged: its task's best, to where programs are compared.
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;

  /// -1 when the task is not in the session.
  int rowOf(std::int64_t task) const;

 protected:
  TaskTable(Document& document, SteeringColumns steering, QObject* parent);

  /// Null for an index of no task.
  const TaskEntry* taskAt(const QModelIndex& index) const;
  /// The document's tasks have other values, or are others.
  void updateRows();
  void updateColumn(int column) { tellChanged(column, column); }
  const TaskEntry* rowAt(const QModelIndex& index) const override { return taskAt(index); }
  /// Which task it is.
  QVariant rowData(const TaskEntry& task, int role) const override;
  static TableColumn<TaskEntry> importance();
  /// Pinned or paused, as a box to tick.
  static TableColumn<TaskEntry> tick(TaskMode mode);

  Document& document_;

 private:
  SteeringColumns steering_;
  int rows_ = 0;
};

} // namespace nestwright::ui
