#pragma once
/// \file Private to the second opinion on ONNX models: windows over one to three spatial axes, seen
/// as three.

#include "core/network/onnx_reference/reference_node.h"

#include <array>

namespace nestwright::onnx_reference {

using Three = std::array<std::int64_t, 3>;

/// The axes that are there are the last; the others have one element, and a window of one.
struct Sliding {
  std::size_t axes = 0; // how many are there
  std::size_t first() const { return 3 - axes; }

  Three data{1, 1, 1}, kernel{1, 1, 1}, strides{1, 1, 1}, dilations{1, 1, 1};
  Three before{0, 0, 0}, after{0, 0, 0}; // padding
  Three outputs{1, 1, 1};

  std::int64_t span(std::size_t a) const { return dilations[a] * (kernel[a] - 1) + 1; }
  static std::int64_t volume(const Three& t) { return t[0] * t[1] * t[2]; }
};

/// What the node's attributes say, without the number of outputs, for a kernel of these extents.
Sliding readSliding(const ReferenceNode& node, const Shape& kernel);
/// Sets the padding (also where auto_pad leaves it open) and the number of windows.
void placeWindows(const ReferenceNode& node, Sliding& sliding);
/// [batch, channels, the outputs of the axes that are there].
Shape resultShape(const Sliding& sliding, std::int64_t batch, std::int64_t channels);

} // namespace nestwright::onnx_reference
