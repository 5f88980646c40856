#include "core/network/onnx/known_shapes.h"

#include "core/network/graph/graph.h"
#include "core/network/onnx/model_form.h"
#include "core/network/onnx/node_table.h"
#include "core/network/onnx/onnx_context.h"
#include "core/network/onnx/onnx_import.h"
#include "core/support/error.h"

#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <set>

namespace nestwright::onnx_import {

namespace {

/// More elements than shapes, starts of slices and factors of a resizing have.
constexpr double kMostElements = 4096;

bool isSmall(const onnx::TensorProto& tensor) {
  double elements = 1;
  for (const std::int64_t extent : tensor.dims())
    elements *= static_cast<double>(extent);
  return elements <= kMostElements;
}

bool isSmall(const onnx::ValueInfoProto& value) {
  double elements = 1;
  for (const auto& extent : value.type().tensor_type().shape().dim())
    elements *= static_cast<double>(extent.dim_value());
  return elements <= kMostElements;
}

void inferByRules(onnx::ModelProto& model) {
  try {
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                       {/*check types*/ false, /*strict*/ 0, /*values*/ true});
  } catch (const onnx::InferenceError& error) {
    throw InputError(fmt::format("this is no valid ONNX model: {}", error.what()));
  }
}

/// The model for asking about shapes: without the values that none depends on.
onnx::ModelProto withoutWeights(const onnx::ModelProto& model) {
  onnx::ModelProto light = model;
  for (onnx::TensorProto& tensor : *light.mutable_graph()->mutable_initializer())
    if (!isSmall(tensor)) {
      tensor.clear_raw_data();
      tensor.clear_float_data();
      tensor.clear_int32_data();
      tensor.clear_int64_data();
      tensor.clear_double_data();
      tensor.clear_uint64_data();
    }
  return light;
}

/// The value of a result as a file stores it; nothing for element types that shapes are not made
/// of.
std::optional<onnx::TensorProto> storedResult(const onnx::ValueInfoProto& type,
                                              const Constant& value) {
  const ArrayPtr array = value.materialise();
  onnx::TensorProto tensor;
  tensor.set_name(type.name());
  tensor.set_data_type(type.type().tensor_type().elem_type());
  for (const std::int64_t extent : array->shape)
    tensor.add_dims(extent);
  switch (tensor.data_type()) {
  case onnx::TensorProto::FLOAT:
    tensor.mutable_float_data()->Add(array->floats().begin(), array->floats().end());
    return tensor;
  case onnx::TensorProto::INT64:
    tensor.mutable_int64_data()->Add(array->ints().begin(), array->ints().end());
    return tensor;
  case onnx::TensorProto::INT32:
  case onnx::TensorProto::BOOL:
    for (const std::int64_t one : array->ints())
      tensor.add_int32_data(static_cast<std::int32_t>(one));
    return tensor;
  default:
    return std::nullopt;
  }
}

/// Computes what follows from constants, node by node, as its types become known.
class ConstantFolder {
 public:
  explicit ConstantFolder(onnx::ModelProto model) : model_(std::move(model)) {}

  /// Puts values in the place of the nodes that it can compute; whether there were any.
  bool fold() {
    const NodeTable nodes(model_.graph());
    std::vector<onnx::TensorProto> values;
    std::set<std::string> folded;
    for (std::size_t n = 0; n < nodes.count(); ++n)
      if (std::vector<onnx::TensorProto> results = valuesOf(nodes, n); !results.empty()) {
        folded.insert(nodes.node(n).output(0));
        std::ranges::move(results, std::back_inserter(values));
      }
    for (onnx::TensorProto& value : values)
      *model_.mutable_graph()->add_initializer() = std::move(value);
    removeIf(*model_.mutable_graph()->mutable_node(), [&](const onnx::NodeProto& node) {
      return node.output_size() > 0 && folded.contains(node.output(0));
    });
    return !folded.empty();
  }

  onnx::ModelProto& model() { return model_; }

 private:
  /// Of all its results, or nothing.
  std::vector<onnx::TensorProto> valuesOf(const NodeTable& nodes, std::size_t n) {
    if (isKnownShape(nodes, n)) return {knownShape(nodes, n)};
    const onnx::NodeProto& node = nodes.node(n);
    const auto isKnownSmall = [&](const std::string& output) {
      const onnx::ValueInfoProto* const type = nodes.type(output);
      return type && isSmall(*type);
    };
    const auto isThere = [&](const std::string& read) {
      const onnx::TensorProto* const stored = nodes.stored(read);
      return stored && isSmall(*stored);
    };
    if (!importerOf(node) || node.output_size() == 0 || refused_.contains(node.output(0)) ||
        !std::ranges::all_of(nodes.reads(n), isThere) ||
        !std::ranges::all_of(node.output(), isKnownSmall))
      return {};
    std::vector<onnx::TensorProto> values = computed(nodes, n);
    if (values.empty()) refused_.insert(node.output(0));
    return values;
  }

  std::vector<onnx::TensorProto> computed(const NodeTable& nodes, std::size_t n) const {
    onnx::ModelProto one;
    one.set_ir_version(model_.ir_version());
    *one.mutable_opset_import() = model_.opset_import();
    one.mutable_graph()->set_name("constant");
    for (const std::string& read : nodes.reads(n))
      *one.mutable_graph()->add_initializer() = *nodes.stored(read);
    *one.mutable_graph()->add_node() = nodes.node(n);
    for (const std::string& output : nodes.node(n).output())
      *one.mutable_graph()->add_output() = *nodes.type(output);
    std::vector<onnx::TensorProto> values;
    try {
      const Network network = importOnnxBytes(one.SerializeAsString(), "constant");
      for (std::size_t i = 0; i < network.outputs.size(); ++i) {
        const Constant& constant = network.tensor(network.outputs[i]).constant;
        if (!constant) return {};
        std::optional<onnx::TensorProto> value =
            storedResult(one.graph().output(static_cast<int>(i)), constant);
        if (!value) return {};
        values.push_back(std::move(*value));
      }
    } catch (const InputError&) {
      return {}; // it stays a node, and is refused by name where it is to be imported
    }
    return values;
  }

  onnx::ModelProto model_;
  std::set<std::string> refused_; // by first result
};

} // namespace

void inferShapes(onnx::ModelProto& model) {
  ConstantFolder folder(withoutWeights(model));
  do
    inferByRules(folder.model());
  while (folder.fold());
  model.mutable_graph()->mutable_value_info()->Swap(
      folder.model().mutable_graph()->mutable_value_info());
  model.mutable_graph()->mutable_output()->Swap(folder.model().mutable_graph()->mutable_output());
}

} // namespace nestwright::onnx_import
