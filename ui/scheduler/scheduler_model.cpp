#include "ui/scheduler/scheduler_model.h"

#include "ui/document/choice_text.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/session_follower.h"
#include "ui/document/steering.h"
#include "ui/kit/format.h"
#include "ui/kit/importance_editor.h"
#include "ui/kit/roles.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

SchedulerModel::SchedulerModel(Document& document, QObject* parent)
    : TaskTable(document, ColumnCount, Importance, parent) {
  connect(&document, &Document::stateChanged, this, &SchedulerModel::refresh);
  connect(&document.follower(), &SessionFollower::tasksChanged, this, &SchedulerModel::refresh);
  connect(&document.notes(), &NoteBook::changed, this, [this] { updateColumn(Name); });
  refresh();
}

void SchedulerModel::refresh() {
  const auto& tasks = document_.session().tasks();
  mostTrials_ = allTrials_ = 0;
  for (const TaskEntry& task : tasks) {
    mostTrials_ = std::max(mostTrials_, task.summary.trials);
    allTrials_ += task.summary.trials;
  }
  updateRows();
}

void SchedulerModel::setChoice(const std::optional<TaskChosen>& choice) {
  terms_.clear();
  bestGain_ = 0;
  chosen_ = choice ? choice->task : 0;
  if (choice)
    for (const GradientTerms& terms : choice->terms) {
      terms_[terms.task] = terms;
      bestGain_ = std::max(bestGain_, -terms.gradient);
    }
  updateRows();
}

const GradientTerms* SchedulerModel::termsOf(const TaskEntry& task) const {
  const auto found = terms_.find(task.row.id);
  return found == terms_.end() ? nullptr : &found->second;
}

QString SchedulerModel::shortName(RowId task) const {
  const TaskEntry* entry = document_.session().task(task);
  return entry ? QStringLiteral("T%1").arg(entry->row.index) : QString();
}

QVariant SchedulerModel::display(const TaskEntry& task, int column) const {
  if (column == Name)
    return QStringLiteral("T%1 %2%3")
        .arg(task.row.index)
        .arg(noteSign(document_.notes().note({NoteAbout::Task, task.row.id})),
             taskTitle(task.row.name));
  if (column == Importance) return QString::number(task.importance, 'g', 4) + QStringLiteral("×");
  if (column == Trials) return countText(task.summary.trials);
  if (column == Pinned || column == Paused) return {};
  const GradientTerms* t = termsOf(task);
  if (!t) return noValue();
  switch (column) {
  case Gain:
    return t->gradient == 0 ? QStringLiteral("0")
                            : gainText(-t->gradient, document_.session().config().objective.kind);
  case Chain:
    return QString::number(t->chain, 'g', 4);
  case Slope:
    return gainText(-t->backward, ObjectiveKind::TotalLatency);
  case Own:
    return gainText(-t->optimistic, ObjectiveKind::TotalLatency);
  case Similar:
    if (!std::isfinite(t->similar)) return noValue();
    return QStringLiteral("%1 %2").arg(gainText(-t->similar, ObjectiveKind::TotalLatency),
                                       shortName(t->similarTask));
  case Stagnant:
    return QString::number(t->stagnantRounds);
  default:
    return {};
  }
}

QVariant SchedulerModel::sortKey(const TaskEntry& task, int column) const {
  switch (column) {
  case Name:
    return task.row.index;
  case Pinned:
    return task.mode == TaskMode::Pinned ? 1 : 0;
  case Paused:
    return task.mode == TaskMode::Paused ? 1 : 0;
  case Importance:
    return task.importance;
  case Trials:
    return static_cast<qlonglong>(task.summary.trials);
  default:
    break;
  }
  const GradientTerms* t = termsOf(task);
  if (!t) return 0.0;
  switch (column) {
  case Gain:
    return -t->gradient;
  case Chain:
    return t->chain;
  case Slope:
    return -t->backward;
  case Own:
    return -t->optimistic;
  case Similar:
    return std::isfinite(t->similar) ? -t->similar : -kUnknown;
  case Stagnant:
    return t->stagnantRounds;
  default:
    return {};
  }
}

