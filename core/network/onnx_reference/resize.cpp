// ONNX operators that resize, as the standard defines them: axis by axis.

#include "core/network/onnx_reference/reference_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nestwright::onnx_reference {

namespace {

/// What is common to all axes.
struct Mode {
  std::string coordinates, interpolation, rounding;
  double cubic = -0.75, extrapolation = 0;
  bool excludeOutside = false;
};

struct Axis {
  std::int64_t from = 1, to = 1;
  double scale = 1, start = 0, end = 1; // the region of tf_crop_and_resize
};

/// The place in the data of element `i` of the result.
double original(const Mode& mode, const Axis& axis, std::int64_t i) {
  const auto x = static_cast<double>(i), from = static_cast<double>(axis.from);
  const double to = from * axis.scale;
  if (mode.coordinates == "half_pixel") return (x + 0.5) / axis.scale - 0.5;
  if (mode.coordinates == "pytorch_half_pixel")
    return axis.to > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
  if (mode.coordinates == "align_corners") return to == 1 ? 0 : x * (from - 1) / (to - 1);
  if (mode.coordinates == "asymmetric") return x / axis.scale;
  if (mode.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
  return axis.to > 1 ? axis.start * (from - 1) + x * (axis.end - axis.start) * (from - 1) /
                                                     static_cast<double>(axis.to - 1)
                     : 0.5 * (axis.start + axis.end) * (from - 1);
}

/// The weight of a neighbour at the distance `d`.
double weightOf(const Mode& mode, double d) {
  d = std::abs(d);
  if (mode.interpolation == "linear") return std::max(0.0, 1 - d);
  const double a = mode.cubic;
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

std::int64_t nearestTo(const Mode& mode, double x) {
  if (mode.rounding == "floor") return static_cast<std::int64_t>(std::floor(x));
  if (mode.rounding == "ceil") return static_cast<std::int64_t>(std::ceil(x));
  const double lower = std::floor(x);
  const bool tie = x - lower == 0.5;
  if (tie) return static_cast<std::int64_t>(lower) + (mode.rounding == "round_prefer_ceil" ? 1 : 0);
  return static_cast<std::int64_t>(std::floor(x + 0.5));
}

struct Neighbour {
  std::int64_t place = 0;
  double weight = 1;
};

/// The elements of an axis that one of the result is made of; none where it is outside a region.
std::vector<Neighbour> neighbours(const Mode& mode, const Axis& axis, std::int64_t i) {
  const double x = original(mode, axis, i);
  const std::int64_t last = axis.from - 1;
  if (mode.coordinates == "tf_crop_and_resize" && (x < 0 || x > static_cast<double>(last)))
    return {};
  if (mode.interpolation == "nearest")
    return {{std::clamp<std::int64_t>(nearestTo(mode, x), 0, last), 1}};
  const int reach = mode.interpolation == "linear" ? 1 : 2;
  const auto middle = static_cast<std::int64_t>(std::floor(x));
  std::vector<Neighbour> all;
  double sum = 0;
  for (std::int64_t n = middle - reach + 1; n <= middle + reach; ++n) {
    if (mode.excludeOutside && (n < 0 || n > last)) continue;
    const double weight = weightOf(mode, x - static_cast<double>(n));
    all.push_back({std::clamp<std::int64_t>(n, 0, last), weight});
    sum += weight;
  }
  if (mode.excludeOutside)
    for (Neighbour& neighbour : all)
      neighbour.weight /= sum;
  return all;
}

/// One axis resized. Where nothing is below an element, `inside` gets a 0.
Array resizedAxis(const Array& x, const Mode& mode, const Axis& axis, std::size_t d) {
  Shape shape = x.shape;
  shape[d] = axis.to;
  const std::int64_t inner = extentBetween(shape, d + 1, shape.size());
  const std::int64_t outer = extentBetween(shape, 0, d);
  std::vector<float> to(at(elementCount(shape)));
  for (std::int64_t i = 0; i < axis.to; ++i) {
    const std::vector<Neighbour> from = neighbours(mode, axis, i);
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t n = 0; n < inner; ++n) {
        double sum = 0;
        for (const Neighbour& neighbour : from)
          sum += neighbour.weight * realAt(x, (o * axis.from + neighbour.place) * inner + n);
        to[at((o * axis.to + i) * inner + n)] = static_cast<float>(sum);
      }
  }
  return {shape, std::move(to)};
}

/// Sets what lies outside of the region on some axis to the extrapolation value.
void extrapolate(Array& x, const Mode& mode, const std::vector<Axis>& axes) {
  auto& values = std::get<std::vector<float>>(x.data);
  std::size_t next = 0;
  forEachIndex(x.shape, [&](const Shape& index) {
    for (std::size_t d = 0; d < axes.size(); ++d)
      if (neighbours(mode, axes[d], index[d]).empty())
        values[next] = static_cast<float>(mode.extrapolation);
    ++next;
  });
}

std::vector<double> realsOf(const ReferenceNode& node, std::size_t i) {
  std::vector<double> values;
  if (node.has(i))
    for (std::int64_t n = 0; n < elementCount(node.shape(i)); ++n)
      values.push_back(realAt(node[i], n));
  return values;
}

Results resizeAll(const ReferenceNode& node, const Mode& mode, const std::vector<double>& scales,
                  const Shape& sizes, const std::vector<double>& region) {
  for (const auto& [value, known] : std::initializer_list<std::pair<std::string, std::string>>{
           {mode.interpolation, "nearest linear cubic"},
           {mode.coordinates, "half_pixel pytorch_half_pixel align_corners asymmetric "
                              "tf_half_pixel_for_nn tf_crop_and_resize"},
           {mode.rounding, "round_prefer_floor round_prefer_ceil floor ceil"}})
    if ((" " + known + " ").find(" " + value + " ") == std::string::npos)
      node.fail(fmt::format("'{}' is not known; there is {}", value, known));
  Array x = mapReal(node[0], [](double value) { return value; });
  const Shape in = x.shape;
  if ((scales.empty() ? sizes.size() : scales.size()) != in.size())
    node.fail("there is not one scale a dimension");
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < in.size(); ++d) {
    const auto extent = static_cast<double>(in[d]);
    Axis axis{in[d], 0, scales.empty() ? static_cast<double>(sizes[d]) / extent : scales[d], 0, 1};
    axis.to = scales.empty() ? sizes[d] : static_cast<std::int64_t>(std::floor(extent * scales[d]));
    if (mode.coordinates == "tf_crop_and_resize") {
      axis.start = region.at(d);
      axis.end = region.at(d + in.size());
    }
    axes.push_back(axis);
    x = resizedAxis(x, mode, axis, d);
  }
  if (mode.coordinates == "tf_crop_and_resize") extrapolate(x, mode, axes);
  if (node[0].isFloat()) return {x};
  std::vector<std::int64_t> whole;
  for (const float value : x.floats())
    whole.push_back(static_cast<std::int64_t>(value));
  return {{x.shape, std::move(whole)}};
}

Results resize(const ReferenceNode& node) {
  Mode mode{"asymmetric", node.text("mode", "nearest"), "floor"};
  if (node.opset() < 11) return resizeAll(node, mode, realsOf(node, 1), {}, {});
  mode.coordinates = node.text("coordinate_transformation_mode", "half_pixel");
  mode.rounding = node.text("nearest_mode", "round_prefer_floor");
  mode.cubic = node.real("cubic_coeff_a", -0.75);
  mode.extrapolation = node.real("extrapolation_value", 0);
  mode.excludeOutside = node.integer("exclude_outside", 0) != 0;
  const std::vector<double> scales = realsOf(node, 2);
  return resizeAll(node, mode, scales, scales.empty() && node.has(3) ? node.integersOf(3) : Shape(),
                   realsOf(node, 1));
}

Results upsample(const ReferenceNode& node) {
  std::vector<double> scales = realsOf(node, 1);
  if (const auto* given = node.attribute("scales"))
    scales.assign(given->floats().begin(), given->floats().end());
  return resizeAll(node, {"asymmetric", node.text("mode", "nearest"), "floor"}, scales, {}, {});
}

} // namespace

const Operators& resizeOperators() {
  static const Operators kTable = {
      {"Resize", resize},
      {"Upsample", upsample},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
