// ONNX poolings, as the standard defines them.

#include "core/network/onnx_reference/reference_window.h"

#include <algorithm>
#include <limits>

namespace nestwright::onnx_reference {

namespace {

/// One window: where it lies, and the elements of the data under it.
struct View {
  std::vector<std::int64_t> places; // in a channel
  std::int64_t padded = 0;          // elements of the data and the padding under it
};

View viewOf(const Sliding& s, const Three& window) {
  View view;
  forEachIndex({s.kernel[0], s.kernel[1], s.kernel[2]}, [&](const Shape& tap) {
    Three i;
    bool inside = true, around = true;
    for (std::size_t a = 0; a < 3; ++a) {
      i[a] = window[a] * s.strides[a] - s.before[a] + tap[a] * s.dilations[a];
      inside = inside && i[a] >= 0 && i[a] < s.data[a];
      around = around && i[a] < s.data[a] + s.after[a];
    }
    view.padded += around ? 1 : 0;
    if (inside) view.places.push_back((i[0] * s.data[1] + i[1]) * s.data[2] + i[2]);
  });
  return view;
}

/// Calls f(flat index of the result, first element of the channel, the window's view).
template <class F>
void forEachWindow(const Sliding& s, std::int64_t channels, const F& f) {
  const std::int64_t area = Sliding::volume(s.outputs), inArea = Sliding::volume(s.data);
  std::int64_t number = 0;
  forEachIndex({s.outputs[0], s.outputs[1], s.outputs[2]}, [&](const Shape& w) {
    const View view = viewOf(s, {w[0], w[1], w[2]});
    for (std::int64_t c = 0; c < channels; ++c)
      f(c * area + number, c * inArea, view);
    ++number;
  });
}

/// The place in a channel when the first spatial axis counts fastest.
std::int64_t columnMajor(const Sliding& s, std::int64_t place) {
  const std::int64_t x = place % s.data[2], y = place / s.data[2] % s.data[1];
  const std::int64_t z = place / (s.data[2] * s.data[1]);
  const std::array<std::int64_t, 3> index{z, y, x};
  std::int64_t flat = 0, step = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    flat += index[a] * step;
    step *= s.data[a];
  }
  return flat;
}

Results maxPool(const ReferenceNode& node) {
  const Array& x = node[0];
  Sliding s = readSliding(node, node.integers("kernel_shape"));
  placeWindows(node, s);
  const Shape shape = resultShape(s, x.shape[0], x.shape[1]);
  const bool columns = node.integer("storage_order", 0) != 0;
  std::vector<std::int64_t> chosen(at(elementCount(shape))), indices(chosen.size());
  forEachWindow(s, x.shape[0] * x.shape[1],
                [&](std::int64_t result, std::int64_t channel, const View& view) {
                  if (view.places.empty()) node.fail("a window lies in the padding alone");
                  std::int64_t best = view.places[0];
                  for (const std::int64_t place : view.places)
                    if (realAt(x, channel + place) > realAt(x, channel + best)) best = place;
                  chosen[at(result)] = channel + best;
                  indices[at(result)] = channel + (columns ? columnMajor(s, best) : best);
                });
  return {picked(x, shape, [&](std::int64_t i) { return chosen[at(i)]; }),
          {shape, std::move(indices)}};
}

Results averagePool(const ReferenceNode& node) {
  const Array& x = node[0];
  Sliding s = readSliding(node, node.integers("kernel_shape"));
  placeWindows(node, s);
  const Shape shape = resultShape(s, x.shape[0], x.shape[1]);
  const bool countPadding = node.integer("count_include_pad", 0) != 0;
  std::vector<float> to(at(elementCount(shape)));
  forEachWindow(s, x.shape[0] * x.shape[1],
                [&](std::int64_t result, std::int64_t channel, const View& view) {
                  double sum = 0;
                  for (const std::int64_t place : view.places)
                    sum += realAt(x, channel + place);
                  const auto count =
                      countPadding ? view.padded : static_cast<std::int64_t>(view.places.size());
                  to[at(result)] = static_cast<float>(sum / static_cast<double>(count));
                });
  return {{shape, std::move(to)}};
}

/// f(the numbers of a channel) for each channel, whose spatial axes become one.
template <class F>
Results overChannels(const ReferenceNode& node, const F& f) {
  const Array& x = node[0];
  if (x.shape.size() < 3) node.fail("the data has no spatial axes");
  Shape shape(x.shape.size(), 1);
  shape[0] = x.shape[0];
  shape[1] = x.shape[1];
  const std::int64_t area = extentBetween(x.shape, 2, x.shape.size());
  if (area == 0) node.fail("the data has no elements in its spatial axes");
  std::vector<float> to;
  for (std::int64_t c = 0; c < x.shape[0] * x.shape[1]; ++c) {
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < area; ++i)
      numbers.push_back(realAt(x, c * area + i));
    to.push_back(static_cast<float>(f(numbers)));
  }
  return {{shape, std::move(to)}};
}

Results globalAverage(const ReferenceNode& node) {
  return overChannels(node, [](const std::vector<double>& numbers) {
    double sum = 0;
    for (const double number : numbers)
      sum += number;
    return sum / static_cast<double>(numbers.size());
  });
}

Results globalMax(const ReferenceNode& node) {
  return overChannels(node, [](const std::vector<double>& numbers) {
    return *std::max_element(numbers.begin(), numbers.end());
  });
}

} // namespace

const Operators& poolingOperators() {
  static const Operators kTable = {
      {"MaxPool", maxPool},
      {"AveragePool", averagePool},
      {"GlobalAveragePool", globalAverage},
      {"GlobalMaxPool", globalMax},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
