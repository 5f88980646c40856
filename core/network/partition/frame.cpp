#include "core/network/partition/frame.h"

namespace nestwright {

ShapeFrame ShapeFrame::identity(const Shape& shape) {
  ShapeFrame frame{shape, {}};
  for (std::size_t d = 0; d < shape.size(); ++d)
    frame.runs.emplace_back(d, d + 1);
  return frame;
}

ShapeFrame ShapeFrame::rows(const Shape& shape) {
  if (shape.size() < 2) return {shape, {{0, 0}, {0, shape.size()}}};
  return {shape, {{0, shape.size() - 1}, {shape.size() - 1, shape.size()}}};
}

ShapeFrame ShapeFrame::flat(const Shape& shape) {
  return {shape, {{0, shape.size()}}};
}

std::optional<Shape> ShapeFrame::view(const Shape& shape) const {
  if (shape.size() > full.size()) return std::nullopt;
  Shape padded(full.size() - shape.size(), 1);
  padded.insert(padded.end(), shape.begin(), shape.end());
  Shape result;
  for (const auto& [begin, end] : runs) {
    std::int64_t extent = 1;
    bool same = true, ones = true;
    for (std::size_t d = begin; d < end; ++d) {
      extent *= padded[d];
      same = same && padded[d] == full[d];
      ones = ones && padded[d] == 1;
    }
    if (!same && !ones) return std::nullopt;
    result.push_back(extent);
  }
  return result;
}

} // namespace nestwright
