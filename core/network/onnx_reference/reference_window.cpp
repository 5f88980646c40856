#include "core/network/onnx_reference/reference_window.h"

#include <algorithm>

namespace nestwright::onnx_reference {

Sliding readSliding(const ReferenceNode& node, const Shape& kernel) {
  Sliding sliding;
  const Shape& in = node.shape(0);
  sliding.axes = kernel.size();
  if (sliding.axes < 1 || sliding.axes > 3 || in.size() != sliding.axes + 2)
    node.fail("one to three spatial axes are known, and as many in the data");
  const Shape strides = node.integers("strides"), dilations = node.integers("dilations");
  const Shape pads = node.integers("pads");
  for (std::size_t i = 0; i < sliding.axes; ++i) {
    const std::size_t a = sliding.first() + i;
    sliding.data[a] = in[i + 2];
    sliding.kernel[a] = kernel[i];
    if (!strides.empty()) sliding.strides[a] = strides.at(i);
    if (!dilations.empty()) sliding.dilations[a] = dilations.at(i);
    if (sliding.kernel[a] < 1 || sliding.strides[a] < 1 || sliding.dilations[a] < 1)
      node.fail("kernel, strides and dilations must be positive");
    if (pads.empty()) continue;
    sliding.before[a] = pads.at(i);
    sliding.after[a] = pads.at(i + sliding.axes);
  }
  return sliding;
}

void placeWindows(const ReferenceNode& node, Sliding& sliding) {
  const std::string mode = node.text("auto_pad", "NOTSET");
  const bool ceiling = node.integer("ceil_mode", 0) != 0;
  for (std::size_t a = sliding.first(); a < 3; ++a) {
    const std::int64_t stride = sliding.strides[a], extent = sliding.data[a];
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      const std::int64_t windows = (extent + stride - 1) / stride;
      const std::int64_t total =
          std::max<std::int64_t>(0, (windows - 1) * stride + sliding.span(a) - extent);
      sliding.before[a] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      sliding.after[a] = total - sliding.before[a];
    } else if (mode == "VALID") {
      sliding.before[a] = sliding.after[a] = 0;
    }
    // Count them one by one. With ceil_mode one may reach beyond the end, if it starts before.
    const std::int64_t end = extent + sliding.before[a] + sliding.after[a];
    std::int64_t windows = 0;
    const auto fits = [&](std::int64_t start) {
      if (start + sliding.span(a) <= end) return true;
      return ceiling && windows > 0 && start - stride + sliding.span(a) < end &&
             start < extent + sliding.before[a];
    };
    while (fits(windows * stride))
      ++windows;
    sliding.outputs[a] = windows;
  }
}

Shape resultShape(const Sliding& sliding, std::int64_t batch, std::int64_t channels) {
  Shape shape{batch, channels};
  shape.insert(shape.end(), sliding.outputs.end() - static_cast<std::ptrdiff_t>(sliding.axes),
               sliding.outputs.end());
  return shape;
}

} // namespace nestwright::onnx_reference
