#include "ui/tasks/task_table.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/program_drag.h"
#include "ui/document/steering.h"
#include "ui/kit/importance_editor.h"

#include <algorithm>

namespace nestwright::ui {

TaskTable::TaskTable(Document& document, int importanceColumn, QObject* parent)
    : ColumnModel(parent), document_(document), importanceColumn_(importanceColumn) {}

int TaskTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

Qt::ItemFlags TaskTable::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  Qt::ItemFlags flags = ColumnModel::flags(index) | Qt::ItemNeverHasChildren;
  if (const TaskEntry* task = taskAt(index); task != nullptr && task->summary.bestRecord != 0)
    flags |= Qt::ItemIsDragEnabled;
  return index.column() == importanceColumn_ ? flags | Qt::ItemIsEditable : flags;
}

QStringList TaskTable::mimeTypes() const {
  return {programMimeType()};
}

QMimeData* TaskTable::mimeData(const QModelIndexList& indexes) const {
  std::vector<ProgramRef> programs;
  for (const QModelIndex& index : indexes) {
    const TaskEntry* task = taskAt(index);
    if (task == nullptr || task->summary.bestRecord == 0) continue;
    ProgramRef program;
    program.file = document_.file().path();
    program.task = task->row.id;
    program.record = task->summary.bestRecord;
    if (std::ranges::find(programs, program) == programs.end()) programs.push_back(program);
  }
  return programs.empty() ? nullptr : toMimeData(programs);
}

bool TaskTable::setData(const QModelIndex& index, const QVariant& value, int role) {
  const TaskEntry* task = taskAt(index);
  if (!task || role != Qt::EditRole || index.column() != importanceColumn_) return false;
  bool ok = false;
  const double importance = value.toDouble(&ok);
  if (!ok || importance < 0 || importance > ImportanceEditor::kLargest) return false;
  document_.steering().steer(SetImportance{task->row.id, importance});
  return true;
}

int TaskTable::rowOf(std::int64_t task) const {
  const auto& tasks = document_.session().tasks();
  const auto found =
      std::ranges::find(tasks, task, [](const TaskEntry& entry) { return entry.row.id; });
  return found == tasks.end() ? -1 : static_cast<int>(found - tasks.begin());
}

const TaskEntry* TaskTable::taskAt(const QModelIndex& index) const {
  const auto& tasks = document_.session().tasks();
  return index.isValid() && index.row() < static_cast<int>(tasks.size())
             ? &tasks[static_cast<std::size_t>(index.row())]
             : nullptr;
}

void TaskTable::updateRows() {
  const int rows = static_cast<int>(document_.session().tasks().size());
  if (rows != rows_) {
    beginResetModel();
    rows_ = rows;
    endResetModel();
  } else {
    tellChanged();
  }
}

QVariant TaskTable::rowData(const TaskEntry& task, int role) const {
  if (role == TaskRole) return qint64(task.row.id);
  return role == RankRole ? QVariant(task.rank) : QVariant();
}

TableColumn<TaskEntry> TaskTable::importance() {
  return {.tip = ImportanceEditor::explanation(),
          .text =
              [](const TaskEntry& task) {
                return QString::number(task.importance, 'g', 4) + QStringLiteral("×");
              },
          .align = kRight,
          .sort = [](const TaskEntry& task) { return task.importance; },
          .firstOrder = Qt::DescendingOrder,
          .other =
              [](const TaskEntry& task, int role) {
                return role == Qt::EditRole ? QVariant(task.importance) : QVariant();
              }};
}

} // namespace nestwright::ui

#include "moc_task_table.cpp"
