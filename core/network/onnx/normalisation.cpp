// ONNX operators that normalise: batch, layer and instance norms, softmax and its kin.

#include "core/network/onnx/onnx_context.h"

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

Outputs importBatchNorm(NodeImport& node) {
  if (node.integer("training_mode", 0) != 0)
    node.fail("training mode is not supported; export the model in evaluation mode");
  return {node.emit(OpKind::BatchNorm,
                    {node.input(0), node.input(1), node.input(2), node.input(3), node.input(4)},
                    BatchNormAttributes{node.real("epsilon", 1e-5)})};
}

TensorId filled(NodeImport& node, const Shape& shape, float value) {
  return node.builder().constant(node.outputName(), shape, filledConstant(shape, value));
}

/// (x - mean) * scale + shift over the last dimension.
TensorId layerNorm(NodeImport& node, TensorId x, TensorId scale, TensorId shift) {
  return node.emit(OpKind::LayerNorm, {x, scale, shift},
                   LayerNormAttributes{node.real("epsilon", 1e-5)});
}

/// The normalised dimensions become one. The optional outputs are the mean and 1 / sqrt(variance).
Outputs importLayerNorm(NodeImport& node) {
  const Shape in = node.shape(0);
  const auto axis = static_cast<std::size_t>(node.axis(node.integer("axis", -1), in.size()));
  Shape rows(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(axis));
  const Shape row{elementCount(Shape(in.begin() + static_cast<std::ptrdiff_t>(axis), in.end()))};
  rows.push_back(row[0]);
  const auto vector = [&](std::size_t i) {
    const Shape shape = node.shape(i);
    if (elementCount(shape) != row[0])
      node.fail(fmt::format("operand {} has the shape [{}], not that of the normalised axes", i,
                            fmt::join(shape, ", ")));
    return node.emitReshape(node.input(i), row);
  };
  const TensorId x = node.emitReshape(node.input(0), rows);
  const TensorId shift = node.hasInput(2) ? vector(2) : filled(node, row, 0);
  Outputs outputs{node.emitReshape(layerNorm(node, x, vector(1), shift), in)};
  if (node.outputCount() == 1) return outputs;
  Shape statistics = in;
  std::fill(statistics.begin() + static_cast<std::ptrdiff_t>(axis), statistics.end(), 1);
  const std::vector<int> last{static_cast<int>(axis)};
  const TensorId mean = meanOver(node, x, last);
  const TensorId centred = node.emit(OpKind::Sub, {x, mean});
  const TensorId variance = meanOver(node, node.emit(OpKind::Mul, {centred, centred}), last);
  const TensorId deviation = node.emit(
      OpKind::Sqrt, {node.emit(OpKind::Add, {variance, node.number(node.real("epsilon", 1e-5))})});
  outputs.push_back(node.emitReshape(mean, statistics));
  outputs.push_back(
      node.emitReshape(node.emit(OpKind::Div, {node.number(1), deviation}), statistics));
  return outputs;
}

/// Each channel of each element of the batch is a row that is normalised.
Outputs importInstanceNorm(NodeImport& node) {
  const Shape in = node.shape(0);
  if (in.size() < 3) node.fail("the data has no spatial axes");
  const std::int64_t area = elementCount(Shape(in.begin() + 2, in.end()));
  const TensorId rows = node.emitReshape(node.input(0), {in[0] * in[1], area});
  const TensorId normalised =
      layerNorm(node, rows, filled(node, {area}, 1), filled(node, {area}, 0));
  Shape channel(in.size() - 1, 1);
  channel[0] = in[1];
  const TensorId scaled = node.emit(
      OpKind::Mul, {node.emitReshape(normalised, in), node.emitReshape(node.input(1), channel)});
  return {node.emit(OpKind::Add, {scaled, node.emitReshape(node.input(2), channel)})};
}

/// (x - mean) / (standard deviation + 1e-9), as the standard writes it.
Outputs importMeanVarianceNorm(NodeImport& node) {
  std::vector<int> axes;
  const auto given = node.has("axes") ? node.integers("axes") : Shape{0, 2, 3};
  for (const std::int64_t axis : given)
    axes.push_back(node.axis(axis, node.rank(0)));
  std::sort(axes.begin(), axes.end());
  const TensorId centred =
      node.emit(OpKind::Sub, {node.input(0), meanOver(node, node.input(0), axes)});
  const TensorId variance = meanOver(node, node.emit(OpKind::Mul, {centred, centred}), axes);
  const TensorId deviation =
      node.emit(OpKind::Add, {node.emit(OpKind::Sqrt, {variance}), node.number(1e-9)});
  return {node.emit(OpKind::Div, {centred, deviation})};
}