QString SchedulerModel::toolTip(const TaskEntry& task, int column) const {
  switch (column) {
  case Name:
    if (!task.exhausted.empty()) return tr("Takes no further trials: %1").arg(qs(task.exhausted));
    return task.row.id == chosen_ ? tr("Picked by the choice that is shown") : QString();
  case Pinned:
    return tr("Pin: this task gets every round until it is free again");
  case Paused:
    return task.pauseReason.empty() ? tr("Pause: this task gets no rounds")
                                    : tr("Paused itself: %1").arg(qs(task.pauseReason));
  case Importance:
    return ImportanceEditor::explanation() + tr(" Click or drag; double-click or F2 for a number.");
  case Trials:
    return allTrials_ > 0 ? tr("%1 of %2 trials, %3")
                                .arg(countText(task.summary.trials), countText(allTrials_),
                                     percentText(double(task.summary.trials) / double(allTrials_)))
                          : QString();
  case Similar:
    if (const GradientTerms* t = termsOf(task); t && t->similarTask != 0)
      if (const TaskEntry* other = document_.session().task(t->similarTask))
        return tr("The fastest task of its kind is T%1 %2")
            .arg(other->row.index)
            .arg(taskTitle(other->row.name));
    return {};
  default:
    return {};
  }
}

QVariant SchedulerModel::fraction(const TaskEntry& task, int column) const {
  if (column == Trials && mostTrials_ > 0) return double(task.summary.trials) / double(mostTrials_);
  if (column == Gain && bestGain_ > 0)
    if (const GradientTerms* t = termsOf(task)) return std::max(0.0, -t->gradient) / bestGain_;
  return {};
}

QVariant SchedulerModel::data(const QModelIndex& index, int role) const {
  const TaskEntry* task = taskAt(index);
  if (!task) return {};
  const int column = index.column();
  switch (role) {
  case Qt::DisplayRole:
    return display(*task, column);
  case Qt::AccessibleTextRole:
    if (column == Pinned) return tr("Pinned");
    if (column == Paused) return tr("Paused");
    return display(*task, column);
  case Qt::CheckStateRole:
    if (column == Pinned) return task->mode == TaskMode::Pinned ? Qt::Checked : Qt::Unchecked;
    if (column == Paused) return task->mode == TaskMode::Paused ? Qt::Checked : Qt::Unchecked;
    return {};
  case Qt::ToolTipRole:
    return toolTip(*task, column);
  case SortRole:
    return sortKey(*task, column);
  case ActiveRole:
    return task->row.id == chosen_;
  case FractionRole:
    return fraction(*task, column);
  default:
    return commonData(*task, column, role);
  }
}

bool SchedulerModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  const TaskEntry* task = taskAt(index);
  const int column = index.column();
  if (!task || role != Qt::CheckStateRole || (column != Pinned && column != Paused))
    return TaskTable::setData(index, value, role);
  const TaskMode mode = column == Pinned ? TaskMode::Pinned : TaskMode::Paused;
  document_.steering().steer(
      SetTaskMode{task->row.id, value.toInt() == Qt::Checked ? mode : TaskMode::Free});
  return true;
}

Qt::ItemFlags SchedulerModel::flags(const QModelIndex& index) const {
  const bool ticked = index.column() == Pinned || index.column() == Paused;
  return TaskTable::flags(index) |
         (index.isValid() && ticked ? Qt::ItemIsUserCheckable : Qt::NoItemFlags);
}

QVariant SchedulerModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(alignmentOf(section));
  if (role == Qt::InitialSortOrderRole)
    return section == Name ? Qt::AscendingOrder : Qt::DescendingOrder;
  const bool text = role == Qt::DisplayRole;
  if (!text && role != Qt::ToolTipRole) return {};
  switch (section) {
  case Name:
    return text ? tr("Task") : tr("The mark shows which task the choice picked.");
  case Pinned:
    return text ? tr("Pin")
                : tr("A pinned task gets every round until it is free again; several "
                     "pinned ones share them.");
  case Paused:
    return text ? tr("Pause") : tr("A paused task gets no rounds.");
  case Importance:
    return text ? tr("Importance") : ImportanceEditor::explanation();
  case Trials:
    return text ? tr("Trials") : tr("Programs measured for the task so far.");
  case Gain:
    return text ? tr("Promised gain")
                : tr("What the choice expected the objective to fall by in the task's next round: "
                     "chain × (0.2 × slope + 0.8 × the larger of own progress and similar task). "
                     "The largest is picked.");
  case Chain:
    return text ? tr("Chain")
                : tr("How much the objective falls for each second that the task "
                     "gets faster: its appearances, times your weight.");
  case Slope:
    return text ? tr("Slope") : tr("What each of the last three rounds gained.");
  case Own:
    return text ? tr("Own progress")
                : tr("What a round gains if the task goes on as on average so far: its best time "
                     "divided by its rounds.");
  case Similar:
    return text ? tr("Similar task")
                : tr("How much faster the task would be at the rate of the "
                     "fastest task of its kind, which is named.");
  case Stagnant:
    return text ? tr("Stagnant") : tr("Rounds since the task last became faster.");
  default:
    return {};
  }
}

} // namespace nestwright::ui
