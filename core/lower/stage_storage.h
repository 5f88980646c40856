#pragma once
/// \file Where the elements of a stage live.

#include "core/lower/aligned_storage.h"
#include "core/lower/enclosing_loops.h"
#include "core/schedule/bounds.h"

#include <optional>

namespace nestwright {

/// A buffer, and the index that its element 0 stands for.
struct StageStorage {
  Buffer buffer;
  std::vector<Expr> origin; // empty: zero in each dimension
  std::optional<AlignedRows> rows;
  std::vector<int> order; // axes by dimension of the buffer; empty: as they come

  /// The buffer's indices of an element.
  std::vector<Expr> at(std::vector<Expr> element) const;
};

/// An attached stage has a buffer of the region that one execution computes.
StageStorage storageOf(const State& state, int stage, const StageBounds& bounds, Machine machine);

} // namespace nestwright
