// ONNX operators on quantised numbers, as the standard and ONNX Runtime define them.

#include "core/network/graph/infer.h"
#include "core/network/onnx_reference/reference_node.h"
#include "core/network/onnx_reference/reference_window.h"

#include <cmath>

namespace nestwright::onnx_reference {

namespace {

/// The scale and the zero point of each element: one, or one an index along an axis.
class Steps {
 public:
  /// Operands `scale` and `zero` for data of this shape.
  Steps(const ReferenceNode& node, std::size_t scale, std::size_t zero, const Shape& data,
        std::int64_t axis)
      : node_(node), scale_(scale), zero_(zero) {
    count_ = elementCount(node.shape(scale));
    if (count_ == 1) return;
    const std::size_t at = node.axis(axis, data.size());
    if (count_ != data[at]) node.fail(fmt::format("{} scales for an axis of {}", count_, data[at]));
    inner_ = extentBetween(data, at + 1, data.size());
  }
  double scale(std::int64_t i) const { return realAt(node_[scale_], entry(i)); }
  std::int64_t zero(std::int64_t i) const {
    if (!node_.has(zero_)) return 0;
    const Shape& zeros = node_.integersOf(zero_);
    return zeros.at(zeros.size() == 1 ? 0 : at(entry(i)));
  }

 private:
  std::int64_t entry(std::int64_t i) const { return count_ == 1 ? 0 : i / inner_ % count_; }

