#include "ui/tasks/task_model.h"

#include "core/story/curve_data.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/session_follower.h"
#include "ui/kit/importance_editor.h"
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

double throughputOf(const TaskEntry& task) {
  return task.summary.bestRecord ? task.row.flops / task.summary.bestSeconds : 0;
}

} // namespace

TaskModel::TaskModel(Document& document, QObject* parent)
    : TaskTable(document, ColumnCount, Importance, parent),
      origins_(new TuningOrigins(document, this)) {
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
    bests.push_back(task.summary.bestRecord ? task.summary.bestSeconds : 0);
    naives.push_back(task.summary.naiveSeconds);
  }
  const TimeUnit bestUnit = columnUnit(bests), naiveUnit = columnUnit(naives);
  const bool newUnits = bestUnit != bestUnit_ || naiveUnit != naiveUnit_;
  bestUnit_ = bestUnit, naiveUnit_ = naiveUnit;
  total_ = document_.session().presentTotal();
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

QVariant TaskModel::display(const TaskEntry& task, int column) const {
  const TaskSummary& s = task.summary;
  switch (column) {
  case Name:
    return noteSign(noteOf(task)) + taskTitle(task.row.name);
  case Best:
    return s.bestRecord ? timeIn(s.bestSeconds, bestUnit_) : noValue();
  case Naive:
    return timeIn(s.naiveSeconds, naiveUnit_);
  case SpeedUp:
    return factorText(speedUpOf(task));
  case Throughput:
    return gigaflopsIn(throughputOf(task));
  case Trials:
    return countText(s.trials);
  case Errors:
    return s.errors ? countText(s.errors) : QStringLiteral("0");
  case Share:
    return shareOf(task) > 0 ? percentText(shareOf(task)) : noValue();
  case Weight:
    return weightText(task);
  case Importance:
    if (task.mode == TaskMode::Pinned) return tr("pinned");
    if (task.mode == TaskMode::Paused) return tr("paused");
    return QString::number(task.importance, 'g', 4) + QStringLiteral("×");
  case Origin:
    return originText(origins_->of(task));
  default:
    return {};
  }
}

