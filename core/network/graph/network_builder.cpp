#include "core/network/graph/network_builder.h"

#include "core/network/graph/infer.h"
#include "core/support/units.h"

namespace nestwright {

NetworkBuilder::NetworkBuilder(std::string name, std::map<std::string, std::int64_t> parameters) {
  network_.name = std::move(name);
  network_.source = network_.name;
  network_.parameters = std::move(parameters);
}

NetworkBuilder::NetworkBuilder(const Network& from)
    : from_(&from), mapping_(from.tensors.size(), -1) {
  network_.name = from.name;
  network_.source = from.source;
  network_.parameters = from.parameters;
  for (const TensorId id : from.inputs) {
    const Tensor& tensor = from.tensor(id);
    map(id, input(tensor.name, tensor.shape, tensor.type));
  }
}

namespace {

/// Also of what is empty: a part of its extents must not overflow either.
void requireShape(const std::string& name, const Shape& shape) {
  if (shape.size() > kMaxDimensions)
    throw InputError(fmt::format("{} would have {} dimensions; up to {} are supported", name,
                                 shape.size(), kMaxDimensions));
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    const std::int64_t factor = std::max<std::int64_t>(extent, 1);
    if (extent < 0 || elements > kMaxElements / factor)
      throw InputError(fmt::format("{} cannot have the shape {}", name, shapeText(shape)));
    elements *= factor;
  }
}

} // namespace

void NetworkBuilder::requireRoom(const Shape& shape, DataType type) const {
  requireShape("a constant", shape);
  const std::int64_t bytes = arrayBytes(shape, type.isFloat());
  if (bytes > constantLimit_ - constantBytes_)
    throw InputError(fmt::format(
        "the constant {} of {} bytes is too much: with those before it would be {} bytes, and the "
        "constants of this model may take {} ({}); compute it outside of the model and make it an "
        "input",
        shapeText(shape), bytes, constantBytes_ + bytes, constantLimit_,
        formatBytes(static_cast<double>(constantLimit_))));
}

void NetworkBuilder::takeRoom(const Shape& shape, DataType type) {
  requireRoom(shape, type);
  constantBytes_ += arrayBytes(shape, type.isFloat());
}

TensorId NetworkBuilder::addTensor(Tensor tensor) {
  requireShape(fmt::format("the tensor '{}'", tensor.name), tensor.shape);
  network_.tensors.push_back(std::move(tensor));
  producers_.push_back(-1);
  return static_cast<TensorId>(network_.tensors.size()) - 1;
}

TensorId NetworkBuilder::input(std::string name, Shape shape, DataType type) {
  const TensorId id = addTensor({std::move(name), std::move(shape), type, {}, false});
  network_.inputs.push_back(id);
  return id;
}

TensorId NetworkBuilder::constant(std::string name, Shape shape, Constant value, DataType type,
                                  bool learnable) {
  requireShape(fmt::format("the tensor '{}'", name), shape);
  takeRoom(shape, type);
  return addTensor({std::move(name), std::move(shape), type, std::move(value), learnable});
}

TensorId NetworkBuilder::scalar(float value) {
  return constant(fmt::format("{}", value), {}, floatConstant({}, {value}));
}

TensorId NetworkBuilder::addNode(OpKind kind, std::vector<TensorId> inputs, Attributes attributes,
                                 std::string name, Shape shape, DataType type) {
  if (name.empty()) name = fmt::format("{}_{}", nestwright::name(kind), network_.nodes.size());
  const TensorId output = addTensor({name, std::move(shape), type, {}, false});
  producers_.back() = static_cast<int>(network_.nodes.size());
  network_.nodes.push_back(
      {kind, std::move(name), std::move(inputs), output, std::move(attributes)});
  return output;
}

TensorId NetworkBuilder::node(OpKind kind, std::vector<TensorId> inputs, Attributes attributes,
                              std::string name) {
  std::vector<TensorType> types;
  for (const TensorId id : inputs)
    types.push_back({tensor(id).shape, tensor(id).type});
  TensorType result;
  try {
    result = inferOutput(kind, attributes, types);
  } catch (const InputError& error) {
    throw NodeError(name, kind, error.what());
  }
  return addNode(kind, std::move(inputs), std::move(attributes), std::move(name),
                 std::move(result.shape), result.type);
}

