// ONNX operators that change the resolution: resizing and exchanging depth and space.

#include "core/network/onnx/onnx_context.h"
#include "core/support/quantity.h"

#include <cmath>

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

/// One axis of a resize.
struct ResizedAxis {
  std::int64_t from = 1, to = 1; // elements
  double scale = 1;
  double start = 0, end = 1; // of tf_crop_and_resize, as fractions of the axis
};

/// How positions of the result become positions of the data, and how these are read.
struct ResizeMode {
  std::string coordinates, interpolation, rounding;
  double cubic = -0.75;
  bool excludeOutside = false;
};

/// Larger results are a mistake in a file.
constexpr double kLargestExtent = 1 << 28;

constexpr std::int64_t kMostTaps = 4;

/// For each element of the result the elements of the data that it is made of.
struct Taps {
  std::vector<std::vector<std::int64_t>> indices; // by tap
  std::vector<std::vector<float>> weights;
  std::vector<std::int64_t> inside; // 0 where tf_crop_and_resize leaves the data
};

double position(const ResizeMode& mode, const ResizedAxis& axis, std::int64_t x) {
  const auto at = static_cast<double>(x);
  const auto span = static_cast<double>(axis.from - 1);
  if (mode.coordinates == "align_corners") {
    const double resized = static_cast<double>(axis.from) * axis.scale;
    return resized == 1 ? 0 : at * span / (resized - 1);
  }
  if (mode.coordinates == "asymmetric") return at / axis.scale;
  if (mode.coordinates == "tf_half_pixel_for_nn") return (at + 0.5) / axis.scale;
  if (mode.coordinates == "tf_crop_and_resize")
    return axis.to > 1 ? axis.start * span +
                             at * (axis.end - axis.start) * span / static_cast<double>(axis.to - 1)
                       : 0.5 * (axis.start + axis.end) * span;
  if (mode.coordinates == "pytorch_half_pixel" && axis.to == 1) return 0;
  return (at + 0.5) / axis.scale - 0.5;
}

std::int64_t nearest(const ResizeMode& mode, double x) {
  const double rounded = mode.rounding == "round_prefer_ceil" ? std::floor(x + 0.5)
                         : mode.rounding == "floor"           ? std::floor(x)
                         : mode.rounding == "ceil"            ? std::ceil(x)
                                                              : std::ceil(x - 0.5);
  return static_cast<std::int64_t>(rounded);
}

