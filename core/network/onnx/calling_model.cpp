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

using onnx_import::removeIf;
using onnx_import::storedNames;

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

bool makesOne(const onnx::NodeProto& node, const Names& tensors) {
  return std::ranges::any_of(node.output(),
                             [&](const std::string& name) { return tensors.contains(name); });
}

/// Nodes and weights that no output needs. The nodes are in order.
void removeUnneeded(onnx::GraphProto& graph) {
  Names needed;
  for (const onnx::ValueInfoProto& output : graph.output())
    needed.insert(output.name());
  for (int n = graph.node_size(); n-- > 0;)
    if (const onnx::NodeProto& node = graph.node(n); makesOne(node, needed))
      for (const std::string& read : onnx_import::readsOf(node))
        needed.insert(read);
  const Names stored = storedNames(graph);
  const auto isUnneededWeight = [&](const auto& named) {
    return stored.contains(named.name()) && !needed.contains(named.name());
  };
  removeIf(*graph.mutable_node(),
           [&](const onnx::NodeProto& node) { return !makesOne(node, needed); });
  removeIf(*graph.mutable_initializer(), isUnneededWeight);
  removeIf(*graph.mutable_input(), isUnneededWeight); // older files list weights there, too
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
    removeIf(*whole.mutable_graph()->mutable_node(),
             [&](const onnx::NodeProto& node) { return makesOne(node, results); });
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
