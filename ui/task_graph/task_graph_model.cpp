#include "ui/task_graph/task_graph_model.h"

#include "ui/document/document.h"
#include "ui/kit/exportable.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/task_graph/task_graph_painter.h"

#include <cmath>

namespace nestwright::ui {
namespace {

/// The session's tasks as nodes that nothing joins.
TaskGraph withoutEdges(const Document& document) {
  TaskGraph graph;
  for (const TaskEntry& entry : document.session().tasks()) {
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
    : QAbstractTableModel(parent), document_(document) {}

void TaskGraphModel::setGraph(FoldableGraphPtr graph, std::size_t network) {
  beginResetModel();
  graph_ = std::move(graph);
  network_ = network;
  tasksOnly_ = graph_ ? TaskGraph() : withoutEdges(document_);
  for (const GraphMeasure measure : kGraphMeasures)
    values_[static_cast<std::size_t>(measure)] =
        graphValues(document_, network_, graph_ ? graph_->graph : tasksOnly_, measure);
  endResetModel();
}

void TaskGraphModel::refresh() {
  const int rows = rowCount();
  for (const GraphMeasure measure : kGraphMeasures)
    values_[static_cast<std::size_t>(measure)] =
        graphValues(document_, network_, graph_ ? graph_->graph : tasksOnly_, measure);
  if (rows > 0) Q_EMIT dataChanged(index(0, Latency), index(rows - 1, State));
}

int TaskGraphModel::rowOf(RowId task) const {
  for (int row = 0; row < rowCount(); ++row)
    if (const GraphTask* own = taskAt(row); own && own->task == task) return row;
  return -1;
}

int TaskGraphModel::rowCount(const QModelIndex& parent) const {
  const TaskGraph& graph = graph_ ? graph_->graph : tasksOnly_;
  return parent.isValid() ? 0 : static_cast<int>(graph.nodes.size());
}

int TaskGraphModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

const GraphTask* TaskGraphModel::taskAt(int row) const {
  const TaskGraph& graph = graph_ ? graph_->graph : tasksOnly_;
  const int task = graph.nodes[static_cast<std::size_t>(row)].task;
  if (task < 0) return nullptr;
  const GraphTask& found = values_[0].tasks[static_cast<std::size_t>(task)];
  return found.task ? &found : nullptr;
}

GraphMeasure TaskGraphModel::measureOf(int column) {
  switch (column) {
  case Trials:
    return GraphMeasure::Trials;
  case SpeedUp:
    return GraphMeasure::SpeedUp;
  case Errors:
    return GraphMeasure::Errors;
  default:
    return GraphMeasure::Time;
  }
}

std::optional<double> TaskGraphModel::number(int row, int column) const {
  if (column < Latency || column > Errors) return std::nullopt;
  const GraphTask* task = taskAt(row);
  if (!task) return std::numeric_limits<double>::quiet_NaN();
  if (column == Latency) return task->seconds;
  const auto index = static_cast<std::size_t>(task - values_[0].tasks.data());
  return values_[static_cast<std::size_t>(measureOf(column))].tasks[index].value;
}

QString TaskGraphModel::text(int row, int column) const {
  const TaskGraph& graph = graph_ ? graph_->graph : tasksOnly_;
  const TaskGraphNode& node = graph.nodes[static_cast<std::size_t>(row)];
  switch (column) {
  case Title:
    return taskTitle(node.title);
  case Node:
    return qs(node.name);
  case Operators:
    return nodeText(node).operators.join(QStringLiteral(", "));
  case Result:
    return node.shape.empty() && !graph_ ? QString() : shapeText(node.shape);
  case Reads: {
    QStringList names;
    for (const int input : node.inputs)
      names.append(qs(graph.nodes[static_cast<std::size_t>(input)].name));
    return names.join(QStringLiteral(", "));
  }
  case Latency:
    return timeText(number(row, column).value());
  case State: {
    const GraphTask* task = taskAt(row);
    return task ? markText(task->mark) : tr("not tuned");
  }
  default:
    return measureText(measureOf(column), number(row, column).value());
  }
}

QVariant TaskGraphModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const std::optional<double> value = number(index.row(), index.column());
  switch (role) {
  case Qt::DisplayRole:
  case Qt::ToolTipRole:
    return text(index.row(), index.column());
  case Qt::TextAlignmentRole:
    return QVariant::fromValue(
        Qt::Alignment((value ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  case SortRole:
    if (!value) return text(index.row(), index.column());
    return std::isnan(*value) ? -1.0 : *value;
  case kExportRole:
    if (!value) return {};
    return std::isnan(*value) ? QVariant(QString()) : QVariant(*value);
  case TaskRole: {
    const GraphTask* task = taskAt(index.row());
    return task ? QVariant(static_cast<qlonglong>(task->task)) : QVariant(0ll);
  }
  case NodeRole:
    return index.row();
  default:
    return {};
  }
}

QVariant TaskGraphModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const bool text = role == Qt::DisplayRole;
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(
        Qt::Alignment((section >= Latency && section <= Errors ? Qt::AlignRight : Qt::AlignLeft) |
                      Qt::AlignVCenter));
  if (!text && role != Qt::ToolTipRole) return {};
  switch (section) {
  case Title:
    return text ? tr("Task") : tr("What the node computes: operators that run as one kernel.");
  case Node:
    return text ? tr("Node") : tr("Its name in the network.");
  case Operators:
    return text ? tr("Operators") : tr("The operators that are fused into it, in their order.");
  case Result:
    return text ? tr("Result") : tr("Shape of the tensor that it makes.");
  case Reads:
    return text ? tr("Reads") : tr("The nodes whose results it takes, in the kernel's order.");
  case Latency:
    return text ? tr("Latency")
                : tr("Of the best verified program, or of the naive one until "
                     "there is a best. Lower is better.");
  case State:
    return text ? tr("State")
                : tr("Whether its task is tuned now, pinned or paused, frozen by you (importance "
                     "0), "
                     "or exhausted (nothing left to try).");
  default:
    return text ? measureName(measureOf(section)) : measureExplanation(measureOf(section));
  }
}

} // namespace nestwright::ui
