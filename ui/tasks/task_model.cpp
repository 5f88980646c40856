#include "ui/tasks/task_model.h"

#include "core/record/rows/task_row.h"
#include "core/story/curve_data.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/scope_text.h"
#include "ui/document/session_follower.h"
#include "ui/kit/colours.h"
#include "ui/kit/roles.h"
#include "ui/kit/text.h"
#include "ui/tasks/tuning_origins.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

double speedUpOf(const TaskEntry& task) {
  const TaskSummary& s = task.summary;
  return s.bestRecord && s.naiveSeconds > 0 ? s.naiveSeconds / s.bestSeconds : 0;
}

/// Of the best, or of the fastest that a log told; 0 where there is neither.
double shownSeconds(const TaskEntry& task) {
  return task.summary.bestRecord ? task.summary.bestSeconds : task.imported.seconds;
}

double throughputOf(const TaskEntry& task) {
  return shownSeconds(task) > 0 ? task.row.flops / shownSeconds(task) : 0;
}

} // namespace

TaskModel::TaskModel(Document& document, QObject* parent)
    : TaskTable(document, {Importance, Pinned, Paused}, parent),
      origins_(new TuningOrigins(document, this)) {
  setColumns(columns());
  connect(&document, &Document::stateChanged, this, &TaskModel::refresh);
  connect(&document.follower(), &SessionFollower::tasksChanged, this, &TaskModel::refresh);
  connect(&document.follower(), &SessionFollower::historyChanged, this,
          [this] { updateColumn(Trend); });
  connect(&document.notes(), &NoteBook::changed, this, [this] { updateColumn(Name); });
  connect(origins_, &TuningOrigins::changed, this, [this] { updateColumn(Origin); });
  refresh();
}

void TaskModel::refresh() {
  const auto& tasks = document_.session().tasks();
  std::vector<double> bests, naives;
  for (const TaskEntry& task : tasks) {
    bests.push_back(shownSeconds(task));
    naives.push_back(task.summary.naiveSeconds);
  }
  const TimeUnit bestUnit = columnUnit(bests), naiveUnit = columnUnit(naives);
  const bool newUnits = bestUnit != bestUnit_ || naiveUnit != naiveUnit_;
  bestUnit_ = bestUnit, naiveUnit_ = naiveUnit;
  total_ = presentTotal(document_.session().tasks());
  unmeasured_ = unmeasuredTasks(tasks);
  maxShare_ = 0;
  for (const TaskEntry& task : tasks)
    maxShare_ = std::max(maxShare_, shareOf(task));
  updateRows();
  if (newUnits) Q_EMIT headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
}

Note TaskModel::noteOf(const TaskEntry& task) const {
  return document_.notes().note({NoteAbout::Task, task.row.id});
}

double TaskModel::shareOf(const TaskEntry& task) const {
  if (unmeasured_ > 0) return 0; // of what was measured so far it would be too much
  if (!countsInTotal(document_.session().tasks(), task)) return 0;
  const double seconds =
      task.summary.bestRecord ? task.summary.bestSeconds : task.summary.naiveSeconds;
  return total_ > 0 && std::isfinite(total_) ? task.row.weight * seconds / total_ : 0;
}

QVector<double> TaskModel::trendOf(const TaskEntry& task) const {
  static constexpr int kSamples = 24;
  const std::vector<double> trend =
      nestwright::trendOf(document_.session().history(), task.row.id, kSamples);
  return {trend.begin(), trend.end()};
}

bool TaskModel::hasTrend() const {
  const auto moves = [this](const TaskEntry& task) {
    const QVector<double> trend = trendOf(task);
    return !trend.isEmpty() && trend.first() != trend.last();
  };
  return std::ranges::any_of(document_.session().tasks(), moves);
}

bool TaskModel::hasErrors() const {
  return std::ranges::any_of(document_.session().tasks(),
                             [](const TaskEntry& task) { return task.summary.errors > 0; });
}

bool TaskModel::hasImported() const {
  return std::ranges::any_of(document_.session().tasks(), [](const TaskEntry& task) {
    return task.summary.bestRecord == 0 && task.imported.record != 0;
  });
}

bool TaskModel::hasAlternatives() const {
  return std::ranges::any_of(document_.session().tasks(),
                             [](const TaskEntry& task) { return !task.alternative.empty(); });
}

/// "3", or with several networks "3 + 0": its weight in each.
QString TaskModel::weightText(const TaskEntry& task) const {
  QStringList weights;
  for (const double weight : weightsOf(document_.session().contents().networks, task.row.id))
    weights.append(QString::number(weight, 'g', 6));
  return weights.join(QStringLiteral(" + "));
}

