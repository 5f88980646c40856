// ONNX operators that do the work: convolutions, matrix products, poolings, normalisations.

#include "core/network/onnx/onnx_context.h"
#include "core/support/quantity.h"

#include <limits>
#include <numeric>

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

/// Windows and strides beyond this are a mistake in a file.
constexpr std::int64_t kLargestWindow = 1 << 24;

/// Kernel, strides and dilations of a convolution or pooling on data [N, C, spatial...].
Window readGeometry(NodeImport& node, Shape kernel) {
  const std::size_t n = kernel.size();
  if (node.rank(0) != n + 2 || n < 1 || n > 3)
    node.fail(fmt::format("{} spatial axes do not fit data with {}", n,
                          quantity(std::int64_t(node.rank(0)), "dimension")));
  const auto orOnes = [&](const char* name) {
    Shape values = node.integers(name);
    if (values.empty()) values.assign(n, 1);
    if (values.size() != n)
      node.fail(fmt::format("'{}' has {} for {} spatial axes", name,
                            quantity(std::ssize(values), "value"), n));
    return values;
  };
  Window window{std::move(kernel), orOnes("strides"), Shape(n, 0), Shape(n, 0),
                orOnes("dilations")};
  for (const auto* values : {&window.kernel, &window.strides, &window.dilations})
    for (const std::int64_t value : *values)
      if (value < 1 || value > kLargestWindow)
        node.fail(fmt::format("a window, stride or dilation of {}", value));
  return window;
}

/// Sets the padding that the attribute lists. True when it does.
bool readPads(NodeImport& node, Window& window) {
  const Shape pads = node.integers("pads");
  const std::size_t n = window.kernel.size();
  if (pads.empty()) return false;
  if (pads.size() != 2 * n || *std::min_element(pads.begin(), pads.end()) < 0 ||
      *std::max_element(pads.begin(), pads.end()) > kLargestWindow)
    node.fail("the padding must be two numbers per spatial axis, none negative");
  window.padsBefore.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(n));
  window.padsAfter.assign(pads.begin() + static_cast<std::ptrdiff_t>(n), pads.end());
  return true;
}

/// As `readGeometry`, with the padding.
Window readWindow(NodeImport& node, Shape kernel) {
  Window window = readGeometry(node, std::move(kernel));
  const std::string mode = node.text("auto_pad", "NOTSET");
  if (mode == "NOTSET") {
    readPads(node, window);
  } else if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    for (std::size_t a = 0; a < window.kernel.size(); ++a) {
      const std::int64_t extent = node.shape(0)[a + 2], stride = window.strides[a];
      const std::int64_t outputs = (extent + stride - 1) / stride;
      const std::int64_t total =
          std::max<std::int64_t>(0, (outputs - 1) * stride + window.span(a) - extent);
      const std::int64_t less = total / 2;
      window.padsBefore[a] = mode == "SAME_UPPER" ? less : total - less;
      window.padsAfter[a] = total - window.padsBefore[a];
    }
  } else if (mode != "VALID") {
    node.fail(fmt::format("auto_pad '{}' is not known", mode));
  }
  return window;
}

/// Adds one value a channel: [C, 1, 1] broadcasts over [N, C, H, W].
TensorId withBias(NodeImport& node, TensorId result) {
  if (!node.hasInput(2)) return result;
  const Shape in = node.builder().tensor(result).shape;
  Shape shape(in.size() - 1, 1);
  shape[0] = in[1];
  return node.emit(OpKind::Add, {result, node.emitReshape(node.input(2), shape)});
}

std::int64_t groupsOf(NodeImport& node) {
  const std::int64_t groups = node.integer("group", 1);
  if (groups < 1) node.fail("the number of groups must be positive");
  return groups;
}

Outputs importConv(NodeImport& node) {
  const ConvAttributes conv = readConvolution(node, node.shape(1));
  return {withBias(node, node.emit(OpKind::Conv, {node.input(0), node.input(1)}, conv))};
}

