#pragma once
/// \file The geometry of sliding windows: convolutions and poolings over one to three spatial axes.

#include <cstdint>
#include <vector>

namespace nestwright {

using Shape = std::vector<std::int64_t>;

/// Where the channels of an activation are: N C D H W or N D H W C.
enum class TensorLayout : std::uint8_t { ChannelsFirst, ChannelsLast };

/// One entry a spatial axis in every vector.
struct Window {
  Shape kernel, strides, padsBefore, padsAfter, dilations;
  friend bool operator==(const Window&, const Window&) = default;

  int rank() const { return static_cast<int>(kernel.size()); }

  /// The same numbers on each of `rank` axes, padding on both sides.
  static Window square(int rank, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                       std::int64_t dilation = 1) {
    const auto n = static_cast<std::size_t>(rank);
    return {Shape(n, kernel), Shape(n, stride), Shape(n, pad), Shape(n, pad), Shape(n, dilation)};
  }

  /// Extent of the padded input that one window covers on an axis.
  std::int64_t span(std::size_t axis) const { return dilations[axis] * (kernel[axis] - 1) + 1; }

  /// Number of windows on an axis of `extent` elements; not positive when not one fits.
  std::int64_t outputs(std::size_t axis, std::int64_t extent, bool ceiling = false) const {
    const std::int64_t room = extent + padsBefore[axis] + padsAfter[axis] - span(axis);
    if (room < 0) return 0;
    std::int64_t count = (room + (ceiling ? strides[axis] - 1 : 0)) / strides[axis] + 1;
    // A window that would start in the padding behind the input does not count (ONNX, PyTorch).
    if (ceiling && (count - 1) * strides[axis] >= extent + padsBefore[axis]) --count;
    return count;
  }

  /// Elements of a transposed convolution's result on an axis; not positive when nothing is left.
  std::int64_t transposedOutputs(std::size_t axis, std::int64_t extent) const {
    return (extent - 1) * strides[axis] + span(axis) - padsBefore[axis] - padsAfter[axis];
  }
};

} // namespace nestwright
