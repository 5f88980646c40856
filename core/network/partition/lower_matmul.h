#pragma once
/// \file Matrix products of a network in their canonical forms.

#include "core/network/graph/graph.h"
#include "core/network/partition/frame.h"
#include "core/tensor/compute_dag.h"

namespace nestwright {

/// A matrix product's operand shapes, the frame of its output, and the operator over placeholders.
struct MatMulForm {
  std::string leftName, rightName;
  Shape left, right; // merged and without dimensions of one element
  ShapeFrame output;
  std::function<Op(const Op& left, const Op& right)> build;
};

/// Dense layers become C(i, j) over A and B, products of equal batches T_batch_matmul over X and Y;
/// others read and write their permuted operands in place. Without `mergeDimensions` (for operands
/// that broadcast along some of them) the dimensions of the output stay apart.
MatMulForm matMulForm(const Network& network, const Node& node, bool mergeDimensions);

} // namespace nestwright