/// x / (bias + alpha * mean of the squares of neighbouring channels) ^ beta. The mean is a pooling
/// over the channels as rows.
Outputs importLrn(NodeImport& node) {
  const Shape in = node.shape(0);
  const std::int64_t size = node.integer("size", 0);
  if (in.size() < 3 || size < 1) node.fail("the data has no spatial axes, or the size is 0");
  const TensorId square = node.emit(OpKind::Mul, {node.input(0), node.input(0)});
  const TensorId rows =
      node.emitReshape(square, {in[0], 1, in[1], elementCount(Shape(in.begin() + 2, in.end()))});
  PoolAttributes pool;
  pool.window = Window::square(2, 1, 1, 0);
  pool.window.kernel[0] = size;
  pool.window.padsBefore[0] = (size - 1) / 2;
  pool.window.padsAfter[0] = size / 2;
  pool.countPadding = true;
  const TensorId mean = node.emitReshape(node.emit(OpKind::AveragePool, {rows}, pool), in);
  const TensorId scaled = node.emit(OpKind::Mul, {mean, node.number(node.real("alpha", 1e-4))});
  const TensorId base = node.emit(OpKind::Add, {scaled, node.number(node.real("bias", 1))});
  const TensorId divisor = node.emit(OpKind::Pow, {base, node.number(node.real("beta", 0.75))});
  return {node.emit(OpKind::Div, {node.input(0), divisor})};
}

/// `f` on the data with the node's axis last. Before opset 13 all axes from it on count as one.
template <class F>
Outputs onLastAxis(NodeImport& node, const F& f) {
  const Shape in = node.shape(0);
  if (in.empty()) node.fail("the data has no axis");
  const int axis = node.axis(node.integer("axis", node.opset() < 13 ? 1 : -1), in.size());
  const int last = static_cast<int>(in.size()) - 1;
  if (axis == last) return {f(node.input(0))};
  if (node.opset() < 13) {
    const auto split = in.begin() + axis;
    const TensorId flat = node.emitReshape(node.input(0), {elementCount(Shape(in.begin(), split)),
                                                           elementCount(Shape(split, in.end()))});
    return {node.emitReshape(f(flat), in)};
  }
  std::vector<int> swap(in.size());
  for (std::size_t d = 0; d < in.size(); ++d)
    swap[d] = static_cast<int>(d);
  std::swap(swap[static_cast<std::size_t>(axis)], swap.back());
  return {node.emitTranspose(f(node.emitTranspose(node.input(0), swap)), swap)};
}

template <OpKind Kind>
Outputs importSoftmax(NodeImport& node) {
  return onLastAxis(node, [&](TensorId x) {
    const int last = static_cast<int>(node.builder().tensor(x).shape.size()) - 1;
    return node.emit(Kind, {x}, AxisAttributes{last});
  });
}

/// 1 at the first largest element, 0 elsewhere.
Outputs importHardmax(NodeImport& node) {
  return onLastAxis(node, [&](TensorId x) {
    const Tensor tensor = node.builder().tensor(x);
    const int last = static_cast<int>(tensor.shape.size()) - 1;
    const TensorId place = extremePosition(node, x, last, true, false);
    const TensorId hit = node.emit(OpKind::Equal, {place, node.positions(tensor.shape.back())});
    return node.emitCast(hit, tensor.type);
  });
}

} // namespace

const std::map<std::string, Importer>& normalisationImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"BatchNormalization", importBatchNorm},
      {"LayerNormalization", importLayerNorm},
      {"InstanceNormalization", importInstanceNorm},
      {"MeanVarianceNormalization", importMeanVarianceNorm},
      {"LRN", importLrn},
      {"Softmax", importSoftmax<OpKind::Softmax>},
      {"LogSoftmax", importSoftmax<OpKind::LogSoftmax>},
      {"Hardmax", importHardmax},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
