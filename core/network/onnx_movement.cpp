// ONNX operators that move elements or compute shapes.

#include "core/network/onnx_context.h"

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

Outputs reshapeTo(NodeImport& node, Shape shape) {
  return {node.folded(node.builder().reshape(node.input(0), std::move(shape), node.outputName()))};
}

Outputs importReshape(NodeImport& node) {
  Shape shape = node.has("shape") ? node.integers("shape") : node.constantInts(1);
  const Shape in = node.shape(0);
  std::int64_t known = 1;
  int open = -1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && node.integer("allowzero", 0) == 0) {
      if (d >= in.size())
        node.fail(fmt::format("the shape copies dimension {}, which the operand does not have", d));
      shape[d] = in[d];
    }
    if (shape[d] == -1) {
      if (open >= 0) node.fail("the shape leaves two dimensions open");
      open = static_cast<int>(d);
    } else {
      known *= shape[d];
    }
  }
  if (open >= 0) {
    if (known <= 0 || elementCount(in) % known != 0)
      node.fail(fmt::format("[{}] has not the elements of [{}]", fmt::join(shape, ", "),
                            fmt::join(in, ", ")));
    shape[static_cast<std::size_t>(open)] = elementCount(in) / known;
  }
  return reshapeTo(node, std::move(shape));
}

Outputs importFlatten(NodeImport& node) {
  const Shape in = node.shape(0);
  const std::int64_t given = node.integer("axis", 1);
  const auto rank = static_cast<std::int64_t>(in.size());
  if (given < -rank || given > rank)
    node.fail(fmt::format("the axis {} is out of range for {} dimensions", given, rank));
  const std::int64_t axis = given < 0 ? given + rank : given;
  return reshapeTo(node, {elementCount(Shape(in.begin(), in.begin() + axis)),
                          elementCount(Shape(in.begin() + axis, in.end()))});
}

Outputs importSqueeze(NodeImport& node) {
  const Shape in = node.shape(0);
  const auto axes = node.integersOrInput("axes", 1);
  std::vector<bool> drop(in.size(), false);
  if (axes) {
    for (const std::int64_t axis : *axes)
      drop[static_cast<std::size_t>(node.axis(axis, in.size()))] = true;
  } else {
    for (std::size_t d = 0; d < in.size(); ++d)
      drop[d] = in[d] == 1;
  }
  Shape shape;
  for (std::size_t d = 0; d < in.size(); ++d) {
    if (!drop[d])
      shape.push_back(in[d]);
    else if (in[d] != 1)
      node.fail(fmt::format("dimension {} has {} elements and cannot vanish", d, in[d]));
  }
  return reshapeTo(node, std::move(shape));
}

Outputs importUnsqueeze(NodeImport& node) {
  const auto axes = node.integersOrInput("axes", 1);
  if (!axes) node.fail("the axes are missing");
  const Shape in = node.shape(0);
  std::vector<bool> inserted(in.size() + axes->size(), false);
  for (const std::int64_t axis : *axes)
    inserted[static_cast<std::size_t>(node.axis(axis, inserted.size()))] = true;
  Shape shape;
  std::size_t next = 0;
  for (const bool one : inserted) {
    if (!one && next >= in.size()) node.fail("an axis is given twice");
    shape.push_back(one ? 1 : in[next++]);
  }
  return reshapeTo(node, std::move(shape));
}

Outputs importTranspose(NodeImport& node) {
  std::vector<int> permutation;
  if (node.has("perm"))
    for (const std::int64_t d : node.integers("perm"))
      permutation.push_back(node.axis(d, node.rank(0)));
  else
    for (std::size_t d = node.rank(0); d-- > 0;)
      permutation.push_back(static_cast<int>(d));
  return {node.folded(
      node.builder().transpose(node.input(0), std::move(permutation), node.outputName()))};
}

Outputs importConcat(NodeImport& node) {
  Outputs inputs;
  for (std::size_t i = 0; i < node.inputCount(); ++i)
    inputs.push_back(node.input(i));
  const int axis = node.axis(node.integer("axis", 1), node.rank(0));
  return {node.emit(OpKind::Concat, std::move(inputs), AxisAttributes{axis})};
}

