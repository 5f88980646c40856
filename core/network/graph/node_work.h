#pragma once
/// \file How much one operator of a network computes.

#include "core/network/graph/graph.h"

#include <optional>

namespace nestwright {

/// Of a convolution or matrix product; 0 for other operators.
std::int64_t multiplyAccumulates(const Network& network, const Node& node);

/// Floating-point operations of one run: two a multiply-accumulate, one an element of an
/// element-wise operator, a reduction or a pooling's windows, none for moving elements. Nothing for
/// operators of several passes (Softmax, LayerNorm, BatchNorm), whose count is a matter of how they
/// are lowered.
std::optional<double> flops(const Network& network, const Node& node);

} // namespace nestwright
