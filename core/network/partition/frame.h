#pragma once
/// \file Merging dimensions: a group's tensors seen with runs of neighbouring dimensions as one.

#include "core/network/graph/window.h"

#include <optional>
#include <utility>

namespace nestwright {

/// Runs of dimensions of a shape, in order, that are treated as one dimension each.
struct ShapeFrame {
  Shape full;                                            // the shape that is cut into runs
  std::vector<std::pair<std::size_t, std::size_t>> runs; // [begin, end)

  /// Every dimension by itself.
  static ShapeFrame identity(const Shape& shape);
  /// All but the last dimension as one: rows and columns.
  static ShapeFrame rows(const Shape& shape);
  /// All dimensions as one.
  static ShapeFrame flat(const Shape& shape);

  /// The shape that a tensor, which broadcasts to `full`, has in this frame; nothing when its own
  /// broadcasting needs the dimensions apart.
  std::optional<Shape> view(const Shape& shape) const;
};

} // namespace nestwright