/// The networks that the task appears in, a line each.
QString TaskModel::networksText(const TaskEntry& task) const {
  QStringList lines;
  const std::vector<double> weights =
      weightsOf(document_.session().contents().networks, task.row.id);
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0)
      lines.append(tr("appears %1 times in %2")
                       .arg(weights[i])
                       .arg(qs(document_.session().contents().networks[i].name)));
  return lines.join(QLatin1Char('\n'));
}

QString TaskModel::nameTip(const TaskEntry& task) const {
  QStringList lines{qs(task.row.key)};
  if (!task.pauseReason.empty()) lines << tr("Paused itself: %1").arg(qs(task.pauseReason));
  if (task.exhausted.empty())
    lines << flopsText(task.row.flops) << networksText(task);
  else
    lines << tr("Takes no further trials: %1").arg(qs(task.exhausted));
  if (const Note note = noteOf(task); !note.text.empty()) lines << noteText(note);
  return lines.join(QLatin1Char('\n'));
}

/// A click on a column where more is better shows the largest first.
TaskModel::Columns TaskModel::columns() const {
  using Task = TaskEntry;
  return {
      {.title = tr("Task"),
       .tip = tr("A fused part of a network. The colour is that of its curve."),
       .text =
           [this](const Task& task) { return noteSign(noteOf(task)) + taskTitle(task.row.name); },
       .sort = [](const Task& task) { return task.row.index; },
       .toolTip = [this](const Task& task) { return nameTip(task); },
       .colour =
           [](const Task& task) {
             return task.mode == TaskMode::Paused ? QVariant(colours().dim) : QVariant();
           }},
      {.title = [this] { return tr("Best, %1").arg(unitSymbol(bestUnit_)); },
       .tip = tr("Latency of the fastest verified program, median of its repeats; of a task that "
                 "only logs tell of, their fastest record, which says so. Lower is better."),
       .text =
           [this](const Task& task) {
             if (shownSeconds(task) <= 0) return noValue();
             const QString time = timeIn(shownSeconds(task), bestUnit_);
             return task.summary.bestRecord ? time : tr("imported %1").arg(time);
           },
       .align = kRight,
       .sort =
           [](const Task& task) { return shownSeconds(task) > 0 ? shownSeconds(task) : kUnknown; },
       .toolTip =
           [this](const Task& task) {
             const TaskSummary& s = task.summary;
             return withScope(
                 s.bestRecord ? tr("%1 (record %2)").arg(timeText(s.bestSeconds)).arg(s.bestRecord)
                 : task.imported.record
                     ? tr("%1 (record %2), as a log tells it: not verified here, and on the "
                          "machine of the log")
                           .arg(timeText(task.imported.seconds))
                           .arg(task.imported.record)
                     : tr("No verified program yet"),
                 document_);
           }},
      {.title = tr("Share"),
       .tip = tr("Share of the network's total time: weight × best (or naive, until there is a "
                 "best). Where tuning pays off most. Shown once each task was measured."),
       .text =
           [this](const Task& task) {
             return shareOf(task) > 0 ? percentText(shareOf(task)) : noValue();
           },
       .align = kRight,
       .sort = [this](const Task& task) { return shareOf(task); },
       .toolTip =
           [this](const Task& task) {
             if (unmeasured_ > 0)
               return tr("Not known until each task was measured: %1 of %2 were not yet.")
                   .arg(unmeasured_)
                   .arg(document_.session().tasks().size());
             const TaskSummary& s = task.summary;
             if (!countsInTotal(document_.session().tasks(), task))
               return tr("Another definition of the operator is faster, and runs.");
             return tr("%1 × %2 of %3")
                 .arg(task.row.weight)
                 .arg(timeText(s.bestRecord ? s.bestSeconds : s.naiveSeconds), timeText(total_));
           },
       .fraction =
           [this](const Task& task) {
             return maxShare_ > 0 ? QVariant(shareOf(task) / maxShare_) : QVariant();
           },
       .firstOrder = Qt::DescendingOrder},
      importance(),
      tick(TaskMode::Pinned),
      tick(TaskMode::Paused),
      {.title = tr("Speed-up"),
       .tip = tr("Naive latency divided by best latency. Higher is better."),
       .text = [](const Task& task) { return factorText(speedUpOf(task)); },
       .align = kRight,
       .sort = speedUpOf,
       .firstOrder = Qt::DescendingOrder},
      {.title = tr("GFLOP/s"),
       .tip = tr("Operations of the task divided by its best latency, or the imported one. Higher "
                 "is better."),
       .text = [](const Task& task) { return gigaflopsIn(throughputOf(task)); },
       .align = kRight,
       .sort = throughputOf,
       .toolTip = [](const Task& task) { return throughputText(throughputOf(task)); },
       .firstOrder = Qt::DescendingOrder},
      {.title = tr("Trials"),
       .tip = tr("Programs measured for this task, errors included."),
       .text = [](const Task& task) { return countText(task.summary.trials); },
       .align = kRight,
       .sort = [](const Task& task) { return qint64(task.summary.trials); },
       .firstOrder = Qt::DescendingOrder},
      {.title = tr("Trend"),
       .tip = tr("Best latency over the session so far; down is better."),
       .align = kRight,
       .sort =
           [this](const Task& task) {
             const QVector<double> trend = trendOf(task);
             return trend.isEmpty() ? 0.0 : trend.last() / trend.first();
           },
       .firstOrder = Qt::DescendingOrder,
       .other =
           [this](const Task& task, int role) {
             if (role == TrendRole) return QVariant::fromValue(trendOf(task));
             return role == Qt::AccessibleTextRole
                        ? QVariant(tr("Trend of %1").arg(taskTitle(task.row.name)))
                        : QVariant();
           }},
      {.title = tr("Errors"),
       .tip = tr("Trials that ended in an error instead of a time. Lower is better."),
       .text =
           [](const Task& task) {
             return task.summary.errors ? countText(task.summary.errors) : QStringLiteral("0");
           },
       .align = kRight,
       .sort = [](const Task& task) { return qint64(task.summary.errors); },
       .toolTip =
           [](const Task& task) {
             const TaskSummary& s = task.summary;
             return s.trials ? tr("%1 of %2 trials")
                                   .arg(percentText(double(s.errors) / s.trials))
                                   .arg(s.trials)
                             : QString();
           },
       .firstOrder = Qt::DescendingOrder},
      {.title = [this] { return tr("Naive, %1").arg(unitSymbol(naiveUnit_)); },
       .tip = tr("Latency of the untransformed loop nest on this machine, the reference."),
       .text = [this](const Task& task) { return timeIn(task.summary.naiveSeconds, naiveUnit_); },
       .align = kRight,
       .sort =
           [](const Task& task) {
             return task.summary.naiveSeconds > 0 ? task.summary.naiveSeconds : kUnknown;
           },
       .toolTip = [](const Task& task) { return timeText(task.summary.naiveSeconds); }},
      {.title = tr("Weight"),
       .tip = tr("How often the task appears in the network; of several networks, in each. A task "
                 "that two of them share is tuned once, for both."),
       .text = [this](const Task& task) { return weightText(task); },
       .align = kRight,
       .sort = [](const Task& task) { return task.row.weight; },
       .toolTip = [this](const Task& task) { return networksText(task); },
       .firstOrder = Qt::DescendingOrder},
      {.title = tr("Tuned on"),
       .tip = tr("Where the task was tuned: on this machine, elsewhere only, or nowhere yet, so "
                 "that the network would run with its naive program here."),
       .text = [this](const Task& task) { return originText(origins_->of(task)); },
       .align = kRight,
       .sort =
           [this](const Task& task) {
             return static_cast<int>(origins_->of(task).value_or(TuningOrigin::Fallback));
           },
       .toolTip = [this](const Task& task) { return originMeaning(origins_->of(task)); },
       .firstOrder = Qt::DescendingOrder},
      {.title = tr("Definition"),
       .tip = tr("Which definition of its operator the task is: several are searched beside one "
                 "another, and the fastest runs."),
       .text =
           [this](const Task& task) {
             if (task.alternative.empty()) return QString();
             return countsInTotal(document_.session().tasks(), task)
                        ? tr("%1, runs").arg(qs(task.alternative))
                        : qs(task.alternative);
           },
       .sort = [](const Task& task) { return qs(task.alternative); },
       .toolTip =
           [this](const Task& task) {
             if (task.alternative.empty()) return QString();
             return countsInTotal(document_.session().tasks(), task)
                        ? tr("The fastest definition of its operator so far.")
                        : tr("Another definition of the operator is faster, or this one has no "
                             "program yet.");
           }}};
}

QVariant TaskModel::rowData(const TaskEntry& task, int role) const {
  return role == ActiveRole ? QVariant(task.active) : TaskTable::rowData(task, role);
}

} // namespace nestwright::ui

#include "moc_task_model.cpp"
