#pragma once
/// \file What tables with one row a task have in common: the rows are the document's tasks, the
/// first column is the name, and the importance can be edited.

#include "core/story/session_contents.h"
#include "ui/kit/column_model.h"

namespace nestwright::ui {

class Document;

class TaskTable : public ColumnModel<TaskEntry> {
  Q_OBJECT
 public:
  int rowCount(const QModelIndex& parent = {}) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  /// Sets the importance, 0 to 1000.
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  /// A row can be dragged: its task's best, to where programs are compared.
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;

  /// -1 when the task is not in the session.
  int rowOf(std::int64_t task) const;

 protected:
  TaskTable(Document& document, int importanceColumn, QObject* parent);

  /// Null for an index of no task.
  const TaskEntry* taskAt(const QModelIndex& index) const;
  /// The document's tasks have other values, or are others.
  void updateRows();
  void updateColumn(int column) { tellChanged(column, column); }
  const TaskEntry* rowAt(const QModelIndex& index) const override { return taskAt(index); }
  /// Which task it is.
  QVariant rowData(const TaskEntry& task, int role) const override;
  /// The column in which the importance is edited, without title and tool tip.
  static TableColumn<TaskEntry> importance();

  Document& document_;

 private:
  int importanceColumn_, rows_ = 0;
};

} // namespace nestwright::ui
