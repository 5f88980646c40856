#include "core/network/onnx_reference/onnx_reference.h"

#include "core/network/graph/infer.h"
#include "core/network/onnx/model_form.h"
#include "core/network/onnx/newer_opsets.h"
#include "core/network/onnx/onnx_context.h"
#include "core/network/onnx_reference/reference_node.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <stdexcept>

namespace nestwright {

namespace {

using onnx_import::OperatorTables;
using onnx_reference::Operator;
using onnx_reference::ReferenceNode;

/// A tensor's elements and their type.
struct Value {
  ArrayPtr array;
  DataType type;
};
using Values = std::map<std::string, Value>;

const OperatorTables<Operator>& tables() {
  using namespace onnx_reference;
  static const OperatorTables<Operator> kTables = {
      &elementwiseOperators(), &activationOperators(),    &movementOperators(),
      &indexingOperators(),    &constantOperators(),      &reductionOperators(),
      &layerOperators(),       &normalisationOperators(), &poolingOperators(),
      &productOperators(),     &resizeOperators(),        &recurrentOperators(),
      &lossOperators(),        &quantisedOperators(),     &alongAxisOperators()};
  return kTables;
}

Operator findOperator(const onnx::NodeProto& node) {
  if (node.domain().empty() || node.domain() == "ai.onnx")
    if (const Operator found = onnx_import::functionOf(tables(), node.op_type())) return found;
  if (onnx_import::isOfRuntime(node))
    if (const auto found = onnx_reference::runtimeOperators().find(node.op_type());
        found != onnx_reference::runtimeOperators().end())
      return found->second;
  throw InputError(fmt::format("{}: the second opinion does not know this operator; compare with "
                               "--check, or with --expect and the exporter's outputs",
                               onnx_import::labelOf(node)));
}

/// Initializers and inputs by name.
Values given(const onnx::GraphProto& graph, const std::vector<Array>& inputs) {
  Values values;
  for (const onnx::TensorProto& tensor : graph.initializer())
    values[tensor.name()] = {onnx_import::readTensor(tensor).materialise(),
                             onnx_reference::elementTypeOf(tensor.data_type())};
  std::size_t next = 0;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (values.contains(input.name())) continue;
    if (next == inputs.size())
      throw InputError(fmt::format("there is no value for the input '{}'", input.name()));
    values[input.name()] = {std::make_shared<const Array>(inputs[next++]),
                            onnx_reference::elementTypeOf(input.type().tensor_type().elem_type())};
  }
  if (next != inputs.size())
    throw InputError(
        fmt::format("{} for a model that takes {}", quantity(std::ssize(inputs), "input"), next));
  return values;
}

const Value& lookUp(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end())
    throw InputError(fmt::format("the tensor '{}' is used but never made", name));
  return found->second;
}

/// Index of the last node that reads each tensor; outputs are read at the end.
std::map<std::string, int> lastReaders(const onnx::GraphProto& graph) {
  std::map<std::string, int> last;
  for (int n = 0; n < graph.node_size(); ++n)
    for (const std::string& input : graph.node(n).input())
      last[input] = n;
  for (const onnx::ValueInfoProto& output : graph.output())
    last[output.name()] = graph.node_size();
  return last;
}

/// Integers beyond their type keep its low bits.
Value valueOf(Array array, DataType type) {
  if (array.isFloat())
    return {std::make_shared<const Array>(std::move(array)), type.isHalf() ? type : kFloat32};
  if (!type.isInt() && !type.isBool()) type = kInt64;
  if (type.isInt() && type != kInt64)
    for (std::int64_t& x : std::get<std::vector<std::int64_t>>(array.data))
      x = onnx_reference::wrappedTo(type, x);
  return {std::make_shared<const Array>(std::move(array)), type};
}

void evaluate(const onnx::NodeProto& node, int opset, Values& values) {
  std::vector<ArrayPtr> inputs;
  std::vector<DataType> types;
  for (const std::string& input : node.input()) {
    const Value value = input.empty() ? Value{nullptr, kFloat32} : lookUp(values, input);
    inputs.push_back(value.array);
    types.push_back(value.type);
  }
  const ReferenceNode reference(node, opset, std::move(inputs), std::move(types));
  std::vector<Array> results;
  try {
    results = findOperator(node)(reference);
  } catch (const std::out_of_range&) {
    reference.fail("an operand or an attribute has fewer entries than the data asks for");
  } catch (const std::length_error&) {
    reference.fail("the result would have a negative extent, or more elements than memory holds");
  }
  for (std::size_t i = 0; i < results.size() && i < reference.outputCount(); ++i) {
    const std::string& name = node.output(static_cast<int>(i));
    const DataType type = i == 0 ? onnx_reference::resultType(reference) : kInt64;
    if (!name.empty()) values[name] = valueOf(std::move(results[i]), type);
  }
}

std::vector<Array> run(onnx::ModelProto& model, const std::vector<Array>& inputs) {
  onnx_import::toKnownOpset(model);
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx_import::sortNodes(graph);
  for (const onnx::NodeProto& node : graph.node())
    findOperator(node); // before the work, not after an hour
  const int opset = onnx_import::opsetOf(model);
  const std::map<std::string, int> last = lastReaders(graph);
  Values values = given(graph, inputs);
  for (int n = 0; n < graph.node_size(); ++n) {
    evaluate(graph.node(n), opset, values);
    for (const auto* names : {&graph.node(n).input(), &graph.node(n).output()})
      for (const std::string& name : *names)
        if (const auto found = last.find(name); found == last.end() || found->second == n)
          values.erase(name);
  }
  std::vector<Array> outputs;
  for (const onnx::ValueInfoProto& output : graph.output())
    outputs.push_back(*lookUp(values, output.name()).array);
  return outputs;
}

} // namespace

std::vector<Array> runOnnxReference(const std::filesystem::path& file,
                                    const std::vector<Array>& inputs) {
  onnx::ModelProto model = onnx_import::readModel(file);
  try {
    return run(model, inputs);
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': {}", file.string(), error.what()));
  } catch (const std::bad_alloc&) {
    throw InputError(
        fmt::format("'{}': the second opinion needs more memory than there is", file.string()));
  }
}

std::vector<std::string> onnxReferenceOperators() {
  return onnx_import::withWrittenOut(onnx_import::withRuntime(onnx_import::operatorsIn(tables()),
                                                              onnx_reference::runtimeOperators()));
}

} // namespace nestwright