  const ReferenceNode& node_;
  std::size_t scale_, zero_;
  std::int64_t count_ = 1, inner_ = 1;
};

Array quantised(const ReferenceNode& node, const Array& x, const Steps& steps, DataType type) {
  std::vector<std::int64_t> to(at(elementCount(x.shape)));
  for (std::size_t n = 0; n < to.size(); ++n) {
    const auto i = static_cast<std::int64_t>(n);
    const float ratio = static_cast<float>(realAt(x, i)) / static_cast<float>(steps.scale(i));
    to[n] = saturatedTo(type, std::nearbyint(ratio) + static_cast<double>(steps.zero(i)));
  }
  if (!type.isInt()) node.fail("the zero point is no integer");
  return {x.shape, std::move(to)};
}

Array dequantised(const Array& x, const Steps& steps) {
  std::vector<float> to(at(elementCount(x.shape)));
  for (std::size_t n = 0; n < to.size(); ++n) {
    const auto i = static_cast<std::int64_t>(n);
    to[n] =
        static_cast<float>((realAt(x, i) - static_cast<double>(steps.zero(i))) * steps.scale(i));
  }
  return {x.shape, std::move(to)};
}

Results quantizeLinear(const ReferenceNode& node) {
  const Steps steps(node, 1, 2, node.shape(0), node.integer("axis", 1));
  return {quantised(node, node[0], steps, node.has(2) ? node.type(2) : kUInt8)};
}

Results dequantizeLinear(const ReferenceNode& node) {
  return {dequantised(node[0], Steps(node, 1, 2, node.shape(0), node.integer("axis", 1)))};
}

Results dynamicQuantizeLinear(const ReferenceNode& node) {
  float low = 0, high = 0;
  for (const float x : node[0].floats()) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  const float scale = (high - low) / 255;
  const std::int64_t zero = saturatedTo(kUInt8, std::nearbyint((0 - low) / scale));
  std::vector<std::int64_t> steps;
  for (const float x : node[0].floats())
    steps.push_back(saturatedTo(kUInt8, std::nearbyint(x / scale) + static_cast<double>(zero)));
  return {Array{node.shape(0), std::move(steps)}, Array{{}, std::vector<float>{scale}},
          Array{{}, std::vector<std::int64_t>{zero}}};
}

/// The zero point at operand `i` for entry `n` of what it belongs to.
std::int64_t zeroAt(const ReferenceNode& node, std::size_t i, std::int64_t n) {
  if (!node.has(i)) return 0;
  const Shape& zeros = node.integersOf(i);
  return zeros.at(zeros.size() == 1 ? 0 : at(n));
}

/// The sums of a convolution, of differences from the zero points; what is outside adds nothing.
Array integerConvolution(const ReferenceNode& node, std::size_t kernel, std::size_t dataZero,
                         std::size_t kernelZero) {
  const Shape &in = node.shape(0), &k = node.shape(kernel);
  if (k.size() < 3) node.fail("the kernel has no spatial axis");
  Sliding sliding = readSliding(node, Shape(k.begin() + 2, k.end()));
  placeWindows(node, sliding);
  const std::int64_t groups = node.integer("group", 1);
  if (groups < 1 || k[1] * groups != in[1] || k[0] % groups != 0)
    node.fail(fmt::format("a kernel {} does not fit data {}", shapeText(k), shapeText(in)));
  const Shape &data = node.integersOf(0), &weights = node.integersOf(kernel);
  const std::int64_t area = extentBetween(in, 2, in.size());
  const std::int64_t taps = extentBetween(k, 2, k.size());
  const Shape result = resultShape(sliding, in[0], k[0]);
  std::vector<std::int64_t> sums(at(elementCount(result)), 0);
  const Shape places(sliding.outputs.begin(), sliding.outputs.end());
  const Shape offsets(sliding.kernel.begin(), sliding.kernel.end());
  std::size_t next = 0;
  for (std::int64_t image = 0; image < in[0]; ++image)
    for (std::int64_t o = 0; o < k[0]; ++o)
      forEachIndex(places, [&](const Shape& place) {
        std::int64_t& sum = sums[next++];
        std::int64_t tap = 0;
        forEachIndex(offsets, [&](const Shape& offset) {
          std::int64_t position = 0;
          bool isInside = true;
          for (std::size_t a = 0; a < 3; ++a) {
            const std::int64_t p = place[a] * sliding.strides[a] +
                                   offset[a] * sliding.dilations[a] - sliding.before[a];
            isInside = isInside && p >= 0 && p < sliding.data[a];
            position = position * sliding.data[a] + p;
          }
          for (std::int64_t c = 0; isInside && c < k[1]; ++c) {
            const std::int64_t channel = o / (k[0] / groups) * k[1] + c;
            sum += (data.at(at((image * in[1] + channel) * area + position)) -
                    zeroAt(node, dataZero, 0)) *
                   (weights.at(at((o * k[1] + c) * taps + tap)) - zeroAt(node, kernelZero, o));
          }
          ++tap;
        });
      });
  return {result, std::move(sums)};
}

/// The sums of a matrix product of differences from zero points: `rows` one a row, `columns` one a
/// column.
Array integerProduct(const ReferenceNode& node, Array left, Array right, std::size_t rows,
                     std::size_t columns) {
  const bool isRow = left.shape.size() == 1, isColumn = right.shape.size() == 1;
  if (left.shape.empty() || right.shape.empty()) node.fail("a scalar is no matrix");
  if (isRow) left.shape.insert(left.shape.begin(), 1);
  if (isColumn) right.shape.push_back(1);
  const Shape &a = left.shape, &b = right.shape;
  const std::int64_t m = a[a.size() - 2], depth = a.back(), n = b.back();
  if (depth != b[b.size() - 2])
    node.fail(fmt::format("the inner extents differ: {} times {}", shapeText(a), shapeText(b)));
  const Shape batchA(a.begin(), a.end() - 2), batchB(b.begin(), b.end() - 2);
  Shape shape = broadcast(node, batchA, batchB);
  const std::vector<std::int64_t> fromA = positionsIn(batchA, shape);
  const std::vector<std::int64_t> fromB = positionsIn(batchB, shape);
  std::vector<std::int64_t> sums;
  for (std::size_t i = 0; i < fromA.size(); ++i)
    for (std::int64_t r = 0; r < m; ++r)
      for (std::int64_t c = 0; c < n; ++c) {
        std::int64_t sum = 0;
        for (std::int64_t j = 0; j < depth; ++j)
          sum += (left.ints().at(at((fromA[i] * m + r) * depth + j)) - zeroAt(node, rows, r)) *
                 (right.ints().at(at((fromB[i] * depth + j) * n + c)) - zeroAt(node, columns, c));
        sums.push_back(sum);
      }
  if (!isRow) shape.push_back(m);
  if (!isColumn) shape.push_back(n);
  return {std::move(shape), std::move(sums)};
}

Results convInteger(const ReferenceNode& node) {
  return {integerConvolution(node, 1, 2, 3)};
}

Results matMulInteger(const ReferenceNode& node) {
  return {integerProduct(node, node[0], node[1], 2, 3)};
}

/// Sums in steps of the result. The scale of the weights, operand 4, may be one an output; of
/// output f(i) is element i.
template <class F>
Array requantised(const ReferenceNode& node, const Array& sums, const F& f) {
  std::vector<std::int64_t> to(sums.ints().size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool isOne = elementCount(node.shape(4)) == 1;
    const double factor = node.realOf(1) *
                          realAt(node[4], isOne ? 0 : f(static_cast<std::int64_t>(i))) /
                          node.realOf(6);
    to[i] = saturatedTo(node.type(7), std::nearbyint(static_cast<float>(
                                          static_cast<double>(sums.ints()[i]) * factor)) +
                                          static_cast<double>(zeroAt(node, 7, 0)));
  }
  return {sums.shape, std::move(to)};
}

Results qLinearConv(const ReferenceNode& node) {
  Array sums = integerConvolution(node, 3, 2, 5);
  const std::int64_t outputs = node.shape(3)[0];
  const std::int64_t inner = extentBetween(sums.shape, 2, sums.shape.size());
  const auto channel = [=](std::int64_t i) { return i / inner % outputs; };
  auto& values = std::get<std::vector<std::int64_t>>(sums.data);
  for (std::size_t i = 0; node.has(8) && i < values.size(); ++i)
    values[i] += node.integersOf(8).at(at(channel(static_cast<std::int64_t>(i))));
  return {requantised(node, sums, channel)};
}

Results qLinearMatMul(const ReferenceNode& node) {
  const Array sums = integerProduct(node, node[0], node[3], 2, 5);
  const std::int64_t columns = node.shape(3).size() > 1 ? node.shape(3).back() : 1;
  return {requantised(node, sums, [=](std::int64_t i) { return i % columns; })};
}

// --- ONNX Runtime's own -------------------------------------------------------------------------

/// Operand `i` as numbers; its scale and its zero point are behind it.
Array realOperand(const ReferenceNode& node, std::size_t i) {
  return dequantised(node[i], Steps(node, i + 1, i + 2, node.shape(i), 1));
}

Results inSteps(const ReferenceNode& node, const Array& real, std::size_t scale) {
  const Steps steps(node, scale, scale + 1, real.shape, 1);
  return {quantised(node, real, steps, node.has(scale + 1) ? node.type(scale + 1) : kUInt8)};
}

template <class F>
Results qLinearPairs(const ReferenceNode& node, const F& f) {
  const Array a = realOperand(node, 0), b = realOperand(node, 3);
  const Shape shape = broadcast(node, a.shape, b.shape);
  const std::vector<std::int64_t> left = positionsIn(a.shape, shape);
  const std::vector<std::int64_t> right = positionsIn(b.shape, shape);
  std::vector<float> to;
  for (std::size_t i = 0; i < left.size(); ++i)
    to.push_back(static_cast<float>(f(realAt(a, left[i]), realAt(b, right[i]))));
  return inSteps(node, {shape, std::move(to)}, 6);
}

Results qLinearAdd(const ReferenceNode& node) {
  return qLinearPairs(node, [](double a, double b) { return a + b; });
}

Results qLinearMul(const ReferenceNode& node) {
  return qLinearPairs(node, [](double a, double b) { return a * b; });
}

Results qLinearGlobalAveragePool(const ReferenceNode& node) {
  if (node.integer("channels_last", 0) != 0) node.fail("channels_last is not known");
  const Array x = realOperand(node, 0);
  const std::int64_t inner = extentBetween(x.shape, 2, x.shape.size());
  Shape shape = x.shape;
  std::fill(shape.begin() + 2, shape.end(), 1);
  std::vector<float> to;
  for (std::int64_t i = 0; i < elementCount(shape); ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < inner; ++j)
      sum += realAt(x, i * inner + j);
    to.push_back(static_cast<float>(sum / static_cast<double>(inner)));
  }
  return inSteps(node, {shape, std::move(to)}, 3);
}

Array transposedIf(const ReferenceNode& node, const char* flag, const Array& x) {
  if (x.shape.size() != 2) node.fail("an operand is no matrix");
  if (node.integer(flag, 0) == 0) return x;
  const std::int64_t rows = x.shape[1], columns = x.shape[0];
  return picked(x, {rows, columns},
                [&](std::int64_t i) { return i % columns * rows + i / columns; });
}

Results qGemm(const ReferenceNode& node) {
  const Array sums = integerProduct(node, transposedIf(node, "transA", node[0]),
                                    transposedIf(node, "transB", node[3]), 2, 5);
  const std::int64_t columns = sums.shape[1];
  const double alpha = node.real("alpha", 1);
  std::vector<float> to;
  std::vector<std::int64_t> biases;
  if (node.has(6)) biases = positionsIn(node.shape(6), sums.shape);
  for (std::size_t i = 0; i < sums.ints().size(); ++i) {
    const std::int64_t bias = biases.empty() ? 0 : node.integersOf(6).at(at(biases[i]));
    const bool isOne = elementCount(node.shape(4)) == 1;
    const double scale =
        realAt(node[4], isOne ? 0 : static_cast<std::int64_t>(i) % columns) * node.realOf(1);
    to.push_back(static_cast<float>(alpha * scale * static_cast<double>(sums.ints()[i] + bias)));
  }
  Array real{sums.shape, std::move(to)};
  if (!node.has(7)) return {std::move(real)};
  return inSteps(node, real, 7);
}

} // namespace

const Operators& quantisedOperators() {
  static const Operators kTable = {
      {"QuantizeLinear", quantizeLinear},
      {"DequantizeLinear", dequantizeLinear},
      {"DynamicQuantizeLinear", dynamicQuantizeLinear},
      {"ConvInteger", convInteger},
      {"MatMulInteger", matMulInteger},
      {"QLinearConv", qLinearConv},
      {"QLinearMatMul", qLinearMatMul},
  };
  return kTable;
}

const Operators& runtimeOperators() {
  static const Operators kTable = {
      {"QLinearAdd", qLinearAdd},
      {"QLinearMul", qLinearMul},
      {"QLinearGlobalAveragePool", qLinearGlobalAveragePool},
      {"QGemm", qGemm},
      {"QuantizeLinear", quantizeLinear},
      {"DequantizeLinear", dequantizeLinear},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
