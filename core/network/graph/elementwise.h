#pragma once
/// \file Element-wise and element-moving nodes as expressions.

#include "core/network/graph/graph.h"
#include "core/tensor/compute_dag.h"

namespace nestwright {

/// The result's element from the operands' elements.
Expr elementwiseExpr(const Node& node, DataType outputType, const std::vector<Expr>& operands);

/// "T_add", "compute" for relu and clip, ...: TVM's names.
std::string stageName(OpKind kind);

/// A node that moves elements, as one operator called `stage`.
Op lowerInjective(const Node& node, const std::string& stage, const Shape& outputShape,
                  const std::vector<Op>& inputs);

/// Sum, mean, maximum, minimum or product over axes.
Op lowerReduce(const Node& node, const Shape& outputShape, const Op& input);

/// Batch norm in inference form, channels first.
Op lowerBatchNorm(const Node& node, const std::vector<Op>& inputs);

} // namespace nestwright
