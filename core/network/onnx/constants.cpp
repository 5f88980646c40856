// ONNX operators whose result is known at import: constants, shapes and what is made from them.

#include "core/network/onnx/onnx_context.h"

#include <cmath>

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

Outputs importShape(NodeImport& node) {
  const Shape in = node.shape(0);
  const auto rank = static_cast<std::int64_t>(in.size());
  const auto place = [&](const char* name, std::int64_t absent) {
    const std::int64_t at = node.integer(name, absent);
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = place("start", 0), end = std::max(start, place("end", rank));
  Shape part(in.begin() + start, in.begin() + end);
  const Shape extent{static_cast<std::int64_t>(part.size())};
  return {node.builder().constant(node.outputName(), extent, intConstant(extent, part), kInt64)};
}

Outputs importConstant(NodeImport& node) {
  NetworkBuilder& to = node.builder();
  const std::string& name = node.outputName();
  if (const auto* value = node.attribute("value")) {
    const onnx::TensorProto& tensor = value->t();
    return {
        to.constant(name, shapeOf(tensor), readTensor(tensor), elementType(tensor.data_type()))};
  }
  if (const auto* value = node.attribute("value_int"))
    return {to.constant(name, {}, intConstant({}, {value->i()}), kInt64)};
  if (const auto* value = node.attribute("value_float"))
    return {to.constant(name, {}, floatConstant({}, {value->f()}))};
  if (node.has("value_ints")) {
    const Shape values = node.integers("value_ints");
    return {node.constant({static_cast<std::int64_t>(values.size())}, values)};
  }
  if (const auto* value = node.attribute("value_floats"))
    return {node.constant({value->floats_size()},
                          std::vector<float>(value->floats().begin(), value->floats().end()))};
  node.fail("only constants of numbers are supported");
}

Outputs importConstantOfShape(NodeImport& node) {
  const Shape shape = node.constantInts(0);
  const auto* value = node.attribute("value");
  NetworkBuilder& to = node.builder();
  if (!value) return {to.constant(node.outputName(), shape, filledConstant(shape, 0))};
  const ArrayPtr element = readTensor(value->t()).materialise();
  if (elementCount(element->shape) != 1) node.fail("the value is no single number");
  if (element->isFloat())
    return {to.constant(node.outputName(), shape, filledConstant(shape, element->floats()[0]))};
  const std::int64_t number = element->ints()[0];
  return {to.constant(node.outputName(), shape, Constant::lazy([shape, number] {
                        const auto count = static_cast<std::size_t>(elementCount(shape));
                        return Array{shape, std::vector<std::int64_t>(count, number)};
                      }),
                      elementType(value->t().data_type()))};
}

Outputs importSize(NodeImport& node) {
  return {node.constant({}, std::vector<std::int64_t>{elementCount(node.shape(0))})};
}

/// Longer ranges are a mistake in a file.
constexpr double kLongestRange = 1 << 28;

Outputs importRange(NodeImport& node) {
  const double start = node.constantReal(0), step = node.constantReal(2);
  const double count = std::ceil((node.constantReal(1) - start) / step);
  if (step == 0 || !(count < kLongestRange))
    node.fail(
        fmt::format("a range from {} to {} in steps of {}", start, node.constantReal(1), step));
  const auto extent = static_cast<std::int64_t>(std::max(count, 0.0));
  node.builder().requireRoom({extent}, node.type(0));
  if (node.type(0).isFloat()) {
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(extent));
    for (std::int64_t i = 0; i < extent; ++i)
      values.push_back(static_cast<float>(start + static_cast<double>(i) * step));
    return {node.constant({extent}, std::move(values))};
  }
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(extent));
  for (std::int64_t i = 0; i < extent; ++i)
    values.push_back(saturated(start + static_cast<double>(i) * step));
  return {node.constant({extent}, std::move(values), node.type(0))};
}

Outputs importEyeLike(NodeImport& node) {
  const Shape in = node.shape(0);
  if (in.size() != 2) node.fail("the data is no matrix");
  const DataType type =
      node.has("dtype") ? elementType(static_cast<int>(node.integer("dtype", 1))) : node.type(0);
  node.builder().requireRoom(in, kInt64);
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(elementCount(in)));
  for (std::int64_t r = 0; r < in[0]; ++r)
    for (std::int64_t c = 0; c < in[1]; ++c)
      values.push_back(c - r == node.integer("k", 0) ? 1 : 0);
  return {node.emitCast(node.constant(in, std::move(values)), type)};
}

/// indices == 0, 1, 2, ... along a new axis chooses between two values.
Outputs importOneHot(NodeImport& node) {
  const std::int64_t depth = saturated(node.constantReal(1));
  Shape shape = node.shape(0);
  const int axis = node.axis(node.integer("axis", -1), shape.size() + 1);
  if (depth < 1 || depth > kLongestRange) node.fail(fmt::format("a depth of {}", depth));
  shape.insert(shape.begin() + axis, 1);
  const TensorId raw = node.emitReshape(node.emitCast(node.input(0), kInt64), shape);
  const TensorId above =
      node.emit(OpKind::Add, {raw, node.number(static_cast<double>(depth), kInt64)});
  const TensorId below = node.emit(OpKind::Less, {raw, node.number(0, kInt64)});
  const TensorId index = node.emit(OpKind::Where, {below, above, raw});
  const TensorId places = node.positions(depth, shape.size() - static_cast<std::size_t>(axis) - 1);
  const TensorId hit = node.emit(OpKind::Equal, {index, places});
  const auto value = [&](std::int64_t i) {
    return node.emitReshape(node.emitSlice(node.input(2), 0, i, 1), {});
  };
  if (node.shape(2) != Shape{2}) node.fail("the values are not two");
  return {node.emit(OpKind::Where, {hit, value(1), value(0)})};
}

/// first - second * cos(angle) + third * cos(2 * angle), where the angle goes once around.
struct WindowForm {
  double first, second, third;
};
constexpr WindowForm kHann{0.5, 0.5, 0}, kBlackman{0.42, 0.5, 0.08};
constexpr WindowForm kHamming{25.0 / 46, 21.0 / 46, 0};

template <const WindowForm& Form>
Outputs importWindow(NodeImport& node) {
  const std::int64_t size = saturated(node.constantReal(0));
  if (size < 1 || size > kLongestRange) node.fail(fmt::format("a window of {} elements", size));
  const DataType type = elementType(static_cast<int>(node.integer("output_datatype", 1)));
  node.builder().requireRoom({size}, kFloat32);
  const bool isPeriodic = node.integer("periodic", 1) != 0;
  const auto turns = static_cast<double>(std::max<std::int64_t>(isPeriodic ? size : size - 1, 1));
  std::vector<float> values;
  for (std::int64_t i = 0; i < size; ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i) / turns;
    values.push_back(static_cast<float>(Form.first - Form.second * std::cos(angle) +
                                        Form.third * std::cos(2 * angle)));
  }
  return {node.emitCast(node.constant({size}, std::move(values)), type)};
}

} // namespace

const std::map<std::string, Importer>& constantImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"Shape", importShape},
      {"Size", importSize},
      {"Constant", importConstant},
      {"ConstantOfShape", importConstantOfShape},
      {"Range", importRange},
      {"EyeLike", importEyeLike},
      {"OneHot", importOneHot},
      {"HannWindow", importWindow<kHann>},
      {"HammingWindow", importWindow<kHamming>},
      {"BlackmanWindow", importWindow<kBlackman>},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
