#pragma once
/// \file Graph passes: each a function from a network to a network that computes the same, one file
/// each. `optimise` runs them in their order.

#include "core/network/graph/graph.h"

namespace nestwright {

/// Nodes whose operands are all constant become constants; nodes without effect go (x * 1, a
/// reshape to the same shape, a pooling of single elements).
Network foldConstants(const Network& network);

/// Convolutions and matrix products of dequantised operands become products of their 8-bit
/// integers, which are scaled behind the sum; what only moves or chooses elements works on the
/// integers; and quantising what was dequantised from the same steps is nothing.
Network toIntegerProducts(const Network& network);

/// Quantised data of int8 that products multiply as uint8 (`integerConv`) is made as uint8, with zero
/// points 128 higher, and so are maxima of it; other steps of int8 stay what they are.
Network toUnsignedSteps(const Network& network);

/// Batch norms become part of the convolution before them: its kernel is scaled, a bias is added.
/// Those that follow no convolution become a multiplication and an addition per channel.
Network foldBatchNorm(const Network& network);

/// (x - mean) / sqrt(variance + e) * scale + shift, written out as PyTorch exports it, becomes one
/// LayerNorm.
Network recogniseLayerNorm(const Network& network);

/// Zeros around the data of a convolution or an average, and minus infinity around that of a
/// maximum, become padding of its window. Channels first.
Network absorbPads(const Network& network);

/// Activations to channels last, kernels to HWIO (depthwise HWCM), for CPUs. Transposes stay only
/// where the network itself asks for the other layout, at its inputs and outputs.
Network toChannelsLast(const Network& network);

/// Element-wise scalar operators move in front of reshapes and transposes (where they can join the
/// operator that makes the data), and transposes around matrix products become part of how those
/// read and write.
Network absorbTransposes(const Network& network);

/// Convolutions in one group whose products are narrow get channels of zeros where theirs fill no
/// whole steps of the instructions that add several products at once, as the three of an image do
/// not: up to a multiple of four of bytes, of two where bfloat16 will be multiplied. Channels last.
Network fillChannels(const Network& network);

/// Convolutions in one group and matrix products multiply bfloat16 and sum in float32, as do all
/// others: each factor is rounded once where it is made, constants beforehand. What is read by such
/// products and element-wise operators alone is kept in bfloat16.
Network narrowProducts(const Network& network);

/// The parameter of a network that asks for it, where it is 1.
inline constexpr const char* kBFloat16Parameter = "bf16";
bool hasNarrowProducts(const Network& network);

/// All passes, in order, for a CPU.
Network optimise(const Network& network);

} // namespace nestwright
