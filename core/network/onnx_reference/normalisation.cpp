// ONNX operators that normalise, as the standard defines them.

#include "core/network/onnx_reference/reference_node.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::onnx_reference {

namespace {

Results batchNorm(const ReferenceNode& node) {
  if (node.integer("training_mode", 0) != 0) node.fail("training mode is not supported");
  const Array& x = node[0];
  const double epsilon = node.real("epsilon", 1e-5);
  const std::int64_t inner = extentBetween(x.shape, 2, x.shape.size());
  std::vector<float> to(at(elementCount(x.shape)));
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto flat = static_cast<std::int64_t>(i);
    const std::int64_t c = flat / inner % x.shape.at(1);
    to[i] = static_cast<float>((realAt(x, flat) - realAt(node[3], c)) /
                                   std::sqrt(realAt(node[4], c) + epsilon) * realAt(node[1], c) +
                               realAt(node[2], c));
  }
  return {{x.shape, std::move(to)}};
}

struct Statistics {
  double mean = 0, variance = 0;
};

/// Of `count` elements from `first` on.
Statistics statistics(const Array& x, std::int64_t first, std::int64_t count) {
  Statistics s;
  for (std::int64_t i = 0; i < count; ++i)
    s.mean += realAt(x, first + i);
  s.mean /= static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i)
    s.variance += std::pow(realAt(x, first + i) - s.mean, 2);
  s.variance /= static_cast<double>(count);
  return s;
}

Results layerNorm(const ReferenceNode& node) {
  const Array& x = node[0];
  const std::size_t axis = node.axis(node.integer("axis", -1), x.shape.size());
  const double epsilon = node.real("epsilon", 1e-5);
  const std::int64_t row = extentBetween(x.shape, axis, x.shape.size());
  const std::int64_t rows = extentBetween(x.shape, 0, axis);
  Shape statisticsShape = x.shape;
  std::fill(statisticsShape.begin() + static_cast<std::ptrdiff_t>(axis), statisticsShape.end(), 1);
  std::vector<float> to, means, inverses;
  for (std::int64_t r = 0; r < rows; ++r) {
    const Statistics s = statistics(x, r * row, row);
    const double inverse = 1 / std::sqrt(s.variance + epsilon);
    means.push_back(static_cast<float>(s.mean));
    inverses.push_back(static_cast<float>(inverse));
    for (std::int64_t i = 0; i < row; ++i)
      to.push_back(
          static_cast<float>((realAt(x, r * row + i) - s.mean) * inverse * realAt(node[1], i) +
                             (node.has(2) ? realAt(node[2], i) : 0)));
  }
  return {{x.shape, std::move(to)},
          {statisticsShape, std::move(means)},
          {statisticsShape, std::move(inverses)}};
}

Results instanceNorm(const ReferenceNode& node) {
  const Array& x = node[0];
  const double epsilon = node.real("epsilon", 1e-5);
  const std::int64_t area = extentBetween(x.shape, 2, x.shape.size());
  std::vector<float> to;
  for (std::int64_t plane = 0; plane < x.shape.at(0) * x.shape.at(1); ++plane) {
    const Statistics s = statistics(x, plane * area, area);
    const std::int64_t c = plane % x.shape[1];
    for (std::int64_t i = 0; i < area; ++i)
      to.push_back(static_cast<float>((realAt(x, plane * area + i) - s.mean) /
                                          std::sqrt(s.variance + epsilon) * realAt(node[1], c) +
                                      realAt(node[2], c)));
  }
  return {{x.shape, std::move(to)}};
}

/// (x - mean) / (sqrt(mean of squares - square of mean) + 1e-9)
Results meanVarianceNorm(const ReferenceNode& node) {
  const Array& x = node[0];
  const Shape axes = node.attribute("axes") ? node.integers("axes") : Shape{0, 2, 3};
  Shape kept = x.shape;
  for (const std::int64_t axis : axes)
    kept[node.axis(axis, kept.size())] = 1;
  const std::vector<std::int64_t> places = positionsIn(kept, x.shape);
  const std::size_t groups = at(elementCount(kept));
  const double count = static_cast<double>(places.size()) / static_cast<double>(groups);
  std::vector<double> means(groups, 0), variances(groups, 0);
  for (std::size_t i = 0; i < places.size(); ++i)
    means[at(places[i])] += realAt(x, static_cast<std::int64_t>(i)) / count;
  for (std::size_t i = 0; i < places.size(); ++i)
    variances[at(places[i])] +=
        std::pow(realAt(x, static_cast<std::int64_t>(i)) - means[at(places[i])], 2) / count;
  std::vector<float> to(places.size());
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<float>((realAt(x, static_cast<std::int64_t>(i)) - means[at(places[i])]) /
                               (std::sqrt(variances[at(places[i])]) + 1e-9));
  return {{x.shape, std::move(to)}};
}

