// ONNX operators that move elements.

#include "core/network/onnx/onnx_context.h"
#include "core/support/quantity.h"

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

Outputs reshapeTo(NodeImport& node, Shape shape) {
  return {node.emitReshape(node.input(0), std::move(shape))};
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
    } else if (shape[d] < 0 || shape[d] > kMaxElements / std::max<std::int64_t>(known, 1)) {
      node.fail(fmt::format("no tensor has the shape [{}]", fmt::join(shape, ", ")));
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
    node.fail(
        fmt::format("the axis {} is out of range for {}", given, quantity(rank, "dimension")));
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
  return {node.emitTranspose(node.input(0), std::move(permutation))};
}

Outputs importConcat(NodeImport& node) {
  Outputs inputs; // with elements: parts without any add nothing
  for (std::size_t i = 0; i < node.inputCount(); ++i)
    if (elementCount(node.shape(i)) > 0) inputs.push_back(node.input(i));
  if (inputs.empty()) inputs.push_back(node.input(0));
  if (inputs.size() == 1) return inputs;
  const int axis = node.axis(node.integer("axis", 1), node.rank(0));
  return {node.emit(OpKind::Concat, std::move(inputs), AxisAttributes{axis})};
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
    const std::int64_t extent = shape[d];
    if (steps[i] == 0) node.fail("a step of 0");
    // One that leads out of the data is enough; the largest numbers would overflow below.
    const std::int64_t step = std::clamp(steps[i], -extent - 1, extent + 1);
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
      node.fail(fmt::format("{} cannot be split into {} equal parts", quantity(extent, "element"),
                            count));
    parts = std::vector<std::int64_t>(node.outputCount(), extent / count);
  }
  Outputs outputs;
  std::int64_t start = 0;
  for (const std::int64_t part : *parts) {
    if (part < 0 || part > extent - start)
      node.fail(fmt::format("the parts do not fit {}", quantity(extent, "element")));
    outputs.push_back(node.emitSlice(node.input(0), axis, start, part));
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
      node.fail(
          fmt::format("the index {} is out of range for {}", index, quantity(extent, "element")));
    const TensorId one = node.emitSlice(node.input(0), axis, index < 0 ? index + extent : index, 1);
    Shape shape = node.shape(0);
    shape.erase(shape.begin() + axis);
    shape.insert(shape.begin() + axis, node.rank(1), 1);
    return {node.emitReshape(one, shape)};
  }
  return {node.emit(OpKind::Gather, {node.input(0), node.input(1)}, AxisAttributes{axis})};
}

Outputs importGatherElements(NodeImport& node) {
  const int axis = node.axis(node.integer("axis", 0), node.rank(0));
  return {node.emit(OpKind::GatherElements, {node.input(0), node.input(1)}, AxisAttributes{axis})};
}

