#include "core/network/onnx/calling_model.h"

#include "core/network/onnx/model_form.h"
#include "core/network/onnx/onnx_context.h"
#include "core/network/onnx/operator_call.h"
#include "core/network/onnx/subgraph_origin.h"
#include "core/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

using Names = std::set<std::string>;

SubgraphOrigin requiredOrigin(const std::filesystem::path& file, const onnx::ModelProto& model) {
  std::optional<SubgraphOrigin> origin = originOf(model);
  if (!origin) throw InputError(fmt::format("'{}' is no subgraph of another model", file.string()));
  return std::move(*origin);
}

/// The model as it was when its subgraphs were cut out.
onnx::ModelProto readWhole(const SubgraphOrigin& origin) {
  onnx::ModelProto whole = onnx_import::readModel(origin.whole);
  if (contentHash(whole) != origin.hash)
    throw InputError(fmt::format("'{}' was changed since its subgraphs were cut out; cut them out "
                                 "again (nestwright subgraphs)",
                                 origin.whole.string()));
  onnx_import::bindDimensions(whole, {origin.dimensions, {}}, origin.whole.string());
  return whole;
}

template <class Protos, class Predicate>
void removeIf(Protos& protos, const Predicate& predicate) {
  const auto end = std::remove_if(protos.begin(), protos.end(), predicate);
  protos.DeleteSubrange(static_cast<int>(end - protos.begin()),
                        static_cast<int>(protos.end() - end));
}

/// The nodes that made one of the tensors.
void removeMakers(onnx::GraphProto& graph, const Names& tensors) {
  removeIf(*graph.mutable_node(), [&](const onnx::NodeProto& node) {
    return std::ranges::any_of(node.output(),
                               [&](const std::string& name) { return tensors.contains(name); });
  });
}

/// Nodes and weights that no output needs. The nodes are in order.
void removeUnneeded(onnx::GraphProto& graph) {
  Names needed;
  for (const onnx::ValueInfoProto& output : graph.output())
    needed.insert(output.name());
  std::set<const onnx::NodeProto*> dead;
  for (int n = graph.node_size(); n-- > 0;) {
    const onnx::NodeProto& node = graph.node(n);
    if (std::ranges::none_of(node.output(),
                             [&](const std::string& name) { return needed.contains(name); }))
      dead.insert(&node);
    else
      for (const std::string& read : onnx_import::readsOf(node))
        needed.insert(read);
  }
  Names weights; // that go
  for (const onnx::TensorProto& tensor : graph.initializer())
    if (!needed.contains(tensor.name())) weights.insert(tensor.name());
  google::protobuf::RepeatedPtrField<onnx::NodeProto> kept;
  for (onnx::NodeProto& node : *graph.mutable_node())
    if (!dead.contains(&node)) kept.Add()->Swap(&node);
  graph.mutable_node()->Swap(&kept);
  const auto goes = [&](const auto& named) { return weights.contains(named.name()); };
  removeIf(*graph.mutable_initializer(), goes);
  removeIf(*graph.mutable_input(), goes); // older files list weights there, too
}

/// Shapes of outputs for the values of the dimensions.
void bindOutputs(onnx::GraphProto& graph, const std::map<std::string, std::int64_t>& dimensions) {
  for (onnx::ValueInfoProto& output : *graph.mutable_output()) {
    if (!output.type().has_tensor_type()) continue;
    for (auto& extent :
         *output.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
      if (const auto value = dimensions.find(extent.dim_param()); value != dimensions.end())
        extent.set_dim_value(value->second);
  }
}

} // namespace

bool isSubgraph(const std::filesystem::path& file) {
  return originOf(onnx_import::readModel(file)).has_value();
}

bool areOfOneModel(const std::filesystem::path& one, const std::filesystem::path& other) {
  const auto origin = originOf(onnx_import::readModel(one));
  return origin && origin == originOf(onnx_import::readModel(other));
}

void requireWhole(const std::filesystem::path& file) {
  if (const auto origin = originOf(onnx_import::readModel(file))) readWhole(*origin);
}

std::string callingModel(const std::vector<SubgraphCall>& calls) {
  NW_ASSERT(!calls.empty(), "there is a subgraph");
  std::optional<SubgraphOrigin> origin;
  onnx::ModelProto whole;
  Names made;
  for (const SubgraphCall& call : calls) {
    const onnx::ModelProto subgraph = onnx_import::readModel(call.subgraph);
    const SubgraphOrigin own = requiredOrigin(call.subgraph, subgraph);
    if (!origin) whole = readWhole(own);
    if (origin && own != *origin)
      throw InputError(fmt::format("'{}' is a subgraph of another model than '{}'",
                                   call.subgraph.string(), calls.front().subgraph.string()));
    origin = own;
    const Values inputs = openInputs(subgraph.graph()), &outputs = subgraph.graph().output();
    requireInterface(call.subgraph, call.op, inputs, outputs);
    Names results;
    for (const onnx::ValueInfoProto& output : outputs)
      if (results.insert(output.name()); !made.insert(output.name()).second)
        throw InputError(fmt::format("'{}' and another subgraph both make '{}'; each can be in a "
                                     "model once",
                                     call.subgraph.string(), output.name()));
    removeMakers(*whole.mutable_graph(), results);
    addCall(whole, call.op, inputs, outputs);
  }
  onnx::GraphProto& graph = *whole.mutable_graph();
  graph.clear_value_info(); // for other values of dimensions, and of tensors that are gone
  bindOutputs(graph, origin->dimensions);
  onnx_import::sortNodes(graph);
  removeUnneeded(graph);
  if (whole.ByteSizeLong() > std::numeric_limits<std::int32_t>::max())
    throw InputError(
        fmt::format("what is left of '{}' is larger than 2 GiB with its weights, which "
                    "an ONNX file cannot be",
                    origin->whole.string()));
  return whole.SerializeAsString();
}

} // namespace nestwright
