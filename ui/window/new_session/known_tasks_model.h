#pragma once
/// \file What is known of the tasks of a new session, task by task, and below each the programs
/// that it would try first, with why.

#include "core/session/run/memory/session_memory.h"
#include "ui/kit/table/column_model.h"

#include <QAbstractItemModel>

namespace nestwright::ui {

/// A task, or one of its programs, or one that it cannot take.
struct KnownRow {
  const TaskRecall* task = nullptr;
  const RememberedProgram* program = nullptr;
  const UnfitProgram* unfit = nullptr;
};

class KnownTasksModel : public TreeModel<KnownRow> {
  Q_OBJECT
 public:
  enum Column { Name, Standing, Best, When, Programs, Target, ColumnCount };

  explicit KnownTasksModel(QObject* parent = nullptr);
  void show(SessionMemory memory);

 protected:
  QVariant rowData(const KnownRow& row, int role) const override;

 private:
  SessionMemory memory_; // that the rows point into
};

} // namespace nestwright::ui
