#include "ui/task_graph/task_graph_model.h"

#include "ui/document/document.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/task_graph/task_graph_painter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nestwright::ui {
namespace {

/// The session's tasks as nodes that nothing joins.
TaskGraph withoutEdges(const Document& document) {
  TaskGraph graph;
  graph.taskKeys.reserve(document.session().tasks().size());
  graph.nodes.reserve(document.session().tasks().size());
  for (const TaskEntry& entry : document.session().tasks()) {
    if (entry.definition != 0) continue; // its definition is the node
    TaskGraphNode node;
    node.task = static_cast<int>(graph.taskKeys.size());
    node.tunable = true;
    node.title = entry.row.name;
    graph.taskKeys.push_back(entry.row.key);
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

} // namespace

TaskGraphModel::TaskGraphModel(Document& document, QObject* parent)
    : TableModel(parent), document_(document) {
  setColumns(columns());
}

void TaskGraphModel::setGraph(FoldableGraphPtr graph, std::size_t network) {
  network_ = network;
  show(graph, graph ? TaskGraph() : withoutEdges(document_));
}

void TaskGraphModel::forget() {
  show(nullptr, {});
}

void TaskGraphModel::show(FoldableGraphPtr graph, TaskGraph tasksOnly) {
  beginResetModel();
  graph_ = std::move(graph);
  tasksOnly_ = std::move(tasksOnly);
  rows_.resize(this->graph().nodes.size());
  std::iota(rows_.begin(), rows_.end(), 0);
  values_ = {};
  running_.reset();
  endResetModel();
}

void TaskGraphModel::refresh() {
  values_ = {};
  running_.reset();
  tellChanged(Latency, Definition);
}

const GraphValues& TaskGraphModel::valuesOf(GraphMeasure measure) const {
  std::optional<GraphValues>& values = values_[static_cast<std::size_t>(measure)];
  if (values) return *values;
  const auto known = std::ranges::find_if(values_, [](const auto& v) { return v.has_value(); });
  values = known != values_.end() ? measuredBy(**known, measure)
                                  : graphValues(document_, network_, graph(), measure);
  return *values;
}

int TaskGraphModel::rowOf(RowId task) const {
  const LiveSession& session = document_.session();
  const TaskEntry* entry = session.task(task);
  if (entry && entry->definition != 0) entry = session.task(entry->definition);
  if (!entry) return -1;
  return firstRow([&](int row) {
    const int of = nodeAt(row).task;
    return of >= 0 && graph().taskKeys[static_cast<std::size_t>(of)] == entry->row.key;
  });
}

const GraphTask* TaskGraphModel::taskAt(int row) const {
  const int task = nodeAt(row).task;
  if (task < 0) return nullptr;
  const GraphTask& found = valuesOf(GraphMeasure::Time).tasks[static_cast<std::size_t>(task)];
  return found.task ? &found : nullptr;
}

double TaskGraphModel::measured(int row, GraphMeasure measure) const {
  if (!taskAt(row)) return std::numeric_limits<double>::quiet_NaN();
  const auto task = static_cast<std::size_t>(nodeAt(row).task);
  return valuesOf(measure).tasks[task].value;
}

TaskGraphModel::Columns TaskGraphModel::columns() const {
  const auto words = [](const QString& title, const QString& tip, auto text) {
    return TableColumn<int>{.title = title, .tip = tip, .text = text, .toolTip = text};
  };
  /// `text` of what `value` gives of a row, NaN where it is not known.
  const auto number = [](const QString& title, const QString& tip, auto value, auto text) {
    const auto shown = [=](int row) { return text(value(row)); };
    return TableColumn<int>{
        .title = title,
        .tip = tip,
        .text = shown,
        .align = kRight,
        .sort = [=](int row) { return std::isnan(value(row)) ? -1.0 : value(row); },
        .bare =
            [=](int row) {
              return std::isnan(value(row)) ? QVariant(QString()) : QVariant(value(row));
            },
        .toolTip = shown};
  };
  const auto measure = [&](GraphMeasure which) {
    return number(
        measureName(which), measureExplanation(which),
        [this, which](int row) { return measured(row, which); },
        [which](double value) { return measureText(which, value); });
  };
  return {
      words(tr("Task"), tr("What the node computes: operators that run as one kernel."),
            [this](int row) { return taskTitle(nodeAt(row).title); }),
      words(tr("Node"), tr("Its name in the network."),
            [this](int row) { return qs(nodeAt(row).name); }),
      words(tr("Operators"), tr("The operators that are fused into it, in their order."),
            [this](int row) { return nodeText(nodeAt(row)).operators.join(QStringLiteral(", ")); }),
      words(tr("Result"), tr("Shape of the tensor that it makes."),
            [this](int row) {
              const bool unknown = nodeAt(row).shape.empty() && !graph_;
              return unknown ? QString() : shapeText(nodeAt(row).shape);
            }),
      words(tr("Reads"), tr("The nodes whose results it takes, in the kernel's order."),
            [this](int row) {
              QStringList names;
              for (const int input : nodeAt(row).inputs)
                names.append(qs(nodeAt(input).name));
              return names.join(QStringLiteral(", "));
            }),
      number(
          tr("Latency"),
          tr("Of the best verified program, or of the naive one until there is a best. Lower is "
             "better."),
          [this](int row) {
            const GraphTask* task = taskAt(row);
            return task ? task->seconds : std::numeric_limits<double>::quiet_NaN();
          },
          timeText),
      measure(GraphMeasure::Time),
      measure(GraphMeasure::Trials),
      measure(GraphMeasure::SpeedUp),
      measure(GraphMeasure::Errors),
      words(tr("State"),
            tr("Whether its task is tuned now, pinned or paused, frozen by you (importance 0), or "
               "exhausted (nothing left to try)."),
            [this](int row) {
              const GraphTask* task = taskAt(row);
              return task ? markText(task->mark) : tr("not tuned");
            }),
      {.title = tr("Definition"),
       .tip = tr("Which definition of its operator the node runs: several are searched beside one "
                 "another. Empty where there is only one."),
       .text =
           [this](int row) {
             const GraphTask* task = taskAt(row);
             return task ? task->definition : QString();
           },
       .toolTip =
           [this](int row) {
             const GraphTask* task = taskAt(row);
             return task ? task->definitions : QString();
           }}};
}

QVariant TaskGraphModel::rowData(const int& row, int role) const {
  if (role == ItemRole) return row;
  if (role != TaskRole) return {};
  const int task = nodeAt(row).task;
  if (task < 0) return qint64(0);
  // Not by the values, which are more work: selecting a row asks for this alone.
  if (!running_) {
    running_.emplace();
    for (const TaskEntry* entry : runningTasks(document_, graph()))
      running_->push_back(entry ? entry->row.id : 0);
  }
  return qint64((*running_)[static_cast<std::size_t>(task)]);
}

} // namespace nestwright::ui

#include "moc_task_graph_model.cpp"
