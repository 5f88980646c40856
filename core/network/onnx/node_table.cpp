#include "core/network/onnx/node_table.h"

#include "core/network/onnx/onnx_context.h"

namespace nestwright::onnx_import {

namespace {

bool isStatic(const onnx::ValueInfoProto& value) {
  if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return false;
  const auto& extents = value.type().tensor_type().shape().dim();
  return value.type().tensor_type().elem_type() != onnx::TensorProto::UNDEFINED &&
         std::ranges::all_of(extents, [](const auto& extent) {
           return extent.has_dim_value() && extent.dim_value() >= 0;
         });
}

template <class T>
const T* at(const std::map<std::string, const T*>& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : found->second;
}

} // namespace

NodeTable::NodeTable(const onnx::GraphProto& graph) : graph_(graph) {
  for (const onnx::TensorProto& tensor : graph.initializer())
    stored_.emplace(tensor.name(), &tensor);
  for (const auto* values : {&graph.input(), &graph.value_info(), &graph.output()})
    for (const onnx::ValueInfoProto& value : *values)
      if (isStatic(value)) types_.emplace(value.name(), &value);
  for (const onnx::ValueInfoProto& output : graph.output())
    results_.insert(output.name());
  reads_.reserve(count());
  for (std::size_t n = 0; n < count(); ++n) {
    reads_.push_back(readsOf(node(n)));
    for (const std::string& output : node(n).output())
      if (!output.empty()) makers_.emplace(output, n);
    for (const std::string& read : reads_.back())
      readers_[read].push_back(n);
  }
}

std::optional<std::size_t> NodeTable::maker(const std::string& tensor) const {
  const auto found = makers_.find(tensor);
  return found == makers_.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<std::size_t>& NodeTable::readers(const std::string& tensor) const {
  static const std::vector<std::size_t> kNone;
  const auto found = readers_.find(tensor);
  return found == readers_.end() ? kNone : found->second;
}

const onnx::TensorProto* NodeTable::stored(const std::string& tensor) const {
  return at(stored_, tensor);
}

const onnx::ValueInfoProto* NodeTable::type(const std::string& tensor) const {
  return at(types_, tensor);
}

bool isKnownShape(const NodeTable& nodes, std::size_t n) {
  const onnx::NodeProto& node = nodes.node(n);
  return isStandard(node) && node.op_type() == "Shape" && node.attribute_size() == 0 &&
         node.input_size() == 1 && nodes.type(node.input(0));
}

onnx::TensorProto knownShape(const NodeTable& nodes, std::size_t n) {
  const onnx::NodeProto& node = nodes.node(n);
  const auto& extents = nodes.type(node.input(0))->type().tensor_type().shape().dim();
  onnx::TensorProto shape;
  shape.set_name(node.output(0));
  shape.set_data_type(onnx::TensorProto::INT64);
  shape.add_dims(extents.size());
  for (const auto& extent : extents)
    shape.add_int64_data(extent.dim_value());
  return shape;
}

} // namespace nestwright::onnx_import