/// The part of `x` from `start` with `extent` elements along one axis.
TensorId sliceAxis(NodeImport& node, TensorId x, int axis, std::int64_t start,
                   std::int64_t extent) {
  Shape shape = node.builder().tensor(x).shape;
  SliceAttributes slice{Shape(shape.size(), 0), Shape(shape.size(), 1)};
  slice.starts[static_cast<std::size_t>(axis)] = start;
  shape[static_cast<std::size_t>(axis)] = extent;
  return node.folded(node.builder().slice(x, slice, shape, node.outputName()));
}

Outputs importSlice(NodeImport& node) {
  const bool attributes = node.has("starts");
  const auto starts = attributes ? node.integers("starts") : node.constantInts(1);
  const auto ends = attributes ? node.integers("ends") : node.constantInts(2);
  const auto axes = node.integersOrInput("axes", 3);
  const auto steps =
      node.hasInput(4) ? node.constantInts(4) : std::vector<std::int64_t>(starts.size(), 1);
  if (starts.size() != ends.size() || steps.size() != starts.size() ||
      (axes ? axes->size() != starts.size() : starts.size() > node.rank(0)))
    node.fail("starts, ends, axes and steps differ in length");
  Shape shape = node.shape(0);
  SliceAttributes slice{Shape(shape.size(), 0), Shape(shape.size(), 1)};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto d =
        static_cast<std::size_t>(axes ? node.axis((*axes)[i], shape.size()) : static_cast<int>(i));
    const std::int64_t extent = shape[d], step = steps[i];
    if (step == 0) node.fail("a step of 0");
    const auto clamp = [&](std::int64_t at) {
      at += at < 0 ? extent : 0;
      return step > 0 ? std::clamp<std::int64_t>(at, 0, extent)
                      : std::clamp<std::int64_t>(at, -1, extent - 1);
    };
    const std::int64_t start = clamp(starts[i]);
    // The smallest number means "to the front" when going backwards.
    const std::int64_t end = step < 0 && ends[i] < -extent ? -1 : clamp(ends[i]);
    const std::int64_t distance = step > 0 ? end - start : start - end;
    slice.starts[d] = start;
    slice.steps[d] = step;
    shape[d] = distance <= 0 ? 0 : (distance + std::abs(step) - 1) / std::abs(step);
    if (shape[d] == 0) node.fail(fmt::format("nothing is left of axis {}", d));
  }
  return {node.folded(node.builder().slice(node.input(0), slice, shape, node.outputName()))};
}

Outputs importSplit(NodeImport& node) {
  const int axis = node.axis(node.integer("axis", 0), node.rank(0));
  const std::int64_t extent = node.shape(0)[static_cast<std::size_t>(axis)];
  const auto count = static_cast<std::int64_t>(node.outputCount());
  auto parts = node.integersOrInput("split", 1);
  if (!parts) {
    if (extent % count != 0)
      node.fail(fmt::format("{} elements do not split into {} equal parts", extent, count));
    parts = std::vector<std::int64_t>(node.outputCount(), extent / count);
  }
  Outputs outputs;
  std::int64_t start = 0;
  for (const std::int64_t part : *parts) {
    if (part < 1 || start + part > extent)
      node.fail(fmt::format("the parts do not fit {} elements", extent));
    outputs.push_back(sliceAxis(node, node.input(0), axis, start, part));
    start += part;
  }
  return outputs;
}

Outputs importGather(NodeImport& node) {
  const int axis = node.axis(node.integer("axis", 0), node.rank(0));
  NetworkBuilder& builder = node.builder();
  // A constant index is a slice; only looked-up indices need a gather.
  if (!builder.tensor(node.input(0)).constant && builder.tensor(node.input(1)).constant &&
      elementCount(node.shape(1)) == 1) {
    const std::int64_t extent = node.shape(0)[static_cast<std::size_t>(axis)];
    const std::int64_t index = node.constantInts(1)[0];
    if (index < -extent || index >= extent)
      node.fail(fmt::format("the index {} is out of range for {} elements", index, extent));
    const TensorId one =
        sliceAxis(node, node.input(0), axis, index < 0 ? index + extent : index, 1);
    Shape shape = node.shape(0);
    shape.erase(shape.begin() + axis);
    shape.insert(shape.begin() + axis, node.rank(1), 1);
    return {builder.reshape(one, shape, node.outputName())};
  }
  return {node.emit(OpKind::Gather, {node.input(0), node.input(1)}, AxisAttributes{axis})};
}

