#pragma once
/// \file Shapes and element types of operators' results.

#include "core/network/graph/graph.h"

namespace nestwright {

struct TensorType {
  Shape shape;
  DataType type = kFloat32;
};

/// The type of an operator's output. Throws InputError saying which operand does not fit. Not for
/// Reshape, Expand, Slice and Cast, whose results are stated, not inferred.
TensorType inferOutput(OpKind kind, const Attributes& attributes,
                       const std::vector<TensorType>& inputs);

/// "[1, 3, 224, 224]".
std::string shapeText(const Shape& shape);

} // namespace nestwright
