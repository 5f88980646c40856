#include "core/lower/aligned_storage.h"

#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

std::vector<Expr> AlignedRows::indices(std::vector<Expr> plain) const {
  const std::size_t first = plain.size() - strides.size();
  Expr joined = 0;
  for (std::size_t i = 0; i < strides.size(); ++i)
    joined = joined + plain[first + i] * Expr(strides[i]);
  plain.resize(first);
  plain.push_back(joined);
  return plain;
}

std::optional<AlignedRows> alignedRows(const std::vector<std::int64_t>& region,
                                       const std::vector<StorageAlignment>& alignments) {
  if (alignments.empty()) return std::nullopt;
  const auto alignmentOf = [&](std::size_t axis) {
    return std::find_if(alignments.begin(), alignments.end(), [&](const StorageAlignment& a) {
      return static_cast<std::size_t>(a.axis) == axis;
    });
  };
  std::size_t outermost = region.size();
  std::vector<std::int64_t> strides(region.size());
  std::int64_t stride = 1;
  for (std::size_t axis = region.size(); axis-- > 0;) {
    if (const auto rows = alignmentOf(axis); rows != alignments.end()) {
      stride = rows->strideFrom(stride);
      outermost = axis;
    }
    strides[axis] = stride;
    if (__builtin_mul_overflow(stride, region[axis], &stride))
      throw IllegalSchedule("the aligned rows of a buffer are too long to address");
  }
  AlignedRows rows;
  const auto inside = static_cast<std::ptrdiff_t>(outermost) + 1;
  rows.shape.assign(region.begin(), region.begin() + inside);
  rows.shape.push_back(strides[outermost]);
  rows.strides.assign(strides.begin() + inside, strides.end());
  return rows;
}

} // namespace nestwright
