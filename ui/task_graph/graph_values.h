#pragma once
/// \file What the nodes of a graph drawing say about their tasks: the measure that colours them,
/// as a number too, and their state.

#include "core/record/rows/task_row.h"
#include "core/story/session_contents.h"
#include "core/support/row_id.h"
#include "ui/task_graph/graph_loader.h"

#include <QVector>

#include <limits>
#include <vector>

namespace nestwright::ui {

class Document;

/// By what the nodes are coloured.
enum class GraphMeasure : std::uint8_t { Time, Trials, SpeedUp, Errors };
inline constexpr GraphMeasure kGraphMeasures[] = {GraphMeasure::Time, GraphMeasure::Trials,
                                                  GraphMeasure::SpeedUp, GraphMeasure::Errors};
/// "Share of time", ...
QString measureName(GraphMeasure measure);
/// What it is and which way is better, a sentence or two.
QString measureExplanation(GraphMeasure measure);
/// "4.2 %", "12.4×"; an en dash for NaN.
QString measureText(GraphMeasure measure, double value);

/// Why a task takes no trials at present, or that it does.
enum class TaskMark : std::uint8_t { None, Active, Pinned, Paused, Frozen, Exhausted };

/// What a graph's task is in the session; NaN is not known.
struct GraphTask {
  RowId task = 0; // 0: the session does not tune it
  QString name;
  TaskSummary summary;
  double value = std::numeric_limits<double>::quiet_NaN();   // of the measure
  double fraction = 0;                                       // of the scale's top, for the colour
  double seconds = std::numeric_limits<double>::quiet_NaN(); // best, or naive until there is one
  bool tuned = false;                                        // `seconds` is of a best
  double share = 0;                                          // of the network's time, one node
  double weight = 1;                                         // nodes of the network that do it
  TaskMark mark = TaskMark::None;
  QVector<double> trend; // best latency over the session so far
  /// Which definition of its operator runs, and the latencies of all; empty where there is one.
  QString definition, definitions;
  QString sign, note; // of what people wrote about it: "★ " before its name, and the words
};

/// Per task of the graph.
struct GraphValues {
  GraphMeasure measure = GraphMeasure::Time;
  double top = 0;    // of the scale
  double trials = 0; // of the whole session
  std::vector<GraphTask> tasks;
};

/// Per task of the graph: the session's task that runs it, which is the fastest definition of its
/// operator; null when the session does not tune it.
std::vector<const TaskEntry*> runningTasks(const Document& document, const TaskGraph& graph);
/// `network` is the index of the session's network that is drawn.
GraphValues graphValues(const Document& document, std::size_t network, const TaskGraph& graph,
                        GraphMeasure measure);
/// The same tasks by another measure.
GraphValues measuredBy(GraphValues values, GraphMeasure measure);

} // namespace nestwright::ui
