#pragma once
/// \file What tables with one row a task have in common: the rows are the document's tasks, the
/// first column is the name, and the importance can be edited.

#include <QAbstractTableModel>

namespace nestwright {
struct TaskEntry;
} // namespace nestwright

namespace nestwright::ui {

class Document;

class TaskTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  /// Sets the importance, 0 to 1000.
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  /// A row can be dragged: its task's best, to where programs are compared.
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;

  /// -1 when the task is not in the session.
  int rowOf(std::int64_t task) const;

 protected:
  TaskTable(Document& document, int columns, int importanceColumn, QObject* parent);

  /// Null for an index of no task.
  const TaskEntry* taskAt(const QModelIndex& index) const;
  /// The document's tasks have other values, or are others.
  void updateRows();
  void updateColumn(int column);
  /// What does not depend on what a column means: edit value, identity and alignment; invalid for
  /// other roles.
  QVariant commonData(const TaskEntry& task, int column, int role) const;
  static Qt::Alignment alignmentOf(int column);

  Document& document_;

 private:
  int columns_, importanceColumn_, rows_ = 0;
};

} // namespace nestwright::ui