/// Each index vector becomes a position in the data with its leading dimensions taken as one.
Outputs importGatherNd(NodeImport& node) {
  const Shape data = node.shape(0), indices = node.shape(1);
  const auto batch = static_cast<std::size_t>(node.integer("batch_dims", 0));
  const auto depth = static_cast<std::size_t>(indices.empty() ? 0 : indices.back());
  if (indices.empty() || batch >= indices.size() || batch + depth > data.size() || depth == 0)
    node.fail(fmt::format("indices [{}] do not fit data [{}]", fmt::join(indices, ", "),
                          fmt::join(data, ", ")));
  const auto split = data.begin() + static_cast<std::ptrdiff_t>(batch + depth);
  const Shape extents(split - static_cast<std::ptrdiff_t>(depth), split);
  TensorId place = placesOf(node, node.input(1), extents);
  const std::int64_t inner = elementCount(extents);
  const std::int64_t batches =
      elementCount(Shape(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(batch)));
  Shape result(indices.begin(), indices.end() - 1);
  if (batch > 0) {
    node.builder().requireRoom({batches}, kInt64);
    Shape offsets, shape(result.size(), 1);
    for (std::int64_t b = 0; b < batches; ++b)
      offsets.push_back(b * inner);
    std::copy_n(data.begin(), batch, shape.begin());
    place = node.emit(OpKind::Add, {place, node.constant(shape, offsets)});
  }
  Shape flat{batches * inner};
  flat.insert(flat.end(), split, data.end());
  return {
      node.emit(OpKind::Gather, {node.emitReshape(node.input(0), flat), place}, AxisAttributes{0})};
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

/// [a, b] repeated r and s times: [1, a, 1, b] expanded to [r, a, s, b].
Outputs importTile(NodeImport& node) {
  const Shape in = node.shape(0), repeats = node.constantInts(1);
  if (repeats.size() != in.size())
    node.fail(fmt::format("{} for {}", quantity(std::ssize(repeats), "repeat"),
                          quantity(std::ssize(in), "dimension")));
  Shape split, full, out;
  for (std::size_t d = 0; d < in.size(); ++d) {
    if (repeats[d] < 0 || repeats[d] > kMaxElements)
      node.fail(fmt::format("{} repeats", repeats[d]));
    split.insert(split.end(), {1, in[d]});
    full.insert(full.end(), {repeats[d], in[d]});
    out.push_back(repeats[d] * in[d]);
  }
  const TensorId apart = node.emitReshape(node.input(0), split);
  const TensorId repeated = node.folded(node.builder().expand(apart, full, node.outputName()));
  return {node.emitReshape(repeated, out)};
}

/// The data without what negative padding cuts off; such padding becomes 0.
TensorId cropped(NodeImport& node, PadAttributes& pad) {
  TensorId data = node.input(0);
  for (std::size_t d = 0; d < pad.before.size(); ++d) {
    const std::int64_t front = std::max<std::int64_t>(0, -pad.before[d]);
    const std::int64_t back = std::max<std::int64_t>(0, -pad.after[d]);
    const std::int64_t extent = node.shape(0)[d];
    if (front > extent || back > extent - front)
      node.fail(fmt::format("the negative padding leaves nothing of dimension {}", d));
    if (front + back > 0)
      data = node.emitSlice(data, static_cast<int>(d), front, extent - front - back);
    pad.before[d] = std::max<std::int64_t>(0, pad.before[d]);
    pad.after[d] = std::max<std::int64_t>(0, pad.after[d]);
  }
  return data;
}

Outputs importPad(NodeImport& node) {
  const std::vector<std::int64_t> pads =
      node.has("pads") ? node.integers("pads") : node.constantInts(1);
  const std::size_t rank = node.rank(0);
  if (pads.size() != 2 * rank)
    node.fail(fmt::format("{} for {}", quantity(std::ssize(pads), "padding"),
                          quantity(std::int64_t(rank), "dimension")));
  for (const std::int64_t one : pads)
    if (std::abs(one) > kMaxElements) node.fail(fmt::format("a padding of {}", one));
  PadAttributes pad;
  pad.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  pad.after.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  const std::string mode = node.text("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect")
    node.fail(fmt::format("the mode '{}' is not known", mode));
  pad.mode = mode == "edge"      ? PadAttributes::Mode::Edge
             : mode == "reflect" ? PadAttributes::Mode::Reflect
                                 : PadAttributes::Mode::Constant;
  pad.value = node.hasInput(2) ? node.constantReal(2) : node.real("value", 0);
  const TensorId data = cropped(node, pad);
  if (pad.before == Shape(rank, 0) && pad.after == pad.before) return {data};
  return {node.emit(OpKind::Pad, {data}, pad)};
}

/// Keeps what is on or above (or below) a diagonal of each matrix.
Outputs importTrilu(NodeImport& node) {
  const Shape in = node.shape(0);
  if (in.size() < 2) node.fail("the data is no matrix");
  const std::int64_t rows = in[in.size() - 2], columns = in.back();
  const std::int64_t diagonal = node.hasInput(1) ? node.constantInts(1).at(0) : 0;
  const bool upper = node.integer("upper", 1) != 0;
  if (rows * columns == 0) return {node.input(0)};
  node.builder().requireRoom({rows, columns}, kBool);
  std::vector<std::int64_t> keep;
  keep.reserve(static_cast<std::size_t>(rows * columns));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      keep.push_back(upper ? c - r >= diagonal : c - r <= diagonal);
  return {node.emit(OpKind::Where, {node.constant({rows, columns}, keep, kBool), node.input(0),
                                    node.number(0, node.type(0))})};
}

} // namespace

TensorId placesOf(NodeImport& node, TensorId raw, const Shape& extents) {
  const TensorId indices = node.emitCast(raw, kInt64);
  Shape strides(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 1;)
    strides[d - 1] = strides[d] * extents[d];
  const Shape row{static_cast<std::int64_t>(extents.size())};
  const TensorId wrapped = node.emit(OpKind::Add, {indices, node.constant(row, extents)});
  const TensorId below = node.emit(OpKind::Less, {indices, node.number(0, kInt64)});
  const TensorId parts =
      node.emit(OpKind::Mul,
                {node.emit(OpKind::Where, {below, wrapped, indices}), node.constant(row, strides)});
  const int last = static_cast<int>(node.builder().tensor(indices).shape.size()) - 1;
  return node.emit(OpKind::ReduceSum, {parts}, ReduceAttributes{{last}, false});
}

const std::map<std::string, Importer>& movementImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"Reshape", importReshape},     {"Flatten", importFlatten},
      {"Squeeze", importSqueeze},     {"Unsqueeze", importUnsqueeze},
      {"Transpose", importTranspose}, {"Concat", importConcat},
      {"Slice", importSlice},         {"Split", importSplit},
      {"Gather", importGather},       {"GatherElements", importGatherElements},
      {"GatherND", importGatherNd},   {"Expand", importExpand},
      {"Tile", importTile},           {"Pad", importPad},
      {"Trilu", importTrilu},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
