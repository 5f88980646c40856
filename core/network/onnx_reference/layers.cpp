// ONNX convolutions, as the standard defines them.

#include "core/network/onnx_reference/reference_window.h"

#include <algorithm>

namespace nestwright::onnx_reference {

namespace {

/// Calls f(first, last) for the outputs i of an axis whose input i * stride + offset is inside.
template <class F>
void insideRange(std::int64_t outputs, std::int64_t stride, std::int64_t offset,
                 std::int64_t extent, const F& f) {
  std::int64_t first = 0, last = outputs;
  while (first < last && first * stride + offset < 0)
    ++first;
  while (last > first && (last - 1) * stride + offset >= extent)
    --last;
  if (first < last) f(first, last);
}

/// Calls f(place of the element at one end, at the other, how many follow) for each run of pairs
/// that meet through one element of the kernel: i * stride + kernel position - padding on each
/// axis.
template <class F>
void forEachRun(const Sliding& s, const Three& from, const Three& to, const Three& tap,
                const F& f) {
  Three offset;
  for (std::size_t a = 0; a < 3; ++a)
    offset[a] = tap[a] * s.dilations[a] - s.before[a];
  insideRange(from[0], s.strides[0], offset[0], to[0], [&](auto firstZ, auto lastZ) {
    insideRange(from[1], s.strides[1], offset[1], to[1], [&](auto firstY, auto lastY) {
      insideRange(from[2], s.strides[2], offset[2], to[2], [&](auto firstX, auto lastX) {
        for (std::int64_t z = firstZ; z < lastZ; ++z)
          for (std::int64_t y = firstY; y < lastY; ++y) {
            const std::int64_t row =
                (z * s.strides[0] + offset[0]) * to[1] + y * s.strides[1] + offset[1];
            f((z * from[1] + y) * from[2] + firstX, row * to[2] + firstX * s.strides[2] + offset[2],
              lastX - firstX);
          }
      });
    });
  });
}

template <class F>
void forEachTap(const Three& kernel, const F& f) {
  std::int64_t number = 0;
  for (std::int64_t z = 0; z < kernel[0]; ++z)
    for (std::int64_t y = 0; y < kernel[1]; ++y)
      for (std::int64_t x = 0; x < kernel[2]; ++x)
        f(Three{z, y, x}, number++);
}

const float* floatsOf(const ReferenceNode& node, std::size_t i) {
  if (!node[i].isFloat()) node.fail(fmt::format("operand {} holds no floats", i));
  return node[i].floats().data();
}

std::vector<float> rounded(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// One value a channel of [batch, channels, ...], or zeros.
std::vector<double> biased(const ReferenceNode& node, std::int64_t batch, std::int64_t channels,
                           std::int64_t area) {
  std::vector<double> sums(at(batch * channels * area), 0);
  if (!node.has(2)) return sums;
  if (elementCount(node.shape(2)) != channels) node.fail("the bias has not one value a channel");
  const float* bias = floatsOf(node, 2);
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = bias[static_cast<std::int64_t>(i) / area % channels];
  return sums;
}

Shape spatialPart(const Shape& kernel) {
  return {kernel.begin() + std::min<std::ptrdiff_t>(2, std::ssize(kernel)), kernel.end()};
}

Results convolution(const ReferenceNode& node) {
  const Shape &in = node.shape(0), &kernel = node.shape(1);
  Sliding s = readSliding(node, spatialPart(kernel));
  placeWindows(node, s);
  const std::int64_t groups = node.integer("group", 1), outputs = kernel[0];
  const std::int64_t perGroup = kernel[1];
  if (groups < 1 || perGroup * groups != in[1] || outputs % groups != 0)
    node.fail("kernel, groups and data do not fit");
  const std::int64_t outputsPerGroup = outputs / groups;
  const std::int64_t area = Sliding::volume(s.outputs), inArea = Sliding::volume(s.data);
  const std::int64_t taps = Sliding::volume(s.kernel);
  std::vector<double> sums = biased(node, in[0], outputs, area);
  const float *data = floatsOf(node, 0), *weights = floatsOf(node, 1);
  for (std::int64_t n = 0; n < in[0]; ++n)
    for (std::int64_t o = 0; o < outputs; ++o)
      for (std::int64_t c = 0; c < perGroup; ++c) {
        double* to = sums.data() + (n * outputs + o) * area;
        const float* from = data + (n * in[1] + o / outputsPerGroup * perGroup + c) * inArea;
        const float* taken = weights + (o * perGroup + c) * taps;
        forEachTap(s.kernel, [&](const Three& tap, std::int64_t number) {
          const double weight = taken[number];
          forEachRun(s, s.outputs, s.data, tap,
                     [&](std::int64_t result, std::int64_t source, std::int64_t count) {
                       for (std::int64_t i = 0; i < count; ++i)
                         to[result + i] += weight * from[source + i * s.strides[2]];
                     });
        });
      }
  return {{resultShape(s, in[0], outputs), rounded(sums)}};
}

/// The extents of a transposed convolution's result, and what is cut off in front.
void placeTransposed(const ReferenceNode& node, Sliding& s) {
  Shape extra = node.integers("output_padding"), sizes = node.integers("output_shape");
  const std::string mode = node.text("auto_pad", "NOTSET");
  if (extra.empty()) extra.assign(s.axes, 0);
  if (sizes.size() == s.axes + 2) sizes.erase(sizes.begin(), sizes.begin() + 2);
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  for (std::size_t i = 0; i < s.axes; ++i) {
    const std::size_t a = s.first() + i;
    const std::int64_t whole = s.strides[a] * (s.data[a] - 1) + extra.at(i) + s.span(a);
    if (sizes.empty() && !same) {
      s.outputs[a] = whole - s.before[a] - s.after[a];
      continue;
    }
    s.outputs[a] = sizes.empty() ? s.data[a] * s.strides[a] : sizes.at(i);
    const std::int64_t total = std::max<std::int64_t>(0, whole - s.outputs[a]);
    s.before[a] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
  }
}

Results transposedConvolution(const ReferenceNode& node) {
  const Shape &in = node.shape(0), &kernel = node.shape(1);
  Sliding s = readSliding(node, spatialPart(kernel));
  placeTransposed(node, s);
  const std::int64_t groups = node.integer("group", 1), outputsPerGroup = kernel[1];
  if (groups < 1 || kernel[0] != in[1] || in[1] % groups != 0)
    node.fail("kernel, groups and data do not fit");
  const std::int64_t outputs = outputsPerGroup * groups, inputsPerGroup = in[1] / groups;
  const std::int64_t area = Sliding::volume(s.outputs), inArea = Sliding::volume(s.data);
  const std::int64_t taps = Sliding::volume(s.kernel);
  std::vector<double> sums = biased(node, in[0], outputs, area);
  const float *data = floatsOf(node, 0), *weights = floatsOf(node, 1);
  for (std::int64_t n = 0; n < in[0]; ++n)
    for (std::int64_t c = 0; c < in[1]; ++c)
      for (std::int64_t o = 0; o < outputsPerGroup; ++o) {
        const std::int64_t channel = c / inputsPerGroup * outputsPerGroup + o;
        double* to = sums.data() + (n * outputs + channel) * area;
        const float* from = data + (n * in[1] + c) * inArea;
        const float* taken = weights + (c * outputsPerGroup + o) * taps;
        // Each element of the data is spread over the result.
        forEachTap(s.kernel, [&](const Three& tap, std::int64_t number) {
          const double weight = taken[number];
          forEachRun(s, s.data, s.outputs, tap,
                     [&](std::int64_t source, std::int64_t result, std::int64_t count) {
                       for (std::int64_t i = 0; i < count; ++i)
                         to[result + i * s.strides[2]] += weight * from[source + i];
                     });
        });
      }
  return {{resultShape(s, in[0], outputs), rounded(sums)}};
}

} // namespace

const Operators& layerOperators() {
  static const Operators kTable = {
      {"Conv", convolution},
      {"ConvTranspose", transposedConvolution},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
