#include "core/emit/c_packer.h"

#include "core/emit/line_breaks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright {

std::string cPackerBody(const PackedLayout& layout, int elementBytes) {
  const std::vector<std::int64_t> extents = layout.packedShape();
  std::string text =
      fmt::format("  memset(packed, 0, {});\n", layout.packedElements() * elementBytes);
  for (std::size_t d = 0; d < layout.shape.size(); ++d)
    text += fmt::format("{2}for (int64_t x{0} = 0; x{0} < {1}; ++x{0})\n", d, layout.shape[d],
                        std::string(2 * d + 2, ' '));
  std::vector<std::string> terms;
  std::int64_t stride = 1;
  for (std::size_t p = layout.parts.size(); p-- > 0;) {
    const PackedLayout::Part& part = layout.parts[p];
    std::string position = fmt::format("x{}", part.dimension);
    for (const std::int64_t size : layout.enclosingSizes(part))
      position += fmt::format(" % {}", size);
    if (part.size != 1) position += fmt::format(" / {}", part.size);
    if (stride != 1) position += fmt::format(" * {}", stride);
    if (extents[p] > 1) terms.push_back(position);
    stride *= extents[p];
  }
  if (terms.empty()) terms.emplace_back("0");
  return text + brokenLines(std::string(2 * layout.shape.size() + 2, ' '),
                            fmt::format("packed[{}] = *given++;", fmt::join(terms, " + ")));
}

} // namespace nestwright
