#include "ui/tasks/task_table.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/program_drag.h"
#include "ui/document/steering.h"
#include "ui/kit/importance_editor.h"
#include "ui/kit/roles.h"

#include <algorithm>

namespace nestwright::ui {

TaskTable::TaskTable(Document& document, int columns, int importanceColumn, QObject* parent)
    : QAbstractTableModel(parent), document_(document), columns_(columns),
      importanceColumn_(importanceColumn) {}

int TaskTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

int TaskTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns_;
}

Qt::ItemFlags TaskTable::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  Qt::ItemFlags flags = QAbstractTableModel::flags(index) | Qt::ItemNeverHasChildren;
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
  } else if (rows > 0) {
    Q_EMIT dataChanged(index(0, 0), index(rows - 1, columns_ - 1));
  }
}

void TaskTable::updateColumn(int column) {
  if (rows_ > 0) Q_EMIT dataChanged(index(0, column), index(rows_ - 1, column));
}

QVariant TaskTable::commonData(const TaskEntry& task, int column, int role) const {
  switch (role) {
  case Qt::EditRole:
    return column == importanceColumn_ ? QVariant(task.importance) : QVariant();
  case Qt::TextAlignmentRole:
    return QVariant::fromValue(alignmentOf(column));
  case TaskRole:
    return static_cast<qlonglong>(task.row.id);
  case RankRole:
    return task.rank;
  default:
    return {};
  }
}

Qt::Alignment TaskTable::alignmentOf(int column) {
  return (column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
}

} // namespace nestwright::ui