Results localResponseNorm(const ReferenceNode& node) {
  const Array& x = node[0];
  const std::int64_t size = node.integer("size", 1), channels = x.shape.at(1);
  const double alpha = node.real("alpha", 1e-4), beta = node.real("beta", 0.75);
  const double bias = node.real("bias", 1);
  const std::int64_t inner = extentBetween(x.shape, 2, x.shape.size());
  std::vector<float> to(at(elementCount(x.shape)));
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto flat = static_cast<std::int64_t>(i);
    const std::int64_t c = flat / inner % channels;
    double squares = 0;
    for (std::int64_t n = std::max<std::int64_t>(0, c - (size - 1) / 2);
         n <= std::min(channels - 1, c + size / 2); ++n)
      squares += std::pow(realAt(x, flat + (n - c) * inner), 2);
    to[i] = static_cast<float>(realAt(x, flat) /
                               std::pow(bias + alpha / static_cast<double>(size) * squares, beta));
  }
  return {{x.shape, std::move(to)}};
}

/// f(numbers) in place for each row along the axis; before opset 13 all axes from it on are one.
template <class F>
Results alongAxis(const ReferenceNode& node, const F& f) {
  const Array& x = node[0];
  const bool old = node.opset() < 13;
  const std::size_t axis = node.axis(node.integer("axis", old ? 1 : -1), x.shape.size());
  const std::int64_t extent = old ? extentBetween(x.shape, axis, x.shape.size()) : x.shape[axis];
  const std::int64_t inner = old ? 1 : extentBetween(x.shape, axis + 1, x.shape.size());
  const std::int64_t outer = extentBetween(x.shape, 0, axis);
  std::vector<float> to(at(elementCount(x.shape)));
  if (to.empty()) return {{x.shape, std::move(to)}}; // rows of nothing
  std::vector<double> numbers(at(extent));
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      const auto place = [&](std::size_t n) {
        return (o * extent + static_cast<std::int64_t>(n)) * inner + i;
      };
      for (std::size_t n = 0; n < numbers.size(); ++n)
        numbers[n] = realAt(x, place(n));
      f(numbers);
      for (std::size_t n = 0; n < numbers.size(); ++n)
        to[at(place(n))] = static_cast<float>(numbers[n]);
    }
  return {{x.shape, std::move(to)}};
}

/// log(sum(exp(numbers)))
double logSumExp(const std::vector<double>& numbers) {
  const double top = *std::max_element(numbers.begin(), numbers.end());
  double total = 0;
  for (const double number : numbers)
    total += std::exp(number - top);
  return top + std::log(total);
}

Results softmax(const ReferenceNode& node) {
  return alongAxis(node, [](std::vector<double>& numbers) {
    const double all = logSumExp(numbers);
    for (double& number : numbers)
      number = std::exp(number - all);
  });
}

Results logSoftmax(const ReferenceNode& node) {
  return alongAxis(node, [](std::vector<double>& numbers) {
    const double all = logSumExp(numbers);
    for (double& number : numbers)
      number -= all;
  });
}

Results hardmax(const ReferenceNode& node) {
  return alongAxis(node, [](std::vector<double>& numbers) {
    const auto top = std::max_element(numbers.begin(), numbers.end()) - numbers.begin();
    std::fill(numbers.begin(), numbers.end(), 0);
    numbers[at(top)] = 1;
  });
}

} // namespace

const Operators& normalisationOperators() {
  static const Operators kTable = {
      {"BatchNormalization", batchNorm},
      {"LayerNormalization", layerNorm},
      {"InstanceNormalization", instanceNorm},
      {"MeanVarianceNormalization", meanVarianceNorm},
      {"LRN", localResponseNorm},
      {"Softmax", softmax},
      {"LogSoftmax", logSoftmax},
      {"Hardmax", hardmax},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
