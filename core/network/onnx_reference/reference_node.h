#pragma once
/// \file Private to the second opinion on ONNX models: what the evaluation of one node gets to work
/// with, and how it goes through tensors.

#include "core/network/graph/array.h"
#include "core/network/onnx/onnx_node.h"
#include "core/tensor/dtype.h"

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <vector>

namespace nestwright::onnx_reference {

/// One node with the values of its operands, and the element types that the model gives them: an
/// array does not say which integers it holds.
class ReferenceNode : public onnx_import::OnnxNode {
 public:
  ReferenceNode(const onnx::NodeProto& node, int opset, std::vector<ArrayPtr> inputs,
                std::vector<DataType> types)
      : OnnxNode(node, opset), inputs_(std::move(inputs)), types_(std::move(types)) {}

  std::size_t inputCount() const { return inputs_.size(); }
  bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i]; }
  /// Fails when the operand is not given.
  const Array& operator[](std::size_t i) const;
  const Shape& shape(std::size_t i) const { return (*this)[i].shape; }
  /// Of a float whether it is a half; others are float32, as the results of all but casts are.
  DataType type(std::size_t i) const { return types_.at(i); }
  /// An operand of integers.
  const Shape& integersOf(std::size_t i) const;
  /// Integers from the attribute or, since a later opset, from the operand; empty when absent.
  Shape integersOr(const char* name, std::size_t i) const;
  /// The first number of an operand.
  double realOf(std::size_t i) const;
  /// An axis counted from the front; fails when out of range.
  std::size_t axis(std::int64_t value, std::size_t rank) const;

 private:
  std::vector<ArrayPtr> inputs_;
  std::vector<DataType> types_;
};

using Results = std::vector<Array>;
using Operator = Results (*)(const ReferenceNode&);
using Operators = std::map<std::string, Operator>;

// The operators by file.
const Operators& elementwiseOperators();
const Operators& activationOperators();
const Operators& movementOperators();
const Operators& indexingOperators();
const Operators& constantOperators();
const Operators& reductionOperators();
const Operators& normalisationOperators();
const Operators& layerOperators();
const Operators& poolingOperators();
const Operators& productOperators();
const Operators& resizeOperators();
const Operators& recurrentOperators();
const Operators& lossOperators();
const Operators& alongAxisOperators();
const Operators& quantisedOperators();
/// Of ONNX Runtime's own domain, com.microsoft.
const Operators& runtimeOperators();

/// Ours for one of ONNX's; a double is float32.
DataType elementTypeOf(int onnxType);
/// The element type of a node's first output.
DataType resultType(const ReferenceNode& node);
/// An integer as an element of the type holds it: its low bits.
std::int64_t wrappedTo(DataType type, std::int64_t value);
/// A real as the nearest integer of the type.
std::int64_t saturatedTo(DataType type, double value);

inline std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// Row-major distances between neighbours along each dimension.
Shape stridesOf(const Shape& shape);
/// The product of the extents in [first, last).
std::int64_t extentBetween(const Shape& shape, std::size_t first, std::size_t last);
/// An element as a real. Throws std::out_of_range, which becomes the node's failure, where there is
/// none.
double realAt(const Array& a, std::int64_t i);
/// Zeros of the same kind as `like`.
Array zerosLike(const Array& like, const Shape& shape);
/// NumPy's common shape. Fails when there is none.
Shape broadcast(const ReferenceNode& node, const Shape& a, const Shape& b);
/// For each element of `out` its flat position in a tensor of shape `in` that broadcasts to it.
std::vector<std::int64_t> positionsIn(const Shape& in, const Shape& out);
/// The same elements in another shape.
Array withShape(Array a, Shape shape);

/// Calls f(index) for each index of the shape, the last dimension fastest.
template <class F>
void forEachIndex(const Shape& shape, const F& f) {
  Shape index(shape.size(), 0);
  for (std::int64_t left = elementCount(shape); left > 0; --left) {
    f(static_cast<const Shape&>(index));
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
}

/// The element of the result at each place is that of `from` at position f(place). Throws
/// std::out_of_range where there is none.
template <class F>
Array picked(const Array& from, const Shape& shape, const F& f) {
  const std::int64_t count = elementCount(shape);
  return std::visit(
      [&](const auto& elements) {
        std::decay_t<decltype(elements)> to(at(count));
        for (std::int64_t i = 0; i < count; ++i)
          to[at(i)] = elements.at(at(f(i)));
        return Array{shape, std::move(to)};
      },
      from.data);
}

/// f of each element, as floats.
template <class F>
Array mapReal(const Array& x, const F& f) {
  std::vector<float> to(at(elementCount(x.shape)));
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<float>(f(realAt(x, static_cast<std::int64_t>(i))));
  return {x.shape, std::move(to)};
}

} // namespace nestwright::onnx_reference
