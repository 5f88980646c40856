#pragma once
/// \file Tasks in words.

#include "core/network/partition/fusion.h"

namespace nestwright {

/// "Conv 3x3/2 64->128 on 56x56 + Bias + Relu": the anchor with its shapes, then what is fused.
std::string describe(const Network& network, const FusedGroup& group);

} // namespace nestwright
