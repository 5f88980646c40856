#include "ui/tasks/task_table.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/program_drag.h"
#include "ui/document/steering.h"
#include "ui/kit/importance_editor.h"
#include "ui/kit/text.h"

#include <algorithm>

namespace nestwright::ui {

TaskTable::TaskTable(Document& document, SteeringColumns steering, QObject* parent)
    : ColumnModel(parent), document_(document), steering_(steering) {}

int TaskTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

Qt::ItemFlags TaskTable::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  Qt::ItemFlags flags = ColumnModel::flags(index) | Qt::ItemNeverHasChildren;
  if (const TaskEntry* task = taskAt(index); task != nullptr && task->summary.bestRecord != 0)
    flags |= Qt::ItemIsDragEnabled;
  const int column = index.column();
  if (column == steering_.importance) flags |= Qt::ItemIsEditable;
  if (column == steering_.pinned || column == steering_.paused) flags |= Qt::ItemIsUserCheckable;
  return flags;
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
  if (!task) return false;
  const int column = index.column();
  if (role == Qt::CheckStateRole && (column == steering_.pinned || column == steering_.paused)) {
    const TaskMode mode = column == steering_.pinned ? TaskMode::Pinned : TaskMode::Paused;
    document_.steering().steer(
        SetTaskMode{task->row.id, value.toInt() == Qt::Checked ? mode : TaskMode::Free});
    return true;
  }
  if (role != Qt::EditRole || column != steering_.importance) return false;
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
  return {.title = tr("Importance"),
          .tip = ImportanceEditor::explanation(),
          .text =
              [](const TaskEntry& task) {
                return QString::number(task.importance, 'g', 4) + QStringLiteral("×");
              },
          .align = kRight,
          .sort = [](const TaskEntry& task) { return task.importance; },
          .toolTip =
              [](const TaskEntry&) {
                return ImportanceEditor::explanation() +
                       tr(" Click or drag; double-click or F2 for a number.");
              },
          .firstOrder = Qt::DescendingOrder,
          .other =
              [](const TaskEntry& task, int role) {
                return role == Qt::EditRole ? QVariant(task.importance) : QVariant();
              }};
}

TableColumn<TaskEntry> TaskTable::tick(TaskMode mode) {
  const bool isPin = mode == TaskMode::Pinned;
  return {.title = isPin ? tr("Pin") : tr("Pause"),
          .tip = isPin ? tr("A pinned task gets every round until it is free again; several pinned "
                            "ones share them.")
                       : tr("A paused task gets no rounds."),
          .align = Qt::AlignCenter,
          .sort = [mode](const TaskEntry& task) { return task.mode == mode ? 1 : 0; },
          .toolTip =
              [mode](const TaskEntry& task) {
                const bool isOn = task.mode == mode;
                if (mode == TaskMode::Pinned)
                  return isOn ? tr("Pinned: gets every round. Click to free it.")
                              : tr("Pin: this task gets every round until it is free again");
                if (!task.pauseReason.empty())
                  return tr("Paused itself: %1").arg(qs(task.pauseReason));
                return isOn ? tr("Paused: gets no rounds. Click to free it.")
                            : tr("Pause: this task gets no rounds");
              },
          .firstOrder = Qt::DescendingOrder,
          .other =
              [mode](const TaskEntry& task, int role) {
                if (role == Qt::AccessibleTextRole)
                  return QVariant(mode == TaskMode::Pinned ? tr("Pinned") : tr("Paused"));
                if (role != Qt::CheckStateRole) return QVariant();
                return QVariant(task.mode == mode ? Qt::Checked : Qt::Unchecked);
              }};
}

} // namespace nestwright::ui

#include "moc_task_table.cpp"
