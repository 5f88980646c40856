#include "core/network/graph/graph.h"

#include "core/network/graph/node_work.h"
#include "core/support/error.h"

namespace nestwright {

const char* name(OpKind kind) {
  static constexpr const char* kNames[] = {"Relu",
                                           "Clip",
                                           "Sqrt",
                                           "Erf",
                                           "Tanh",
                                           "Exp",
                                           "Log",
                                           "Sigmoid",
                                           "Neg",
                                           "Abs",
                                           "Floor",
                                           "Ceil",
                                           "Round",
                                           "Sin",
                                           "Cos",
                                           "Not",
                                           "Cast",
                                           "Add",
                                           "Sub",
                                           "Mul",
                                           "Div",
                                           "Pow",
                                           "Min",
                                           "Max",
                                           "Mod",
                                           "Equal",
                                           "Less",
                                           "LessOrEqual",
                                           "And",
                                           "Or",
                                           "Where",
                                           "QuantizeLinear",
                                           "DequantizeLinear",
                                           "Reshape",
                                           "Transpose",
                                           "Expand",
                                           "Concat",
                                           "Slice",
                                           "Pad",
                                           "Gather",
                                           "GatherElements",
                                           "ReduceSum",
                                           "ReduceMean",
                                           "ReduceMax",
                                           "ReduceMin",
                                           "ReduceProd",
                                           "GlobalAveragePool",
                                           "MaxPool",
                                           "AveragePool",
                                           "Softmax",
                                           "LogSoftmax",
                                           "LayerNorm",
                                           "MatMul",
                                           "Conv",
                                           "ConvTranspose",
                                           "BatchNorm"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(OpKind::BatchNorm) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

bool isUnary(OpKind kind) {
  return kind <= OpKind::Cast;
}

bool isBroadcasting(OpKind kind) {
  return kind >= OpKind::Add && kind <= OpKind::DequantizeLinear;
}

bool isQuantising(OpKind kind) {
  return kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear;
}

bool isReduction(OpKind kind) {
  return kind >= OpKind::ReduceSum && kind <= OpKind::ReduceProd;
}

bool isInjective(OpKind kind) {
  return kind >= OpKind::Reshape && kind <= OpKind::GatherElements;
}

std::vector<int> producers(const Network& network) {
  std::vector<int> result(network.tensors.size(), -1);
  for (std::size_t n = 0; n < network.nodes.size(); ++n)
    result[static_cast<std::size_t>(network.nodes[n].output)] = static_cast<int>(n);
  return result;
}

std::vector<std::vector<int>> consumers(const Network& network) {
  std::vector<std::vector<int>> result(network.tensors.size());
  for (std::size_t n = 0; n < network.nodes.size(); ++n)
    for (const TensorId input : network.nodes[n].inputs) {
      std::vector<int>& readers = result[static_cast<std::size_t>(input)];
      if (readers.empty() || readers.back() != static_cast<int>(n))
        readers.push_back(static_cast<int>(n));
    }
  return result;
}

std::vector<int> useCounts(const Network& network) {
  std::vector<int> result(network.tensors.size(), 0);
  for (const Node& node : network.nodes)
    for (const TensorId input : node.inputs)
      ++result[static_cast<std::size_t>(input)];
  for (const TensorId output : network.outputs)
    ++result[static_cast<std::size_t>(output)];
  return result;
}

std::vector<TensorId> storageTensors(const Network& network) {
  std::vector<TensorId> result(network.tensors.size());
  for (std::size_t t = 0; t < result.size(); ++t)
    result[t] = static_cast<TensorId>(t);
  for (const Node& node : network.nodes)
    if (node.kind == OpKind::Reshape)
      result[static_cast<std::size_t>(node.output)] =
          result[static_cast<std::size_t>(node.inputs[0])];
  return result;
}

Network withoutDeadNodes(Network network) {
  std::vector<char> needed(network.tensors.size(), 0);
  for (const auto* ids : {&network.inputs, &network.outputs})
    for (const TensorId id : *ids)
      needed[static_cast<std::size_t>(id)] = 1;
  for (std::size_t n = network.nodes.size(); n-- > 0;) {
    const Node& node = network.nodes[n];
    if (needed[static_cast<std::size_t>(node.output)])
      for (const TensorId input : node.inputs)
        needed[static_cast<std::size_t>(input)] = 1;
  }
  std::erase_if(network.nodes,
                [&](const Node& node) { return !needed[static_cast<std::size_t>(node.output)]; });
  std::vector<TensorId> renamed(network.tensors.size(), -1);
  std::vector<Tensor> tensors;
  for (std::size_t t = 0; t < network.tensors.size(); ++t)
    if (needed[t]) {
      renamed[t] = static_cast<TensorId>(tensors.size());
      tensors.push_back(std::move(network.tensors[t]));
    }
  network.tensors = std::move(tensors);
  const auto rename = [&](TensorId& id) { id = renamed[static_cast<std::size_t>(id)]; };
  for (Node& node : network.nodes) {
    std::for_each(node.inputs.begin(), node.inputs.end(), rename);
    rename(node.output);
  }
  std::for_each(network.inputs.begin(), network.inputs.end(), rename);
  std::for_each(network.outputs.begin(), network.outputs.end(), rename);
  return network;
}

std::int64_t multiplyAccumulates(const Network& network) {
  std::int64_t total = 0;
  for (const Node& node : network.nodes)
    total += multiplyAccumulates(network, node);
  return total;
}

std::int64_t parameterCount(const Network& network) {
  std::int64_t total = 0;
  for (const Tensor& tensor : network.tensors)
    if (tensor.learnable) total += elementCount(tensor.shape);
  return total;
}

std::string print(const Network& network) {
  std::string text;
  for (const Node& node : network.nodes) {
    std::vector<std::string> inputs;
    for (const TensorId input : node.inputs)
      inputs.push_back(network.tensor(input).name);
    const Tensor& output = network.outputOf(node);
    text +=
        fmt::format("{} = {}({}) {} [{}]\n", output.name, name(node.kind), fmt::join(inputs, ", "),
                    toString(output.type), fmt::join(output.shape, ", "));
  }
  return text;
}

} // namespace nestwright