/// Keys's cubic convolution: weights of the four neighbours at the distance `r` from the second.
std::vector<double> cubicWeights(double r, double a) {
  const auto outer = [a](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  const auto inner = [a](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  return {outer(r + 1), inner(r), inner(1 - r), outer(2 - r)};
}

Taps makeTaps(const ResizeMode& mode, const ResizedAxis& axis) {
  const std::size_t count = mode.interpolation == "nearest"  ? 1
                            : mode.interpolation == "linear" ? 2
                                                             : 4;
  Taps taps{
      std::vector<std::vector<std::int64_t>>(count), std::vector<std::vector<float>>(count), {}};
  for (std::int64_t i = 0; i < axis.to; ++i) {
    // A region of interest may lie anywhere; its farthest corners look alike.
    const double place = position(mode, axis, i);
    const double x =
        std::isnan(place) ? 0 : std::clamp<double>(place, -kLargestExtent, kLargestExtent);
    const double r = x - std::floor(x);
    std::int64_t first = static_cast<std::int64_t>(std::floor(x)) - (count == 4 ? 1 : 0);
    std::vector<double> weights{1 - r, r};
    if (count == 1) {
      first = nearest(mode, x);
      weights = {1};
    } else if (count == 4) {
      weights = cubicWeights(r, mode.cubic);
    }
    double sum = 0;
    for (std::size_t t = 0; t < count; ++t) {
      const std::int64_t at = first + static_cast<std::int64_t>(t);
      if (mode.excludeOutside && count > 1 && (at < 0 || at >= axis.from)) weights[t] = 0;
      sum += weights[t];
      taps.indices[t].push_back(std::clamp<std::int64_t>(at, 0, axis.from - 1));
    }
    for (std::size_t t = 0; t < count; ++t)
      taps.weights[t].push_back(
          static_cast<float>(mode.excludeOutside && sum != 0 ? weights[t] / sum : weights[t]));
    taps.inside.push_back(x >= 0 && x <= static_cast<double>(axis.from - 1) ? 1 : 0);
  }
  return taps;
}

/// Along one axis: gathered elements times their weights, added up.
TensorId resizeAxis(NodeImport& node, TensorId x, int axis, const Taps& taps) {
  const auto extent = static_cast<std::int64_t>(taps.inside.size());
  Shape along(node.builder().tensor(x).shape.size() - static_cast<std::size_t>(axis), 1);
  along[0] = extent;
  TensorId result = -1;
  for (std::size_t t = 0; t < taps.indices.size(); ++t) {
    TensorId part = node.emit(OpKind::Gather, {x, node.constant({extent}, taps.indices[t])},
                              AxisAttributes{axis});
    if (taps.indices.size() == 1) return part;
    part = node.emit(OpKind::Mul, {part, node.constant(along, taps.weights[t])});
    result = result < 0 ? part : node.emit(OpKind::Add, {result, part});
  }
  return result;
}

TensorId resizeAll(NodeImport& node, const std::vector<ResizedAxis>& axes, const ResizeMode& mode) {
  const bool crops = mode.coordinates == "tf_crop_and_resize";
  TensorId x = node.input(0);
  std::vector<TensorId> masks;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const bool same =
        axes[d].from == axes[d].to && axes[d].scale == 1 && axes[d].start == 0 && axes[d].end == 1;
    if (same) continue;
    if (axes[d].from == 0) node.fail(fmt::format("dimension {} has no elements", d));
    node.builder().requireRoom({axes[d].to, kMostTaps}, kInt64);
    const Taps taps = makeTaps(mode, axes[d]);
    x = resizeAxis(node, x, static_cast<int>(d), taps);
    Shape along(axes.size() - d, 1);
    along[0] = axes[d].to;
    if (crops) masks.push_back(node.constant(along, taps.inside, kBool));
  }
  for (const TensorId mask : masks)
    x = node.emit(OpKind::Where, {mask, x, node.number(node.real("extrapolation_value", 0))});
  return x;
}

/// The axes from the scales (operand or attribute) or, when there are none, from the sizes.
std::vector<ResizedAxis> readAxes(NodeImport& node, const std::vector<float>& scales,
                                  const std::vector<std::int64_t>& sizes) {
  const Shape in = node.shape(0);
  if ((scales.empty() ? sizes.size() : scales.size()) != in.size())
    node.fail(fmt::format(
        "{} for {}", quantity(scales.empty() ? std::ssize(sizes) : std::ssize(scales), "scale"),
        quantity(std::ssize(in), "dimension")));
  std::vector<ResizedAxis> axes;
  for (std::size_t d = 0; d < in.size(); ++d) {
    ResizedAxis axis;
    axis.from = in[d];
    const auto extent = static_cast<double>(in[d]);
    axis.scale = scales.empty() ? static_cast<double>(sizes[d]) / extent : scales[d];
    const double to =
        scales.empty() ? static_cast<double>(sizes[d]) : std::floor(extent * axis.scale);
    if (!(axis.scale > 0) || !(to >= 1) || !(to <= kLargestExtent))
      node.fail(fmt::format("dimension {} would have {} elements", d, to));
    axis.to = static_cast<std::int64_t>(to);
    axes.push_back(axis);
  }
  return axes;
}

std::vector<float> floats(NodeImport& node, std::size_t i) {
  if (!node.hasInput(i)) return {};
  const ArrayPtr array = node.constantValue(i);
  if (!array->isFloat()) node.fail(fmt::format("operand {} holds no floats", i));
  return array->floats();
}

ResizeMode readMode(NodeImport& node, bool simple) {
  ResizeMode mode;
  mode.interpolation = node.text("mode", "nearest");
  mode.coordinates =
      simple ? "asymmetric" : node.text("coordinate_transformation_mode", "half_pixel");
  mode.rounding = simple ? "floor" : node.text("nearest_mode", "round_prefer_floor");
  mode.cubic = node.real("cubic_coeff_a", -0.75);
  mode.excludeOutside = node.integer("exclude_outside", 0) != 0;
  const auto known = [&](const std::string& value, std::initializer_list<const char*> values) {
    if (std::find(values.begin(), values.end(), value) == values.end())
      node.fail(fmt::format("'{}' is not known; there is {}", value, fmt::join(values, ", ")));
  };
  known(mode.interpolation, {"nearest", "linear", "cubic"});
  known(mode.coordinates, {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                           "tf_half_pixel_for_nn", "tf_crop_and_resize"});
  known(mode.rounding, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  return mode;
}

Outputs importResize(NodeImport& node) {
  if (node.opset() < 11)
    return {resizeAll(node, readAxes(node, floats(node, 1), {}), readMode(node, true))};
  const std::vector<float> scales = floats(node, 2);
  const auto sizes = scales.empty() && node.hasInput(3) ? node.constantInts(3) : Shape();
  std::vector<ResizedAxis> axes = readAxes(node, scales, sizes);
  const ResizeMode mode = readMode(node, false);
  if (mode.coordinates == "tf_crop_and_resize") {
    const std::vector<float> region = floats(node, 1);
    if (region.size() != 2 * axes.size()) node.fail("the region does not fit the dimensions");
    for (std::size_t d = 0; d < axes.size(); ++d) {
      axes[d].start = region[d];
      axes[d].end = region[d + axes.size()];
    }
  }
  return {resizeAll(node, axes, mode)};
}

Outputs importUpsample(NodeImport& node) {
  std::vector<float> scales = floats(node, 1);
  if (const auto* given = node.attribute("scales"))
    scales.assign(given->floats().begin(), given->floats().end());
  return {resizeAll(node, readAxes(node, scales, {}), readMode(node, true))};
}

/// Reshape, transpose, reshape; `split` and `result` are the shapes between.
Outputs rearranged(NodeImport& node, const Shape& split, const std::vector<int>& permutation,
                   const Shape& result) {
  const TensorId apart = node.emitReshape(node.input(0), split);
  return {node.emitReshape(node.emitTranspose(apart, permutation), result)};
}

std::int64_t blockSize(NodeImport& node) {
  const std::int64_t block = node.integer("blocksize", 0);
  if (node.rank(0) != 4 || block < 1 || block > kLargestExtent)
    node.fail(fmt::format("blocks of {} do not fit data with {}", block,
                          quantity(std::int64_t(node.rank(0)), "dimension")));
  return block;
}

Outputs importDepthToSpace(NodeImport& node) {
  const std::int64_t block = blockSize(node);
  const Shape in = node.shape(0);
  if (in[1] % (block * block) != 0)
    node.fail(
        fmt::format("the number of channels, {}, is no multiple of {}", in[1], block * block));
  const std::int64_t channels = in[1] / (block * block);
  const Shape result{in[0], channels, in[2] * block, in[3] * block};
  if (node.text("mode", "DCR") == "CRD")
    return rearranged(node, {in[0], channels, block, block, in[2], in[3]}, {0, 1, 4, 2, 5, 3},
                      result);
  return rearranged(node, {in[0], block, block, channels, in[2], in[3]}, {0, 3, 4, 1, 5, 2},
                    result);
}

Outputs importSpaceToDepth(NodeImport& node) {
  const std::int64_t block = blockSize(node);
  const Shape in = node.shape(0);
  if (in[2] % block != 0 || in[3] % block != 0)
    node.fail(fmt::format("{}x{} does not divide into blocks of {}", in[2], in[3], block));
  const std::int64_t rows = in[2] / block, columns = in[3] / block;
  return rearranged(node, {in[0], in[1], rows, block, columns, block}, {0, 3, 5, 1, 2, 4},
                    {in[0], in[1] * block * block, rows, columns});
}

} // namespace

const std::map<std::string, Importer>& resizeImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"Resize", importResize},
      {"Upsample", importUpsample},
      {"DepthToSpace", importDepthToSpace},
      {"SpaceToDepth", importSpaceToDepth},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
