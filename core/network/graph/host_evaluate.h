#pragma once
/// \file Evaluating single nodes on host arrays, for constant folding: operators that move elements
/// or work on one element at a time. Slow next to a kernel, and enough for weights.

#include "core/network/graph/graph.h"

#include <functional>
#include <optional>

namespace nestwright {

/// True when `evaluateNode` knows the operator.
bool canEvaluate(OpKind kind);

/// The node's output. Throws InputError on an index out of range or an integer division by zero.
Array evaluateNode(const Node& node, const Tensor& output, const std::vector<ArrayPtr>& inputs);

/// The node's output as a constant when all its operands are constants: small ones are computed at
/// once (chains of shape arithmetic would be evaluated over and over), large ones when needed. An
/// evaluation's InputError names the node.
std::optional<Constant> foldedConstant(const Node& node, const Tensor& output,
                                       const std::function<const Tensor&(TensorId)>& tensor);

} // namespace nestwright
