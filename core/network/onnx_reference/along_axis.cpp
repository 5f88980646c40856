// ONNX operators whose result at a place of an axis depends on what is before or behind it, as the
// standard defines them.

#include "core/network/onnx_reference/reference_node.h"

namespace nestwright::onnx_reference {

namespace {

Results cumSum(const ReferenceNode& node) {
  Array result = node[0];
  const Shape& in = result.shape;
  const std::size_t axis = node.axis(saturated(node.realOf(1)), in.size());
  const std::int64_t extent = in[axis], inner = extentBetween(in, axis + 1, in.size());
  const std::int64_t outer = extentBetween(in, 0, axis);
  const bool isReverse = node.integer("reverse", 0) != 0;
  const bool isExclusive = node.integer("exclusive", 0) != 0;
  std::visit(
      [&](auto& elements) {
        using Element = typename std::decay_t<decltype(elements)>::value_type;
        using Sum = std::conditional_t<std::is_same_v<Element, float>, double, std::int64_t>;
        for (std::int64_t row = 0; row < outer * inner; ++row) {
          Sum sum = 0;
          for (std::int64_t n = 0; n < extent; ++n) {
            const std::int64_t place = isReverse ? extent - 1 - n : n;
            Element& element =
                elements.at(at((row / inner * extent + place) * inner + row % inner));
            const Sum before = sum;
            sum += element;
            element = static_cast<Element>(isExclusive ? before : sum);
          }
        }
      },
      result.data);
  return {std::move(result)};
}

Results reverseSequence(const ReferenceNode& node) {
  const Shape& in = node.shape(0);
  const std::size_t batch = node.axis(node.integer("batch_axis", 1), in.size());
  const std::size_t time = node.axis(node.integer("time_axis", 0), in.size());
  const Shape strides = stridesOf(in);
  return {picked(node[0], in, [&](std::int64_t i) {
    const std::int64_t length = node.integersOf(1).at(at(i / strides[batch] % in[batch]));
    const std::int64_t place = i / strides[time] % in[time];
    return place < length ? i + (length - 1 - 2 * place) * strides[time] : i;
  })};
}

} // namespace

const Operators& alongAxisOperators() {
  static const Operators kTable = {
      {"CumSum", cumSum},
      {"ReverseSequence", reverseSequence},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
