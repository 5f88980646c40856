// ONNX operators that give shapes and make tensors, as the standard defines them.

#include "core/network/onnx/onnx_context.h"
#include "core/network/onnx_reference/reference_node.h"

#include <algorithm>
#include <cmath>

namespace nestwright::onnx_reference {

namespace {

Results shapeOfData(const ReferenceNode& node) {
  const Shape& in = node.shape(0);
  const auto rank = static_cast<std::int64_t>(in.size());
  const auto place = [&](const char* name, std::int64_t absent) {
    const std::int64_t value = node.integer(name, absent);
    return std::clamp<std::int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  const std::int64_t first = place("start", 0), last = std::max(first, place("end", rank));
  Shape part(in.begin() + first, in.begin() + last);
  const auto extent = static_cast<std::int64_t>(part.size());
  return {{{extent}, std::move(part)}};
}

Results sizeOfData(const ReferenceNode& node) {
  return {{{}, std::vector<std::int64_t>{elementCount(node.shape(0))}}};
}

Results constant(const ReferenceNode& node) {
  if (const auto* value = node.attribute("value"))
    return {*onnx_import::readTensor(value->t()).materialise()};
  if (const auto* value = node.attribute("value_int"))
    return {{{}, std::vector<std::int64_t>{value->i()}}};
  if (const auto* value = node.attribute("value_float"))
    return {{{}, std::vector<float>{value->f()}}};
  if (const auto* value = node.attribute("value_ints"))
    return {{{value->ints_size()},
             std::vector<std::int64_t>(value->ints().begin(), value->ints().end())}};
  if (const auto* value = node.attribute("value_floats"))
    return {{{value->floats_size()},
             std::vector<float>(value->floats().begin(), value->floats().end())}};
  node.fail("only constants of numbers are known");
}

Results constantOfShape(const ReferenceNode& node) {
  const Shape& shape = node.integersOf(0);
  const std::size_t count = at(elementCount(shape));
  const auto* value = node.attribute("value");
  if (!value) return {{shape, std::vector<float>(count, 0)}};
  const Array element = *onnx_import::readTensor(value->t()).materialise();
  if (element.isFloat()) return {{shape, std::vector<float>(count, element.floats().at(0))}};
  return {{shape, std::vector<std::int64_t>(count, element.ints().at(0))}};
}

Results range(const ReferenceNode& node) {
  const double start = node.realOf(0), limit = node.realOf(1), step = node.realOf(2);
  const double count = std::max(std::ceil((limit - start) / step), 0.0);
  const std::int64_t extent = saturated(count);
  if (node[0].isFloat()) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < extent; ++i)
      values.push_back(static_cast<float>(start + static_cast<double>(i) * step));
    return {{{extent}, std::move(values)}};
  }
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < extent; ++i)
    values.push_back(node.integersOf(0)[0] + i * node.integersOf(2)[0]);
  return {{{extent}, std::move(values)}};
}

Results eyeLike(const ReferenceNode& node) {
  const Shape& shape = node.shape(0);
  const std::int64_t diagonal = node.integer("k", 0);
  const bool real =
      node.attribute("dtype")
          ? onnx_import::elementType(static_cast<int>(node.integer("dtype", 1))).isFloat()
          : node[0].isFloat();
  std::vector<std::int64_t> ones;
  forEachIndex(shape, [&](const Shape& i) { ones.push_back(i[1] - i[0] == diagonal ? 1 : 0); });
  Array result{shape, std::move(ones)};
  return {real ? mapReal(result, [](double x) { return x; }) : result};
}

Results oneHot(const ReferenceNode& node) {
  const auto depth = static_cast<std::int64_t>(node.realOf(1));
  const Array& values = node[2];
  Shape shape = node.shape(0);
  const std::size_t axis = node.axis(node.integer("axis", -1), shape.size() + 1);
  const std::int64_t inner = extentBetween(shape, axis, shape.size());
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  return {picked(values, shape, [&](std::int64_t i) -> std::int64_t {
    const double raw = realAt(node[0], i / (depth * inner) * inner + i % inner);
    return i / inner % depth ==
           static_cast<std::int64_t>(raw < 0 ? raw + static_cast<double>(depth) : raw);
  })};
}

/// a0 - a1 * cos(2 pi n / m) + a2 * cos(4 pi n / m), m being the size, or one less.
Array cosineWindow(const ReferenceNode& node, double a0, double a1, double a2) {
  const std::int64_t size = saturated(node.realOf(0));
  const std::int64_t m = node.integer("periodic", 1) != 0 ? size : size - 1;
  std::vector<float> to;
  for (std::int64_t n = 0; n < size; ++n) {
    const double x =
        M_PI * static_cast<double>(n) / static_cast<double>(std::max<std::int64_t>(m, 1));
    to.push_back(static_cast<float>(a0 - a1 * std::cos(2 * x) + a2 * std::cos(4 * x)));
  }
  return {{size}, std::move(to)};
}

Results hannWindow(const ReferenceNode& node) {
  return {cosineWindow(node, 0.5, 0.5, 0)};
}

Results hammingWindow(const ReferenceNode& node) {
  return {cosineWindow(node, 25.0 / 46, 21.0 / 46, 0)};
}

Results blackmanWindow(const ReferenceNode& node) {
  return {cosineWindow(node, 0.42, 0.5, 0.08)};
}

} // namespace

const Operators& constantOperators() {
  static const Operators kTable = {
      {"Shape", shapeOfData},
      {"Size", sizeOfData},
      {"Constant", constant},
      {"ConstantOfShape", constantOfShape},
      {"Range", range},
      {"EyeLike", eyeLike},
      {"OneHot", oneHot},
      {"HannWindow", hannWindow},
      {"HammingWindow", hammingWindow},
      {"BlackmanWindow", blackmanWindow},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
