#include "ui/scheduler/scheduler_model.h"

#include "ui/document/choice_text.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/session_follower.h"
#include "ui/kit/format.h"
#include "ui/kit/roles.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

SchedulerModel::SchedulerModel(Document& document, QObject* parent)
    : TaskTable(document, {Importance, Pinned, Paused}, parent) {
  setColumns(columns());
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

QString SchedulerModel::nameTip(const TaskEntry& task) const {
  if (!task.exhausted.empty()) return tr("Takes no further trials: %1").arg(qs(task.exhausted));
  return task.row.id == chosen_ ? tr("Picked by the choice that is shown") : QString();
}

QString SchedulerModel::similarTip(const TaskEntry& task) const {
  const GradientTerms* t = termsOf(task);
  const TaskEntry* other =
      t && t->similarTask != 0 ? document_.session().task(t->similarTask) : nullptr;
  return other ? tr("The fastest task of its kind is T%1 %2")
                     .arg(other->row.index)
                     .arg(taskTitle(other->row.name))
               : QString();
}

QVariant SchedulerModel::promisedPart(const TaskEntry& task) const {
  const GradientTerms* t = termsOf(task);
  return t && bestGain_ > 0 ? QVariant(std::max(0.0, -t->gradient) / bestGain_) : QVariant();
}

SchedulerModel::Columns SchedulerModel::columns() const {
  using Task = TaskEntry;
  /// What the choice knew of a task; nothing where it looked at none.
  const auto term = [this](const QString& title, const QString& tip, auto text, auto sort) {
    return TableColumn<Task>{.title = title,
                             .tip = tip,
                             .text =
                                 [this, text](const Task& task) {
                                   const GradientTerms* t = termsOf(task);
                                   return t ? text(*t) : noValue();
                                 },
                             .align = kRight,
                             .sort =
                                 [this, sort](const Task& task) {
                                   const GradientTerms* t = termsOf(task);
                                   return t ? QVariant(sort(*t)) : QVariant(0.0);
                                 },
                             .firstOrder = Qt::DescendingOrder};
  };
  const auto latency = [](double gradient) {
    return gainText(-gradient, ObjectiveKind::TotalLatency);
  };
  using Terms = GradientTerms;
  TableColumn<Task> gain = term(
      tr("Promised gain"),
      tr("What the choice expected the objective to fall by in the task's next round: chain × (0.2 "
         "× slope + 0.8 × the larger of own progress and similar task). The largest is picked."),
      [this](const Terms& t) {
        return t.gradient == 0 ? QStringLiteral("0")
                               : gainText(-t.gradient, document_.session().config().objective.kind);
      },
      [](const Terms& t) { return -t.gradient; });
  gain.fraction = [this](const Task& task) { return promisedPart(task); };
  TableColumn<Task> similar = term(
      tr("Similar task"),
      tr("How much faster the task would be at the rate of the fastest task of its kind, which is "
         "named."),
      [this, latency](const Terms& t) {
        if (!std::isfinite(t.similar)) return noValue();
        return QStringLiteral("%1 %2").arg(latency(t.similar), shortName(t.similarTask));
      },
      [](const Terms& t) { return std::isfinite(t.similar) ? -t.similar : -kUnknown; });
  similar.toolTip = [this](const Task& task) { return similarTip(task); };
  return {
      {.title = tr("Task"),
       .tip = tr("The mark shows which task the choice picked."),
       .text =
           [this](const Task& task) {
             return QStringLiteral("T%1 %2%3")
                 .arg(task.row.index)
                 .arg(noteSign(document_.notes().note({NoteAbout::Task, task.row.id})),
                      taskTitle(task.row.name));
           },
       .sort = [](const Task& task) { return task.row.index; },
       .toolTip = [this](const Task& task) { return nameTip(task); }},
      tick(TaskMode::Pinned),
      tick(TaskMode::Paused),
      importance(),
      {.title = tr("Trials"),
       .tip = tr("Programs measured for the task so far."),
       .text = [](const Task& task) { return countText(task.summary.trials); },
       .align = kRight,
       .sort = [](const Task& task) { return qint64(task.summary.trials); },
       .toolTip =
           [this](const Task& task) {
             return allTrials_ > 0
                        ? tr("%1 of %2 trials, %3")
                              .arg(countText(task.summary.trials), countText(allTrials_),
                                   percentText(double(task.summary.trials) / double(allTrials_)))
                        : QString();
           },
       .fraction =
           [this](const Task& task) {
             return mostTrials_ > 0 ? QVariant(double(task.summary.trials) / double(mostTrials_))
                                    : QVariant();
           },
       .firstOrder = Qt::DescendingOrder},
      gain,
      term(
          tr("Chain"),
          tr("How much the objective falls for each second that the task gets faster: its "
             "appearances, times your weight."),
          [](const Terms& t) { return QString::number(t.chain, 'g', 4); },
          [](const Terms& t) { return t.chain; }),
      term(
          tr("Slope"), tr("What each of the last three rounds gained."),
          [latency](const Terms& t) { return latency(t.backward); },
          [](const Terms& t) { return -t.backward; }),
      term(
          tr("Own progress"),
          tr("What a round gains if the task goes on as on average so far: its best time divided "
             "by its rounds."),
          [latency](const Terms& t) { return latency(t.optimistic); },
          [](const Terms& t) { return -t.optimistic; }),
      similar,
      term(
          tr("Stagnant"), tr("Rounds since the task last became faster."),
          [](const Terms& t) { return QString::number(t.stagnantRounds); },
          [](const Terms& t) { return t.stagnantRounds; })};
}

QVariant SchedulerModel::rowData(const TaskEntry& task, int role) const {
  return role == ActiveRole ? QVariant(task.row.id == chosen_) : TaskTable::rowData(task, role);
}

} // namespace nestwright::ui

#include "moc_scheduler_model.cpp"
