#include "core/network/partition/partition_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

/// The group of each node, or -1.
std::vector<int> groupsOfNodes(const Partition& partition) {
  std::vector<int> groups(partition.network.nodes.size(), -1);
  for (std::size_t g = 0; g < partition.groups.size(); ++g)
    for (const int n : partition.groups[g].nodes)
      groups[static_cast<std::size_t>(n)] = static_cast<int>(g);
  return groups;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

class DotWriter {
 public:
  explicit DotWriter(const Partition& partition)
      : partition_(partition), network_(partition.network), makers_(producers(network_)) {}

  std::string run() {
    text_ = fmt::format("digraph {} {{\n  node [shape=box, fontname=\"sans-serif\"];\n"
                        "  graph [fontname=\"sans-serif\", style=rounded];\n",
                        quoted(network_.name));
    for (const TensorId id : network_.inputs)
      text_ += fmt::format("  t{} [shape=ellipse, label={}];\n", id, quoted(label(id)));
    for (std::size_t g = 0; g < partition_.groups.size(); ++g)
      cluster(g);
    const std::vector<int> groups = groupsOfNodes(partition_);
    for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
      if (groups[n] < 0) node("  ", static_cast<int>(n));
      for (const TensorId input : network_.nodes[n].inputs)
        if (!network_.isConstant(input)) text_ += fmt::format("  {} -> n{};\n", source(input), n);
    }
    for (std::size_t o = 0; o < network_.outputs.size(); ++o) {
      const TensorId id = network_.outputs[o];
      if (network_.isConstant(id)) continue;
      text_ += fmt::format("  out{} [shape=ellipse, label={}];\n  {} -> out{};\n", o,
                           quoted(label(id)), source(id), o);
    }
    return text_ + "}\n";
  }

 private:
  std::string label(TensorId id) const {
    const Tensor& tensor = network_.tensor(id);
    return fmt::format("{} {}", tensor.name, fmt::join(tensor.shape, "x"));
  }

  std::string source(TensorId id) const {
    const int maker = makers_[static_cast<std::size_t>(id)];
    return maker < 0 ? fmt::format("t{}", id) : fmt::format("n{}", maker);
  }

  void node(const char* indent, int n) {
    const Node& node = network_.nodes[static_cast<std::size_t>(n)];
    const Tensor& output = network_.outputOf(node);
    text_ +=
        fmt::format("{}n{} [label={}, tooltip={}];\n", indent, n,
                    quoted(fmt::format("{} {}", name(node.kind), fmt::join(output.shape, "x"))),
                    quoted(node.name));
  }

  void cluster(std::size_t g) {
    const TaskGroup& group = partition_.groups[g];
    const Task& task = partition_.tasks[static_cast<std::size_t>(group.task)];
    text_ += fmt::format("  subgraph cluster_{} {{\n    label={};\n", g,
                         quoted(fmt::format("#{} {}", group.task, task.description)));
    if (!task.tunable) text_ += "    style=\"rounded,dashed\";\n";
    for (const int n : group.nodes)
      node("    ", n);
    text_ += "  }\n";
  }

  const Partition& partition_;
  const Network& network_;
  std::vector<int> makers_;
  std::string text_;
};

} // namespace

std::string partitionDot(const Partition& partition) {
  return DotWriter(partition).run();
}

nlohmann::json partitionJson(const Partition& partition) {
  using nlohmann::json;
  const Network& network = partition.network;
  const std::vector<int> groups = groupsOfNodes(partition), makers = producers(network);
  json nodes = json::array(), groupList = json::array();
  for (std::size_t n = 0; n < network.nodes.size(); ++n) {
    const Node& node = network.nodes[n];
    json inputs = json::array();
    for (const TensorId id : node.inputs) {
      const int maker = makers[static_cast<std::size_t>(id)];
      if (maker >= 0)
        inputs.push_back(maker);
      else if (!network.isConstant(id))
        inputs.push_back(network.tensor(id).name);
    }
    nodes.push_back({{"name", node.name},
                     {"operator", name(node.kind)},
                     {"shape", network.outputOf(node).shape},
                     {"type", toString(network.outputOf(node).type)},
                     {"group", groups[n] < 0 ? json(nullptr) : json(groups[n])},
                     {"inputs", inputs}});
  }
  for (const TaskGroup& group : partition.groups) {
    const Task& task = partition.tasks[static_cast<std::size_t>(group.task)];
    groupList.push_back({{"task", group.task},
                         {"name", group.name},
                         {"description", task.description},
                         {"tunable", task.tunable},
                         {"nodes", group.nodes}});
  }
  const auto tensors = [&](const std::vector<TensorId>& ids) {
    json list = json::array();
    for (const TensorId id : ids)
      list.push_back({{"name", network.tensor(id).name}, {"shape", network.tensor(id).shape}});
    return list;
  };
  return {{"network", network.name},
          {"inputs", tensors(network.inputs)},
          {"outputs", tensors(network.outputs)},
          {"nodes", nodes},
          {"groups", groupList}};
}

} // namespace nestwright