QVariant TaskModel::sortKey(const TaskEntry& task, int column) const {
  const TaskSummary& s = task.summary;
  switch (column) {
  case Name:
    return task.row.index;
  case Best:
    return s.bestRecord ? s.bestSeconds : kUnknown;
  case Naive:
    return s.naiveSeconds > 0 ? s.naiveSeconds : kUnknown;
  case SpeedUp:
    return speedUpOf(task);
  case Throughput:
    return throughputOf(task);
  case Trials:
    return static_cast<qlonglong>(s.trials);
  case Errors:
    return static_cast<qlonglong>(s.errors);
  case Share:
    return shareOf(task);
  case Weight:
    return task.row.weight;
  case Importance:
    return task.importance;
  case Origin:
    return static_cast<int>(origins_->of(task).value_or(TuningOrigin::Fallback));
  case Trend: {
    const QVector<double> trend = trendOf(task);
    return trend.isEmpty() ? 0.0 : trend.last() / trend.first();
  }
  default:
    return {};
  }
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

QString TaskModel::toolTip(const TaskEntry& task, int column) const {
  const TaskSummary& s = task.summary;
  switch (column) {
  case Name: {
    QStringList lines{qs(task.row.key)};
    if (!task.pauseReason.empty()) lines << tr("Paused itself: %1").arg(qs(task.pauseReason));
    if (task.exhausted.empty())
      lines << flopsText(task.row.flops) << networksText(task);
    else
      lines << tr("Takes no further trials: %1").arg(qs(task.exhausted));
    if (const Note note = noteOf(task); !note.text.empty()) lines << noteText(note);
    return lines.join(QLatin1Char('\n'));
  }
  case Weight:
    return networksText(task);
  case Best:
    return s.bestRecord ? tr("%1 (record %2)").arg(timeText(s.bestSeconds)).arg(s.bestRecord)
                        : tr("No verified program yet");
  case Naive:
    return timeText(s.naiveSeconds);
  case Throughput:
    return throughputText(throughputOf(task));
  case Errors:
    return s.trials
               ? tr("%1 of %2 trials").arg(percentText(double(s.errors) / s.trials)).arg(s.trials)
               : QString();
  case Share:
    return tr("%1 × %2 of %3")
        .arg(task.row.weight)
        .arg(timeText(s.bestRecord ? s.bestSeconds : s.naiveSeconds), timeText(total_));
  case Importance:
    if (task.mode == TaskMode::Pinned)
      return tr("Pinned: gets every round until it is free again (context menu)");
    if (task.mode == TaskMode::Paused) return tr("Paused: gets no rounds (context menu)");
    return tr("Double-click to change; 2× gets twice the rounds, 0 none");
  case Origin:
    return originMeaning(origins_->of(task));
  default:
    return {};
  }
}

QVariant TaskModel::data(const QModelIndex& index, int role) const {
  const TaskEntry* task = taskAt(index);
  if (!task) return {};
  const int column = index.column();
  switch (role) {
  case Qt::DisplayRole:
    return display(*task, column);
  case Qt::ToolTipRole:
    return toolTip(*task, column);
  case Qt::AccessibleTextRole:
    return column == Trend ? QVariant(tr("Trend of %1").arg(taskTitle(task->row.name)))
                           : display(*task, column);
  case SortRole:
    return sortKey(*task, column);
  case ActiveRole:
    return task->active;
  case FractionRole:
    return column == Share && maxShare_ > 0 ? QVariant(shareOf(*task) / maxShare_) : QVariant();
  case TrendRole:
    return column == Trend ? QVariant::fromValue(trendOf(*task)) : QVariant();
  default:
    return commonData(*task, column, role);
  }
}

QVariant TaskModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const bool text = role == Qt::DisplayRole;
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(alignmentOf(section));
  // A click on a column where more is better shows the largest first.
  if (role == Qt::InitialSortOrderRole)
    return section == Name || section == Best || section == Naive ? Qt::AscendingOrder
                                                                  : Qt::DescendingOrder;
  if (!text && role != Qt::ToolTipRole) return {};
  switch (section) {
  case Name:
    return text ? tr("Task") : tr("A fused part of a network. The colour is that of its curve.");
  case Best:
    return text ? tr("Best, %1").arg(unitSymbol(bestUnit_))
                : tr("Latency of the fastest verified program, median of its repeats. Lower is "
                     "better.");
  case Naive:
    return text ? tr("Naive, %1").arg(unitSymbol(naiveUnit_))
                : tr("Latency of the untransformed loop nest on this machine, the reference.");
  case SpeedUp:
    return text ? tr("Speed-up") : tr("Naive latency divided by best latency. Higher is better.");
  case Throughput:
    return text ? tr("GFLOP/s")
                : tr("Operations of the task divided by its best latency. Higher is better.");
  case Trials:
    return text ? tr("Trials") : tr("Programs measured for this task, errors included.");
  case Errors:
    return text ? tr("Errors")
                : tr("Trials that ended in an error instead of a time. Lower is better.");
  case Share:
    return text ? tr("Share")
                : tr("Share of the network's total time: weight × best (or naive, until there is a "
                     "best). Where tuning pays off most.");
  case Trend:
    return text ? tr("Trend") : tr("Best latency over the session so far; down is better.");
  case Weight:
    return text ? tr("Weight")
                : tr("How often the task appears in the network; of several networks, in each. "
                     "A task that two of them share is tuned once, for both.");
  case Importance:
    return text ? tr("Importance") : ImportanceEditor::explanation();
  case Origin:
    return text ? tr("Tuned on")
                : tr("Where the task was tuned: on this machine, elsewhere only, or nowhere yet, "
                     "so that the network would run with its naive program here.");
  default:
    return {};
  }
}

} // namespace nestwright::ui
