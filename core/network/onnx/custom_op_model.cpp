#include "core/network/onnx/custom_op_model.h"

#include "core/network/onnx/model_form.h"
#include "core/network/onnx/onnx_context.h"
#include "core/network/onnx/operator_call.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/version.h"

#include <set>

namespace nestwright {

namespace {

// What ONNX Runtime 1.16, the oldest that calls such operators, reads, and what has casts of all
// types.
constexpr int kContainerVersion = 8, kCastOpset = 13;

onnx::NodeProto castNode(const std::string& from, const std::string& to, int type) {
  onnx::NodeProto node;
  node.set_op_type("Cast");
  node.add_input(from);
  node.add_output(to);
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("to");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(type);
  return node;
}

class ModelWriter {
 public:
  explicit ModelWriter(const onnx::ModelProto& old) {
    model_.set_ir_version(kContainerVersion);
    model_.set_producer_name("nestwright");
    model_.set_producer_version(version());
    model_.set_domain(old.domain());
    model_.set_model_version(old.model_version());
    model_.set_doc_string(old.doc_string());
    *model_.mutable_metadata_props() = old.metadata_props();
    model_.add_opset_import()->set_version(kCastOpset);
    graph().set_name(old.graph().name().empty() ? "graph" : old.graph().name());
  }

  std::string write(const Values& inputs, const Values& outputs, const CustomOp& op) {
    for (int i = 0; i < inputs.size(); ++i)
      *graph().add_input() = shaped(inputs[i], op.inputs[static_cast<std::size_t>(i)].shape);
    for (int i = 0; i < outputs.size(); ++i)
      *graph().add_output() = shaped(outputs[i], op.outputs[static_cast<std::size_t>(i)].shape);
    addCall(model_, op, inputs, outputs);
    return model_.SerializeAsString();
  }

 private:
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  static onnx::ValueInfoProto shaped(onnx::ValueInfoProto value, const Shape& shape) {
    auto& extents = *value.mutable_type()->mutable_tensor_type()->mutable_shape();
    extents.clear_dim();
    for (const std::int64_t extent : shape)
      extents.add_dim()->set_dim_value(extent);
    return value;
  }

  onnx::ModelProto model_;
};

} // namespace

void addCall(onnx::ModelProto& model, const CustomOp& op, const Values& inputs,
             const Values& outputs) {
  auto& opset = *model.add_opset_import();
  opset.set_domain(op.domain);
  opset.set_version(1);
  onnx::GraphProto& graph = *model.mutable_graph();
  const auto castName = [&](const std::string& tensor) {
    return fmt::format("{}/{}_cast", tensor, op.name);
  };
  onnx::NodeProto node;
  node.set_name(op.name);
  node.set_op_type(op.name);
  node.set_domain(op.domain);
  for (int i = 0; i < inputs.size(); ++i) {
    const std::string& name = inputs[i].name();
    const int type = onnxElementType(op.inputs[static_cast<std::size_t>(i)].type);
    const bool isCast = inputs[i].type().tensor_type().elem_type() != type;
    if (isCast) *graph.add_node() = castNode(name, castName(name), type);
    node.add_input(isCast ? castName(name) : name);
  }
  std::vector<onnx::NodeProto> after;
  for (int i = 0; i < outputs.size(); ++i) {
    const std::string& name = outputs[i].name();
    const int type = outputs[i].type().tensor_type().elem_type();
    const bool isCast = type != onnxElementType(op.outputs[static_cast<std::size_t>(i)].type);
    if (isCast) after.push_back(castNode(castName(name), name, type));
    node.add_output(isCast ? castName(name) : name);
  }
  *graph.add_node() = std::move(node);
  for (onnx::NodeProto& cast : after)
    *graph.add_node() = std::move(cast);
}

void requireInterface(const std::filesystem::path& file, const CustomOp& op, const Values& inputs,
                      const Values& outputs) {
  if (static_cast<std::size_t>(inputs.size()) != op.inputs.size() ||
      static_cast<std::size_t>(outputs.size()) != op.outputs.size())
    throw InputError(fmt::format("'{}' has {} and {}, and {} has {} and {}: the "
                                 "file was changed meanwhile",
                                 file.string(), quantity(inputs.size(), "input"),
                                 quantity(outputs.size(), "output"), op.name, op.inputs.size(),
                                 op.outputs.size()));
}

Values openInputs(const onnx::GraphProto& graph) {
  const std::set<std::string> stored = onnx_import::storedNames(graph);
  Values inputs;
  for (const onnx::ValueInfoProto& input : graph.input())
    if (!stored.contains(input.name())) *inputs.Add() = input;
  return inputs;
}

std::string customOpModel(const std::filesystem::path& file, const CustomOp& op) {
  const onnx::ModelProto old = onnx_import::readModel(file);
  const Values inputs = openInputs(old.graph());
  const Values& outputs = old.graph().output();
  requireInterface(file, op, inputs, outputs);
  return ModelWriter(old).write(inputs, outputs, op);
}

int onnxElementType(DataType type) {
  using onnx::TensorProto;
  static const std::vector<std::pair<DataType, int>> kTypes = {
      {kFloat32, TensorProto::FLOAT},
      {kFloat64, TensorProto::DOUBLE},
      {kFloat16, TensorProto::FLOAT16},
      {kBFloat16, TensorProto::BFLOAT16},
      {kInt32, TensorProto::INT32},
      {kInt64, TensorProto::INT64},
      {kInt8, TensorProto::INT8},
      {kUInt8, TensorProto::UINT8},
      {kUInt32, TensorProto::UINT32},
      {kBool, TensorProto::BOOL},
      {DataType{DataType::Code::Int, 16, 1}, TensorProto::INT16},
      {DataType{DataType::Code::UInt, 16, 1}, TensorProto::UINT16}};
  for (const auto& [ours, theirs] : kTypes)
    if (ours == type) return theirs;
  throw InputError(fmt::format("ONNX has no element type {}", toString(type)));
}

} // namespace nestwright
