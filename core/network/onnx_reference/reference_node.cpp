#include "core/network/onnx_reference/reference_node.h"

#include "core/network/graph/infer.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

namespace nestwright::onnx_reference {

const Array& ReferenceNode::operator[](std::size_t i) const {
  if (!has(i)) fail(fmt::format("operand {} is missing", i));
  return *inputs_[i];
}

const Shape& ReferenceNode::integersOf(std::size_t i) const {
  if ((*this)[i].isFloat()) fail(fmt::format("operand {} holds no integers", i));
  return (*this)[i].ints();
}

Shape ReferenceNode::integersOr(const char* name, std::size_t i) const {
  return attribute(name) ? integers(name) : has(i) ? integersOf(i) : Shape();
}

double ReferenceNode::realOf(std::size_t i) const {
  if (elementCount(shape(i)) < 1) fail(fmt::format("operand {} is empty", i));
  return realAt((*this)[i], 0);
}

std::size_t ReferenceNode::axis(std::int64_t value, std::size_t rank) const {
  const auto extent = static_cast<std::int64_t>(rank);
  if (value < -extent || value >= extent)
    fail(fmt::format("the axis {} is out of range for {}", value, quantity(extent, "dimension")));
  return at(value < 0 ? value + extent : value);
}

Shape stridesOf(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

std::int64_t extentBetween(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t product = 1;
  for (std::size_t d = first; d < last; ++d)
    product *= shape[d];
  return product;
}

double realAt(const Array& a, std::int64_t i) {
  return a.isFloat() ? a.floats().at(at(i)) : static_cast<double>(a.ints().at(at(i)));
}

Array zerosLike(const Array& like, const Shape& shape) {
  const std::size_t count = at(elementCount(shape));
  if (like.isFloat()) return {shape, std::vector<float>(count, 0)};
  return {shape, std::vector<std::int64_t>(count, 0)};
}

Shape broadcast(const ReferenceNode& node, const Shape& a, const Shape& b) {
  Shape result = a.size() < b.size() ? b : a;
  const Shape& other = a.size() < b.size() ? a : b;
  const std::size_t offset = result.size() - other.size();
  for (std::size_t d = 0; d < other.size(); ++d) {
    std::int64_t& extent = result[offset + d];
    if (extent != other[d] && extent != 1 && other[d] != 1)
      node.fail(fmt::format("{} and {} do not broadcast", shapeText(a), shapeText(b)));
    if (extent == 1) extent = other[d];
  }
  return result;
}

std::vector<std::int64_t> positionsIn(const Shape& in, const Shape& out) {
  std::vector<std::int64_t> positions(at(elementCount(out)));
  const std::size_t offset = out.size() - in.size();
  Shape steps(out.size(), 0);
  const Shape strides = stridesOf(in);
  for (std::size_t d = 0; d < in.size(); ++d)
    steps[offset + d] = in[d] == 1 ? 0 : strides[d];
  std::size_t next = 0;
  forEachIndex(out, [&](const Shape& index) {
    std::int64_t position = 0;
    for (std::size_t d = offset; d < out.size(); ++d)
      position += index[d] * steps[d];
    positions[next++] = position;
  });
  return positions;
}

Array withShape(Array a, Shape shape) {
  NW_ASSERT(elementCount(a.shape) == elementCount(shape), "{} as {}", shapeText(a.shape),
            shapeText(shape));
  a.shape = std::move(shape);
  return a;
}

} // namespace nestwright::onnx_reference
