#include "core/learn/onnx/onnx_graph.h"

#include "core/support/version.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cctype>

namespace nestwright {

namespace {

// What the oldest of today's libraries read, and what has all that is needed.
constexpr int kContainer = 7, kOpset = 13;

void setType(onnx::ValueInfoProto& value, const std::string& name, int elementType,
             const std::vector<std::string>& extents) {
  value.set_name(name);
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(elementType);
  auto& shape = *type.mutable_shape();
  for (const std::string& extent : extents)
    if (std::ranges::all_of(extent, [](unsigned char c) { return std::isdigit(c) != 0; }))
      shape.add_dim()->set_dim_value(std::stoll(extent));
    else
      shape.add_dim()->set_dim_param(extent);
}

} // namespace

struct OnnxGraph::Model {
  onnx::ModelProto proto;
  std::map<std::vector<std::int64_t>, std::string> lists;
  std::map<std::int64_t, std::string> numbers;
  int names = 0;

  onnx::GraphProto& graph() { return *proto.mutable_graph(); }
  std::string fresh(const std::string& word) { return fmt::format("{}_{}", word, names++); }
  onnx::TensorProto& tensor(const std::string& name, int type) {
    onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    return tensor;
  }
};

OnnxGraph::OnnxGraph() : model_(std::make_unique<Model>()) {
  model_->proto.set_ir_version(kContainer);
  model_->proto.set_producer_name("nestwright");
  model_->proto.set_producer_version(version());
  model_->proto.add_opset_import()->set_version(kOpset);
  model_->graph().set_name("cost_model");
}

OnnxGraph::~OnnxGraph() = default;

std::string OnnxGraph::input(const std::string& name, const std::vector<std::string>& extents,
                             bool floats) {
  setType(*model_->graph().add_input(), name, floats ? kFloat : kInt64, extents);
  return name;
}

std::string OnnxGraph::constant(const std::string& name, const std::vector<std::int64_t>& extents,
                                std::span<const float> values) {
  onnx::TensorProto& tensor = model_->tensor(name, kFloat);
  for (const std::int64_t extent : extents)
    tensor.add_dims(extent);
  tensor.set_raw_data(values.data(), values.size_bytes());
  return name;
}

std::string OnnxGraph::integers(const std::vector<std::int64_t>& values) {
  std::string& name = model_->lists[values];
  if (!name.empty()) return name;
  name = model_->fresh("integers");
  onnx::TensorProto& tensor = model_->tensor(name, kInt64);
  tensor.add_dims(static_cast<std::int64_t>(values.size()));
  tensor.mutable_int64_data()->Assign(values.begin(), values.end());
  return name;
}

std::string OnnxGraph::integer(std::int64_t value) {
  std::string& name = model_->numbers[value];
  if (!name.empty()) return name;
  name = model_->fresh("integer");
  model_->tensor(name, kInt64).add_int64_data(value);
  return name;
}

std::string OnnxGraph::node(const std::string& op, const std::vector<std::string>& operands,
                            const Attributes& attributes) {
  return nodes(op, operands, 1, attributes).front();
}

std::vector<std::string> OnnxGraph::nodes(const std::string& op,
                                          const std::vector<std::string>& operands,
                                          std::size_t outputs, const Attributes& attributes) {
  onnx::NodeProto& node = *model_->graph().add_node();
  node.set_op_type(op);
  node.set_name(model_->fresh(op));
  for (const std::string& operand : operands)
    node.add_input(operand);
  std::vector<std::string> results;
  for (std::size_t i = 0; i < outputs; ++i) {
    results.push_back(fmt::format("{}.{}", node.name(), i));
    node.add_output(results.back());
  }
  for (const auto& [name, value] : attributes) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      attribute.set_type(onnx::AttributeProto::INT);
      attribute.set_i(*number);
    } else {
      attribute.set_type(onnx::AttributeProto::INTS);
      for (const std::int64_t number : std::get<1>(value))
        attribute.add_ints(number);
    }
  }
  return results;
}

void OnnxGraph::output(const std::string& name, const std::string& value,
                       const std::vector<std::string>& extents) {
  onnx::NodeProto& node = *model_->graph().add_node();
  node.set_op_type("Identity");
  node.set_name(name);
  node.add_input(value);
  node.add_output(name);
  setType(*model_->graph().add_output(), name, kFloat, extents);
}

void OnnxGraph::describe(const std::string& text) {
  model_->proto.set_doc_string(text);
}

void OnnxGraph::property(const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *model_->proto.add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

std::string OnnxGraph::bytes() const {
  return model_->proto.SerializeAsString();
}

} // namespace nestwright
