#pragma once
/// \file Sums of products of quantised numbers: of integers of 8 bits, in int32.

#include "core/network/graph/network_builder.h"

#include <optional>

namespace nestwright {

/// Integers of 8 bits, and the one among them that means 0; without it that is 0 itself.
struct SteppedOperand {
  TensorId steps = -1;
  TensorId zero = -1;
};

/// The number that all elements of a constant are, unless they differ or it is no constant.
std::optional<double> uniformValue(const Tensor& tensor);

/// What int8 and uint8 of the same place in their range differ by.
inline constexpr std::int64_t kUnsignedOffset = 128;
/// The zero point of steps of int8 once they are uint8: differences stay.
TensorId unsignedZero(NetworkBuilder& to, double zero);

/// The convolution, channels first, of (data - zero) and (kernel - zero), in int32. The products
/// are of the stored integers: a zero point of the data becomes the padding and a correction by the
/// kernel's sums, which is constant where the kernel is. A kernel's zero point is of one element or
/// of shape [outputs]. In one group the kernel is taken as int8, and what is left of its zero point
/// becomes a correction by the data's sums, one for all outputs; in several groups the kernel is
/// stored anew where the zero point does not vanish. Data of int8 whose zero point is a constant is
/// multiplied as uint8.
TensorId integerConv(NetworkBuilder& to, const SteppedOperand& data, const SteppedOperand& kernel,
                     ConvAttributes conv, const std::string& name);

/// The matrix product of (left - zero) and (right - zero), in int32. Zero points broadcast to their
/// operands; that of `left` has one column, that of `right` one row. `left` is taken as the data of
/// a convolution is, `right` as int8: what is left of a zero point of either becomes a correction
/// by the other's sums.
TensorId integerMatMul(NetworkBuilder& to, const SteppedOperand& left, const SteppedOperand& right,
                       const std::string& name);

} // namespace nestwright
