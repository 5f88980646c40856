// ONNX operators that do the work: convolutions, matrix products, poolings, normalisations.

#include "core/network/onnx_context.h"

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

/// The window of a convolution or pooling on data [N, C, spatial...].
Window readWindow(NodeImport& node, Shape kernel) {
  const std::size_t n = kernel.size();
  const auto orOnes = [&](const char* name) {
    Shape values = node.integers(name);
    if (values.empty()) values.assign(n, 1);
    if (values.size() != n)
      node.fail(fmt::format("'{}' has {} values for {} spatial axes", name, values.size(), n));
    for (const std::int64_t value : values)
      if (value < 1) node.fail(fmt::format("'{}' holds {}; it must be positive", name, value));
    return values;
  };
  Window window{std::move(kernel), orOnes("strides"), Shape(n, 0), Shape(n, 0),
                orOnes("dilations")};
  if (node.rank(0) != n + 2 || n < 1 || n > 3)
    node.fail(fmt::format("{} spatial axes do not fit data with {} dimensions", n, node.rank(0)));
  const std::string mode = node.text("auto_pad", "NOTSET");
  const Shape pads = node.integers("pads");
  if (mode == "NOTSET" && !pads.empty()) {
    if (pads.size() != 2 * n || *std::min_element(pads.begin(), pads.end()) < 0)
      node.fail("the padding must be two numbers per spatial axis, none negative");
    window.padsBefore.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(n));
    window.padsAfter.assign(pads.begin() + static_cast<std::ptrdiff_t>(n), pads.end());
  } else if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    for (std::size_t a = 0; a < n; ++a) {
      const std::int64_t extent = node.shape(0)[a + 2], stride = window.strides[a];
      const std::int64_t outputs = (extent + stride - 1) / stride;
      const std::int64_t total =
          std::max<std::int64_t>(0, (outputs - 1) * stride + window.span(a) - extent);
      const std::int64_t less = total / 2;
      window.padsBefore[a] = mode == "SAME_UPPER" ? less : total - less;
      window.padsAfter[a] = total - window.padsBefore[a];
    }
  } else if (mode != "NOTSET" && mode != "VALID") {
    node.fail(fmt::format("auto_pad '{}' is not known", mode));
  }
  return window;
}

Outputs importConv(NodeImport& node) {
  const Shape kernel = node.shape(1);
  if (kernel.size() < 3) node.fail("the kernel has no spatial axis");
  ConvAttributes conv{readWindow(node, Shape(kernel.begin() + 2, kernel.end())),
                      node.integer("group", 1)};
  if (conv.groups < 1) node.fail("the number of groups must be positive");
  TensorId result = node.emit(OpKind::Conv, {node.input(0), node.input(1)}, conv);
  if (node.hasInput(2)) {
    // One value a channel: [C, 1, 1] broadcasts over [N, C, H, W].
    Shape shape(kernel.size() - 1, 1);
    shape[0] = kernel[0];
    const TensorId bias = node.folded(node.builder().reshape(node.input(2), shape));
    result = node.emit(OpKind::Add, {result, bias});
  }
  return {result};
}

template <OpKind Kind>
Outputs importPool(NodeImport& node) {
  if (node.outputCount() > 1 && !node.outputName(1).empty())
    node.fail("the second output (indices) is not supported");
  PoolAttributes pool;
  pool.window = readWindow(node, node.integers("kernel_shape"));
  pool.ceiling = node.integer("ceil_mode", 0) != 0;
  pool.countPadding = node.integer("count_include_pad", 0) != 0;
  return {node.emit(Kind, {node.input(0)}, pool)};
}

Outputs importGlobalAveragePool(NodeImport& node) {
  return {node.emit(OpKind::GlobalAveragePool, {node.input(0)}, LayoutAttributes{})};
}

Outputs importBatchNorm(NodeImport& node) {
  if (node.integer("training_mode", 0) != 0)
    node.fail("training mode is not supported; export the model in evaluation mode");
  return {node.emit(OpKind::BatchNorm,
                    {node.input(0), node.input(1), node.input(2), node.input(3), node.input(4)},
                    BatchNormAttributes{node.real("epsilon", 1e-5)})};
}