Outputs importExpand(NodeImport& node) {
  // The two shapes broadcast against each other: the given one may hold ones.
  Shape shape = node.constantInts(1);
  const Shape in = node.shape(0);
  if (shape.size() < in.size()) shape.insert(shape.begin(), in.size() - shape.size(), 1);
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::int64_t& to = shape[shape.size() - in.size() + i];
    if (to == 1)
      to = in[i];
    else if (in[i] != 1 && in[i] != to)
      node.fail(fmt::format("[{}] does not broadcast to [{}]", fmt::join(in, ", "),
                            fmt::join(shape, ", ")));
  }
  return {node.folded(node.builder().expand(node.input(0), shape, node.outputName()))};
}

Outputs importShape(NodeImport& node) {
  const Shape in = node.shape(0);
  const auto rank = static_cast<std::int64_t>(in.size());
  const auto place = [&](const char* name, std::int64_t absent) {
    const std::int64_t at = node.integer(name, absent);
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = place("start", 0), end = std::max(start, place("end", rank));
  Shape part(in.begin() + start, in.begin() + end);
  const Shape extent{static_cast<std::int64_t>(part.size())};
  return {node.builder().constant(node.outputName(), extent, intConstant(extent, part), kInt64)};
}

Outputs importConstant(NodeImport& node) {
  NetworkBuilder& to = node.builder();
  const std::string& name = node.outputName();
  if (const auto* value = node.attribute("value")) {
    const onnx::TensorProto& tensor = value->t();
    return {
        to.constant(name, shapeOf(tensor), readTensor(tensor), elementType(tensor.data_type()))};
  }
  if (const auto* value = node.attribute("value_int"))
    return {to.constant(name, {}, intConstant({}, {value->i()}), kInt64)};
  if (const auto* value = node.attribute("value_float"))
    return {to.constant(name, {}, floatConstant({}, {value->f()}))};
  if (node.has("value_ints")) {
    const Shape values = node.integers("value_ints");
    const Shape extent{static_cast<std::int64_t>(values.size())};
    return {to.constant(name, extent, intConstant(extent, values), kInt64)};
  }
  node.fail("only constants of numbers are supported");
}

Outputs importConstantOfShape(NodeImport& node) {
  const Shape shape = node.constantInts(0);
  const auto count = static_cast<std::size_t>(elementCount(shape));
  const auto* value = node.attribute("value");
  NetworkBuilder& to = node.builder();
  if (!value) return {to.constant(node.outputName(), shape, filledConstant(shape, 0))};
  const ArrayPtr element = readTensor(value->t()).materialise();
  if (element->isFloat())
    return {to.constant(node.outputName(), shape, filledConstant(shape, element->floats().at(0)))};
  return {to.constant(node.outputName(), shape,
                      intConstant(shape, std::vector<std::int64_t>(count, element->ints().at(0))),
                      elementType(value->t().data_type()))};
}

Outputs importRange(NodeImport& node) {
  const std::int64_t start = node.constantInts(0).at(0), limit = node.constantInts(1).at(0),
                     step = node.constantInts(2).at(0);
  if (step == 0) node.fail("a step of 0");
  Shape values;
  for (std::int64_t at = start; step > 0 ? at < limit : at > limit; at += step)
    values.push_back(at);
  const Shape extent{static_cast<std::int64_t>(values.size())};
  return {node.builder().constant(node.outputName(), extent, intConstant(extent, values), kInt64)};
}

} // namespace

const std::map<std::string, Importer>& movementImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"Reshape", importReshape},     {"Flatten", importFlatten},
      {"Squeeze", importSqueeze},     {"Unsqueeze", importUnsqueeze},
      {"Transpose", importTranspose}, {"Concat", importConcat},
      {"Slice", importSlice},         {"Split", importSplit},
      {"Gather", importGather},       {"Expand", importExpand},
      {"Shape", importShape},         {"Constant", importConstant},
      {"Range", importRange},         {"ConstantOfShape", importConstantOfShape},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
