#include "ui/task_graph/graph_values.h"

#include "core/story/curve_data.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <cmath>
#include <unordered_map>

namespace nestwright::ui {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kTrendSamples = 24;

TaskMark markOf(const TaskEntry& entry) {
  if (entry.active) return TaskMark::Active;
  if (entry.mode == TaskMode::Pinned) return TaskMark::Pinned;
  if (entry.mode == TaskMode::Paused) return TaskMark::Paused;
  if (entry.importance <= 0) return TaskMark::Frozen;
  return entry.exhausted.empty() ? TaskMark::None : TaskMark::Exhausted;
}

double valueOf(GraphMeasure measure, const GraphTask& task, double trials) {
  const TaskSummary& s = task.summary;
  switch (measure) {
  case GraphMeasure::Time:
    return task.share > 0 ? task.share : kNaN;
  case GraphMeasure::Trials:
    return trials > 0 ? static_cast<double>(s.trials) / trials : kNaN;
  case GraphMeasure::SpeedUp:
    return s.bestRecord && s.naiveSeconds > 0 ? s.naiveSeconds / s.bestSeconds : kNaN;
  case GraphMeasure::Errors:
    return s.trials > 0 ? static_cast<double>(s.errors) / static_cast<double>(s.trials) : kNaN;
  }
  return kNaN;
}

/// The fastest definition of each operator, which runs, by the key of its own one.
std::unordered_map<std::string_view, const TaskEntry*>
runningByKey(const std::vector<TaskEntry>& tasks) {
  std::unordered_map<std::string_view, const TaskEntry*> running;
  const std::vector<bool> counted = countedTasks(tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!counted[i]) continue;
    const TaskEntry* definition =
        tasks[i].definition != 0 ? taskIn(tasks, tasks[i].definition) : nullptr;
    running[definition ? definition->row.key : tasks[i].row.key] = &tasks[i];
  }
  return running;
}

/// "direct 1.34 ms, winograd F(4,3) 0.28 ms": all definitions of the operator that this is one of.
QString definitionsText(const std::vector<TaskEntry>& tasks, const TaskEntry& entry) {
  const RowId own = entry.definition != 0 ? entry.definition : entry.row.id;
  QStringList texts;
  for (const TaskEntry& task : tasks)
    if (task.row.id == own || task.definition == own)
      texts.append(task.summary.bestRecord != 0
                       ? QStringLiteral("%1 %2").arg(qs(task.alternative),
                                                     timeText(task.summary.bestSeconds))
                       : tr("%1: no program yet").arg(qs(task.alternative)));
  return texts.join(QStringLiteral(", "));
}

/// Time, weight and state of the session's task.
GraphTask taskOf(const Document& document, const TaskEntry& entry, const TaskWeights& networks,
                 std::size_t network) {
  GraphTask task;
  task.task = entry.row.id;
  task.summary = entry.summary;
  task.name = taskTitle(entry.row.name);
  if (!entry.alternative.empty()) {
    task.definition = qs(entry.alternative);
    task.definitions = definitionsText(document.session().tasks(), entry);
  }
  task.tuned = entry.summary.bestRecord != 0;
  if (task.tuned)
    task.seconds = entry.summary.bestSeconds;
  else if (entry.summary.naiveSeconds > 0)
    task.seconds = entry.summary.naiveSeconds;
  const std::span<const double> weights = networks.of(entry.row.id);
  task.weight = network < weights.size() ? weights[network] : entry.row.weight;
  task.mark = markOf(entry);
  const Note note = document.notes().note({NoteAbout::Task, entry.row.id});
  task.sign = noteSign(note);
  task.note = noteText(note);
  for (const double seconds : trendOf(document.session().history(), entry.row.id, kTrendSamples))
    task.trend.append(seconds);
  return task;
}

} // namespace

QString measureName(GraphMeasure measure) {
  switch (measure) {
  case GraphMeasure::Time:
    return tr("Share of time");
  case GraphMeasure::Trials:
    return tr("Share of trials");
  case GraphMeasure::SpeedUp:
    return tr("Speed-up");
  case GraphMeasure::Errors:
    return tr("Error rate");
  }
  return {};
}

QString measureExplanation(GraphMeasure measure) {
  switch (measure) {
  case GraphMeasure::Time:
    return tr("What one run of this node takes of the network's latency, by the best program of "
              "its task, or by the naive one until there is a best. Tuning pays off most where it "
              "is high. Known once each task was measured.");
  case GraphMeasure::Trials:
    return tr("What the node's task got of the session's trials so far. All nodes of one task "
              "show the same.");
  case GraphMeasure::SpeedUp:
    return tr("Latency of the task's naive program divided by that of its best. Higher is "
              "better.");
  case GraphMeasure::Errors:
    return tr("Trials of the node's task that ended in an error instead of a time. Lower is "
              "better.");
  }
  return {};
}

QString measureText(GraphMeasure measure, double value) {
  if (std::isnan(value)) return noValue();
  if (measure == GraphMeasure::SpeedUp) return factorText(value);
  return value > 0 ? percentText(value) : QStringLiteral("0 %");
}

std::vector<const TaskEntry*> runningTasks(const Document& document, const TaskGraph& graph) {
  const std::unordered_map<std::string_view, const TaskEntry*> byKey =
      runningByKey(document.session().tasks());
  std::vector<const TaskEntry*> tasks;
  tasks.reserve(graph.taskKeys.size());
  for (const std::string& key : graph.taskKeys) {
    const auto found = byKey.find(key);
    tasks.push_back(found == byKey.end() ? nullptr : found->second);
  }
  return tasks;
}

GraphValues graphValues(const Document& document, std::size_t network, const TaskGraph& graph,
                        GraphMeasure measure) {
  GraphValues values;
  double total = 0;
  bool isMeasured = true; // each of the graph's tasks
  for (const TaskEntry& entry : document.session().tasks())
    values.trials += static_cast<double>(entry.summary.trials);
  const TaskWeights weights(document.session().contents().networks);
  values.tasks.reserve(graph.taskKeys.size());
  for (const TaskEntry* entry : runningTasks(document, graph)) {
    values.tasks.push_back(entry ? taskOf(document, *entry, weights, network) : GraphTask{});
    const GraphTask& task = values.tasks.back();
    if (!std::isnan(task.seconds))
      total += task.weight * task.seconds;
    else if (task.task)
      isMeasured = false;
  }
  for (GraphTask& task : values.tasks)
    if (task.task && isMeasured && total > 0 && !std::isnan(task.seconds))
      task.share = task.seconds / total;
  return measuredBy(std::move(values), measure);
}

GraphValues measuredBy(GraphValues values, GraphMeasure measure) {
  values.measure = measure;
  values.top = measure == GraphMeasure::SpeedUp ? 1 : 0;
  for (GraphTask& task : values.tasks) {
    if (!task.task) continue;
    task.value = valueOf(measure, task, values.trials);
    if (!std::isnan(task.value)) values.top = std::max(values.top, task.value);
  }
  for (GraphTask& task : values.tasks)
    task.fraction = values.top > 0 && !std::isnan(task.value) ? task.value / values.top : 0;
  return values;
}

} // namespace nestwright::ui