Outputs importLayerNorm(NodeImport& node) {
  if (node.axis(node.integer("axis", -1), node.rank(0)) + 1 != static_cast<int>(node.rank(0)))
    node.fail("only the last axis is supported");
  const Shape shape{node.shape(0).back()};
  const TensorId shift = node.hasInput(2)
                             ? node.input(2)
                             : node.builder().constant("zeros", shape, filledConstant(shape, 0));
  return {node.emit(OpKind::LayerNorm, {node.input(0), node.input(1), shift},
                    LayerNormAttributes{node.real("epsilon", 1e-5)})};
}

template <OpKind Kind>
Outputs importReduce(NodeImport& node) {
  const auto given = node.integersOrInput("axes", 1);
  if ((!given || given->empty()) && node.integer("noop_with_empty_axes", 0) != 0)
    return {node.input(0)};
  ReduceAttributes reduce;
  reduce.keepDimensions = node.integer("keepdims", 1) != 0;
  if (given && !given->empty())
    for (const std::int64_t axis : *given)
      reduce.axes.push_back(node.axis(axis, node.rank(0)));
  else
    for (std::size_t d = 0; d < node.rank(0); ++d)
      reduce.axes.push_back(static_cast<int>(d));
  std::sort(reduce.axes.begin(), reduce.axes.end());
  return {node.emit(Kind, {node.input(0)}, reduce)};
}

Outputs importSoftmax(NodeImport& node) {
  const std::size_t rank = node.rank(0);
  const int axis = node.axis(node.integer("axis", node.opset() < 13 ? 1 : -1), rank);
  const int last = static_cast<int>(rank) - 1;
  if (axis == last) return {node.emit(OpKind::Softmax, {node.input(0)}, AxisAttributes{last})};
  if (node.opset() < 13) node.fail("before opset 13 only the last axis is supported");
  std::vector<int> swap(rank);
  for (std::size_t d = 0; d < rank; ++d)
    swap[d] = static_cast<int>(d);
  std::swap(swap[static_cast<std::size_t>(axis)], swap.back());
  const TensorId moved = node.builder().transpose(node.input(0), swap);
  const TensorId result = node.emit(OpKind::Softmax, {moved}, AxisAttributes{last});
  return {node.builder().transpose(result, swap)};
}

Outputs importMatMul(NodeImport& node) {
  return {node.emit(OpKind::MatMul, {node.input(0), node.input(1)}, MatMulAttributes{})};
}

Outputs importGemm(NodeImport& node) {
  const auto operand = [&](std::size_t i, const char* flag) {
    if (node.rank(i) != 2)
      node.fail(fmt::format("operand {} has {} dimensions, not 2", i, node.rank(i)));
    return node.integer(flag, 0) != 0 ? node.folded(node.builder().transpose(node.input(i), {1, 0}))
                                      : node.input(i);
  };
  const auto scaled = [&](TensorId x, const char* name) {
    const double factor = node.real(name, 1);
    return factor == 1
               ? x
               : node.emit(OpKind::Mul, {x, node.builder().scalar(static_cast<float>(factor))});
  };
  const TensorId product =
      node.emit(OpKind::MatMul, {operand(0, "transA"), operand(1, "transB")}, MatMulAttributes{});
  const TensorId result = scaled(product, "alpha");
  if (!node.hasInput(2)) return {result};
  return {node.emit(OpKind::Add, {result, scaled(node.input(2), "beta")})};
}

} // namespace

const std::map<std::string, Importer>& layerImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"Conv", importConv},
      {"MaxPool", importPool<OpKind::MaxPool>},
      {"AveragePool", importPool<OpKind::AveragePool>},
      {"GlobalAveragePool", importGlobalAveragePool},
      {"BatchNormalization", importBatchNorm},
      {"LayerNormalization", importLayerNorm},
      {"ReduceMean", importReduce<OpKind::ReduceMean>},
      {"ReduceSum", importReduce<OpKind::ReduceSum>},
      {"ReduceMax", importReduce<OpKind::ReduceMax>},
      {"Softmax", importSoftmax},
      {"MatMul", importMatMul},
      {"Gemm", importGemm},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
