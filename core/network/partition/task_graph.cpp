#include "core/network/partition/task_graph.h"

#include "core/tensor/access_analysis.h"
#include "core/tensor/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nestwright {

namespace {

using Kind = TaskGraphNode::Kind;

/// The same nodes, depth-first from those that no other reads.
std::vector<TaskGraphNode> depthFirst(std::vector<TaskGraphNode> nodes) {
  std::vector<bool> isRead(nodes.size(), false);
  for (const TaskGraphNode& node : nodes)
    for (const int input : node.inputs)
      isRead[static_cast<std::size_t>(input)] = true;
  std::vector<int> place(nodes.size(), -1), order;
  // A stack of its own: networks are deeper than a thread's.
  std::vector<std::pair<int, std::size_t>> open; // node and its next input
  for (std::size_t root = 0; root < nodes.size(); ++root) {
    if (isRead[root]) continue;
    open.emplace_back(static_cast<int>(root), 0);
    while (!open.empty()) {
      auto& [node, next] = open.back();
      const auto& inputs = nodes[static_cast<std::size_t>(node)].inputs;
      if (next < inputs.size()) {
        const int input = inputs[next++];
        if (place[static_cast<std::size_t>(input)] < 0) open.emplace_back(input, 0);
        continue;
      }
      // A node with two readers may wait on the stack twice.
      if (int& at = place[static_cast<std::size_t>(node)]; at < 0) {
        at = static_cast<int>(order.size());
        order.push_back(node);
      }
      open.pop_back();
    }
  }
  std::vector<TaskGraphNode> sorted;
  for (const int node : order) {
    sorted.push_back(std::move(nodes[static_cast<std::size_t>(node)]));
    for (int& input : sorted.back().inputs)
      input = place[static_cast<std::size_t>(input)];
  }
  return sorted;
}

void addInput(TaskGraphNode& node, int input) {
  if (input >= 0 && std::find(node.inputs.begin(), node.inputs.end(), input) == node.inputs.end())
    node.inputs.push_back(input);
}

class GraphBuilder {
 public:
  explicit GraphBuilder(const Partition& partition)
      : partition_(partition), network_(partition.network), storage_(storageTensors(network_)),
        maker_(network_.tensors.size(), -1), ends_(partition) {}

  TaskGraph run() {
    TaskGraph graph;
    graph.name = network_.name;
    graph.source = network_.source;
    for (const Task& task : partition_.tasks)
      graph.taskKeys.push_back(task.key);
    for (const TensorId id : network_.inputs)
      addTensor(Kind::Input, id);
    for (const TaskGroup& group : partition_.groups)
      addGroup(group);
    for (const TensorId id : network_.outputs)
      if (!network_.isConstant(id)) addTensor(Kind::Output, id);
    graph.nodes = depthFirst(std::move(nodes_));
    return graph;
  }

 private:
  TensorId storage(TensorId id) const { return storage_[static_cast<std::size_t>(id)]; }
  int& maker(TensorId id) { return maker_[static_cast<std::size_t>(storage(id))]; }

  void addTensor(Kind kind, TensorId id) {
    const Tensor& tensor = network_.tensor(id);
    TaskGraphNode node;
    node.kind = kind;
    node.name = node.title = tensor.name;
    node.shape = tensor.shape;
    node.type = tensor.type;
    if (kind == Kind::Output) {
      addInput(node, maker(id));
      // A network built here names a tensor after the node that makes it, which says nothing.
      if (std::ranges::find(network_.nodes, tensor.name, &Node::name) != network_.nodes.end())
        node.title = network_.outputs.size() == 1 ? "output" : "output " + tensor.name;
    } else {
      maker(id) = static_cast<int>(nodes_.size());
    }
    nodes_.push_back(std::move(node));
  }

  void addGroup(const TaskGroup& group) {
    const Task& task = partition_.tasks[static_cast<std::size_t>(group.task)];
    TaskGraphNode node;
    node.task = group.task;
    node.tunable = task.tunable;
    node.name = group.name;
    node.title = task.description;
    node.shape = network_.tensor(group.output).shape;
    node.type = network_.tensor(group.output).type;
    node.flops = task.flops;
    node.parts = operatorFacts(partition_, group);
    node.end = ends_.reason(group);
    for (const TensorId id : group.inputs)
      addInput(node, maker(id));
    maker(group.output) = static_cast<int>(nodes_.size());
    nodes_.push_back(std::move(node));
  }

  const Partition& partition_;
  const Network& network_;
  std::vector<TensorId> storage_;
  std::vector<int> maker_; // node that makes what lies in each storage tensor, or -1
  KernelEnds ends_;
  std::vector<TaskGraphNode> nodes_;
};

TensorFacts tensorFacts(const OpNode& op) {
  return {op.name(), op.output->shape, op.output->type, op.kind == OpNode::Kind::Constant, false};
}

/// What a stage of an operator is, as if it were an operator of a network.
OperatorFacts stageFacts(const ComputeDag& dag, const AccessAnalysis& access, int stage) {
  const OpNode& op = *dag[static_cast<std::size_t>(stage)];
  OperatorFacts facts;
  facts.op = op.reducer ? "Reduction" : "Element-wise";
  facts.name = op.name();
  const auto extents = [](const std::vector<Axis>& axes) {
    std::vector<std::string> texts;
    for (const Axis& axis : axes)
      texts.push_back(fmt::format("{} {}", axis.name(), axis.extent));
    return fmt::format("{}", fmt::join(texts, ", "));
  };
  facts.attributes.push_back({"axes", extents(op.axes)});
  if (!op.reduceAxes.empty()) facts.attributes.push_back({"reduces over", extents(op.reduceAxes)});
  facts.attributes.push_back({"element", print(op.body, DagText::Tvm)});
  facts.output = tensorFacts(op);
  facts.bytes = facts.output.bytes();
  for (const int producer : access.directProducers(stage)) {
    facts.inputs.push_back(tensorFacts(*dag[static_cast<std::size_t>(producer)]));
    facts.bytes += facts.inputs.back().bytes();
  }
  facts.flops = flops(op);
  return facts;
}

} // namespace

TaskGraph taskGraph(const Partition& partition) {
  return GraphBuilder(partition).run();
}

TaskGraph taskGraph(const std::string& name, const ComputeDag& dag) {
  const AccessAnalysis access(dag);
  TaskGraph graph;
  graph.name = name;
  graph.taskKeys = {workloadKey(dag)};
  std::vector<int> place(dag.size(), -1);
  for (std::size_t i = 0; i < dag.size(); ++i) {
    const OpNode& op = *dag[i];
    if (op.kind == OpNode::Kind::Constant) continue;
    place[i] = static_cast<int>(graph.nodes.size());
    TaskGraphNode node;
    node.kind = op.isCompute() ? Kind::Stage : Kind::Input;
    node.task = op.isCompute() ? 0 : -1;
    node.tunable = op.isCompute();
    node.name = op.name();
    node.title = op.isCompute() ? op.name() + " = " + print(op.body, DagText::Tvm) : op.name();
    node.shape = op.output->shape;
    node.type = op.output->type;
    if (op.isCompute()) node.parts.push_back(stageFacts(dag, access, static_cast<int>(i)));
    if (op.isCompute())
      for (const int producer : access.directProducers(static_cast<int>(i)))
        addInput(node, place[static_cast<std::size_t>(producer)]);
    graph.nodes.push_back(std::move(node));
  }
  graph.nodes = depthFirst(std::move(graph.nodes));
  return graph;
}

} // namespace nestwright