/// The padding of a transposed convolution makes the result smaller; it may follow from the shape
/// of the result.
void readTransposedPads(NodeImport& node, Window& window) {
  const std::size_t n = window.kernel.size();
  Shape extra = node.integers("output_padding"), sizes = node.integers("output_shape");
  if (extra.empty()) extra.assign(n, 0);
  const std::string mode = node.text("auto_pad", "NOTSET");
  const Shape in = node.shape(0);
  if (sizes.empty() && (mode == "SAME_UPPER" || mode == "SAME_LOWER"))
    for (std::size_t a = 0; a < n; ++a)
      sizes.push_back(in[a + 2] * window.strides[a]);
  if (sizes.size() == n + 2) sizes.erase(sizes.begin(), sizes.begin() + 2);
  if (extra.size() != n || (!sizes.empty() && sizes.size() != n))
    node.fail(fmt::format("'output_padding' or 'output_shape' does not fit {} spatial axes", n));
  for (std::size_t a = 0; a < n; ++a)
    if (extra[a] < 0 || extra[a] > kLargestWindow ||
        (!sizes.empty() && (sizes[a] < 1 || sizes[a] > kLargestWindow)))
      node.fail("'output_padding' or 'output_shape' is out of range");
  if (sizes.empty()) readPads(node, window);
  for (std::size_t a = 0; a < n; ++a) {
    if (sizes.empty()) {
      window.padsAfter[a] -= extra[a];
      continue;
    }
    const std::int64_t all = (in[a + 2] - 1) * window.strides[a] + window.span(a);
    const std::int64_t total = std::max<std::int64_t>(0, all + extra[a] - sizes[a]);
    window.padsBefore[a] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    window.padsAfter[a] = all - window.padsBefore[a] - sizes[a];
  }
}

Outputs importConvTranspose(NodeImport& node) {
  const Shape kernel = node.shape(1);
  if (kernel.size() < 3) node.fail("the kernel has no spatial axis");
  ConvAttributes conv{readGeometry(node, Shape(kernel.begin() + 2, kernel.end())), groupsOf(node)};
  readTransposedPads(node, conv.window);
  return {withBias(node, node.emit(OpKind::ConvTranspose, {node.input(0), node.input(1)}, conv))};
}

PoolAttributes readPool(NodeImport& node) {
  PoolAttributes pool;
  pool.window = readWindow(node, node.integers("kernel_shape"));
  pool.ceiling = node.integer("ceil_mode", 0) != 0;
  pool.countPadding = node.integer("count_include_pad", 0) != 0;
  return pool;
}

Outputs importAveragePool(NodeImport& node) {
  return {node.emit(OpKind::AveragePool, {node.input(0)}, readPool(node))};
}

/// Position of a pooling's offset `o` (row-major in the kernel) along each spatial axis.
Shape offsetOf(const Window& window, std::int64_t o) {
  Shape offset(window.kernel.size());
  for (std::size_t a = offset.size(); a-- > 0; o /= window.kernel[a])
    offset[a] = o % window.kernel[a] * window.dilations[a];
  return offset;
}

/// For each window its elements side by side, on a last axis of their own.
TensorId unfold(NodeImport& node, const Window& window, const Shape& result) {
  const Shape in = node.shape(0);
  PadAttributes pad{Shape(in.size(), 0), Shape(in.size(), 0)};
  pad.value = -std::numeric_limits<float>::infinity();
  for (std::size_t a = 0; a < window.kernel.size(); ++a) {
    pad.before[a + 2] = window.padsBefore[a];
    pad.after[a + 2] =
        std::max<std::int64_t>(0, (result[a + 2] - 1) * window.strides[a] + window.span(a) -
                                      window.padsBefore[a] - in[a + 2]);
  }
  const TensorId padded = node.emit(OpKind::Pad, {node.input(0)}, pad);
  Shape single = result;
  single.push_back(1);
  std::vector<TensorId> elements;
  for (std::int64_t o = 0; o < elementCount(window.kernel); ++o) {
    SliceAttributes slice{Shape(in.size(), 0), Shape(in.size(), 1)};
    const Shape offset = offsetOf(window, o);
    std::copy(offset.begin(), offset.end(), slice.starts.begin() + 2);
    std::copy(window.strides.begin(), window.strides.end(), slice.steps.begin() + 2);
    const TensorId picked = node.builder().slice(padded, slice, result, node.outputName(1));
    elements.push_back(node.emitReshape(picked, single));
  }
  return node.emit(OpKind::Concat, elements, AxisAttributes{static_cast<int>(in.size())});
}