TensorId NetworkBuilder::reshape(TensorId x, Shape shape, std::string name) {
  if (elementCount(shape) != elementCount(tensor(x).shape))
    throw NodeError(
        name, OpKind::Reshape,
        fmt::format("{} has not the elements of {}", shapeText(shape), shapeText(tensor(x).shape)));
  if (shape == tensor(x).shape) return x;
  if (const Node* before = producer(x); before && before->kind == OpKind::Reshape)
    return reshape(before->inputs[0], std::move(shape), std::move(name));
  return addNode(OpKind::Reshape, {x}, {}, std::move(name), std::move(shape), tensor(x).type);
}

TensorId NetworkBuilder::expand(TensorId x, Shape shape, std::string name) {
  if (shape == tensor(x).shape) return x;
  return addNode(OpKind::Expand, {x}, {}, std::move(name), std::move(shape), tensor(x).type);
}

TensorId NetworkBuilder::cast(TensorId x, DataType type, std::string name) {
  if (type == tensor(x).type) return x;
  return addNode(OpKind::Cast, {x}, {}, std::move(name), tensor(x).shape, type);
}

TensorId NetworkBuilder::slice(TensorId x, SliceAttributes attributes, Shape shape,
                               std::string name) {
  if (shape == tensor(x).shape && attributes.steps == Shape(shape.size(), 1)) return x;
  return addNode(OpKind::Slice, {x}, std::move(attributes), std::move(name), std::move(shape),
                 tensor(x).type);
}

TensorId NetworkBuilder::transpose(TensorId x, std::vector<int> permutation, std::string name) {
  if (const Node* before = producer(x); before && before->kind == OpKind::Transpose) {
    for (int& d : permutation)
      d = before->as<TransposeAttributes>().permutation[static_cast<std::size_t>(d)];
    x = before->inputs[0];
  }
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  // Moving only dimensions of one element moves nothing.
  std::vector<int> large;
  for (const int d : permutation)
    if (tensor(x).shape[static_cast<std::size_t>(d)] != 1) large.push_back(d);
  if (std::is_sorted(large.begin(), large.end())) {
    Shape shape;
    for (const int d : permutation)
      shape.push_back(tensor(x).shape[static_cast<std::size_t>(d)]);
    return reshape(x, std::move(shape), std::move(name));
  }
  return node(OpKind::Transpose, {x}, TransposeAttributes{std::move(permutation)}, std::move(name));
}

TensorId NetworkBuilder::mapped(TensorId old) {
  TensorId& now = mapping_[static_cast<std::size_t>(old)];
  if (now < 0) {
    const Tensor& tensor = from_->tensor(old);
    NW_ASSERT(tensor.constant, "{} is read before it is made", tensor.name);
    now = addTensor(tensor);
  }
  return now;
}

void NetworkBuilder::map(TensorId old, TensorId now) {
  mapping_[static_cast<std::size_t>(old)] = now;
}

TensorId NetworkBuilder::copy(const Node& node) {
  std::vector<TensorId> inputs;
  for (const TensorId input : node.inputs)
    inputs.push_back(mapped(input));
  const Tensor& output = from_->outputOf(node);
  const TensorId now =
      addNode(node.kind, std::move(inputs), node.attributes, node.name, output.shape, output.type);
  network_.tensors.back().name = output.name;
  map(node.output, now);
  return now;
}

void NetworkBuilder::output(TensorId id) {
  network_.outputs.push_back(id);
}

const Node* NetworkBuilder::producer(TensorId id) const {
  const int index = producers_[static_cast<std::size_t>(id)];
  return index < 0 ? nullptr : &network_.nodes[static_cast<std::size_t>(index)];
}

Network NetworkBuilder::finish() {
  if (from_)
    for (const TensorId id : from_->outputs)
      output(mapped(id));
  return withoutDeadNodes(std::move(network_));
}

} // namespace nestwright
