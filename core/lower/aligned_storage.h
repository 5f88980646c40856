#pragma once
/// \file Where the elements of a stage live when its rows are aligned.

#include "core/schedule/state.h"

namespace nestwright {

/// The dimensions of a buffer behind its outermost aligned one, joined into one that leaves gaps
/// between rows: the dimensions before keep their own index, `strides` are those of the others.
struct AlignedRows {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;

  /// The buffer's indices of the element that has these in the stage.
  std::vector<Expr> indices(std::vector<Expr> plain) const;
};

/// The smallest layout of a region of this size that keeps the alignments; nothing when there are
/// none. Throws IllegalSchedule when it would be too large to address.
std::optional<AlignedRows> alignedRows(const std::vector<std::int64_t>& region,
                                       const std::vector<StorageAlignment>& alignments);

} // namespace nestwright