/// Where in the flattened data each maximum is: the place of its window, and within it. With
/// storage_order=1 the first spatial axis counts fastest.
TensorId maximumPlaces(NodeImport& node, const Window& window, const Shape& result) {
  constexpr std::int64_t kLargestKernel = 256;
  if (elementCount(window.kernel) > kLargestKernel)
    node.fail(fmt::format("the second output (indices) is supported for windows of up to {} "
                          "elements",
                          kLargestKernel));
  const Shape in = node.shape(0);
  constexpr std::int64_t kMostElements = std::int64_t{1} << 24; // each axis becomes a table
  if (elementCount(in) > kMostElements)
    node.fail(fmt::format("the second output (indices) is supported for data of up to {} elements",
                          kMostElements));
  Shape strides(in.size(), 1);
  for (std::size_t d = in.size(); d-- > 1;)
    strides[d - 1] = strides[d] * in[d];
  if (node.integer("storage_order", 0) != 0)
    for (std::size_t d = 2; d < in.size(); ++d)
      strides[d] = d == 2 ? 1 : strides[d - 1] * in[d - 1];
  const int last = static_cast<int>(in.size());
  const TensorId winner = node.emitReshape(
      extremePosition(node, unfold(node, window, result), last, true, false), result);
  std::vector<std::int64_t> within;
  for (std::int64_t o = 0; o < elementCount(window.kernel); ++o) {
    const Shape offset = offsetOf(window, o);
    within.push_back(
        std::inner_product(offset.begin(), offset.end(), strides.begin() + 2, std::int64_t{0}));
  }
  const Shape count{static_cast<std::int64_t>(within.size())};
  TensorId place =
      node.emit(OpKind::Gather, {node.constant(count, within), winner}, AxisAttributes{0});
  for (std::size_t d = 0; d < in.size(); ++d) {
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i < result[d]; ++i)
      starts.push_back(d < 2 ? i * strides[d]
                             : (i * window.strides[d - 2] - window.padsBefore[d - 2]) * strides[d]);
    Shape along(in.size() - d, 1);
    along[0] = result[d];
    place = node.emit(OpKind::Add, {place, node.constant(along, starts)});
  }
  return place;
}

Outputs importMaxPool(NodeImport& node) {
  const PoolAttributes pool = readPool(node);
  const TensorId largest = node.emit(OpKind::MaxPool, {node.input(0)}, pool);
  if (node.outputCount() < 2 || node.outputName(1).empty()) return {largest};
  return {largest, maximumPlaces(node, pool.window, Shape(node.builder().tensor(largest).shape))};
}

Outputs importGlobalAveragePool(NodeImport& node) {
  return {node.emit(OpKind::GlobalAveragePool, {node.input(0)}, LayoutAttributes{})};
}

Outputs importGlobalMaxPool(NodeImport& node) {
  ReduceAttributes reduce;
  for (std::size_t d = 2; d < node.rank(0); ++d)
    reduce.axes.push_back(static_cast<int>(d));
  if (reduce.axes.empty()) node.fail("the data has no spatial axes");
  return {node.emit(OpKind::ReduceMax, {node.input(0)}, reduce)};
}

Outputs importMatMul(NodeImport& node) {
  const auto product = [&](TensorId left, TensorId right) {
    return node.emit(OpKind::MatMul, {left, right}, MatMulAttributes{});
  };
  return {productOfMatrices(node, node.input(0), node.input(1), product)};
}

Outputs importGemm(NodeImport& node) {
  const auto operand = [&](std::size_t i, const char* flag) {
    if (node.rank(i) != 2)
      node.fail(fmt::format("operand {} has {}, not 2", i,
                            quantity(std::int64_t(node.rank(i)), "dimension")));
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

ConvAttributes readConvolution(NodeImport& node, const Shape& kernel) {
  if (kernel.size() < 3) node.fail("the kernel has no spatial axis");
  return {readWindow(node, Shape(kernel.begin() + 2, kernel.end())), groupsOf(node)};
}

TensorId productOfMatrices(NodeImport& node, TensorId left, TensorId right,
                           const std::function<TensorId(TensorId, TensorId)>& product) {
  const Shape a = node.builder().tensor(left).shape, b = node.builder().tensor(right).shape;
  if (a.size() == 1) left = node.emitReshape(left, {1, a[0]});
  if (b.size() == 1) right = node.emitReshape(right, {b[0], 1});
  const TensorId result = product(left, right);
  if (a.size() != 1 && b.size() != 1) return result;
  Shape shape = node.builder().tensor(result).shape;
  if (b.size() == 1) shape.pop_back();
  if (a.size() == 1) shape.erase(shape.end() - (b.size() == 1 ? 1 : 2));
  return node.emitReshape(result, shape);
}

const std::map<std::string, Importer>& layerImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"Conv", importConv},
      {"ConvTranspose", importConvTranspose},
      {"MaxPool", importMaxPool},
      {"AveragePool", importAveragePool},
      {"GlobalAveragePool", importGlobalAveragePool},
      {"GlobalMaxPool", importGlobalMaxPool},
      {"MatMul", importMatMul},
      {"Gemm", importGemm},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
