#pragma once
/// \file How a register tile leaves out the terms of a reduction that change nothing: which rows of
/// the tile each iteration of the reduction loops reaches, at the border and inside.

#include "core/lower/cpu/register_tile.h"

namespace nestwright {

/// A consecutive part of a spatial loop that is done at once: [start, start + size).
struct Span {
  Expr start;
  std::int64_t size = 1;
};

/// A condition without which a term is neutral, as a sum that is then not below zero: over the rows
/// of the tile, the reduction loops, and a base, which is the same in all of a tile.
struct TapGuard {
  Expr condition; // a conjunct of the nest's operand
  std::size_t base = 0;
  std::int64_t baseFactor = 1;               // 1 or -1
  std::vector<std::int64_t> rows, reduction; // factor of each of the nest's loops
  std::int64_t constant = 0;
};

/// Tiles for which the bases are in these ranges.
struct TapVersion {
  Expr condition; // null for all tiles
  std::vector<ValueRange> bases;
  double share = 1; // of the tiles, about
};

struct TapPlan {
  /// Decided for each row of a tile while it is written.
  std::vector<TapGuard> guards;
  /// Decided when the tile runs, for all of its rows alike; conjuncts of the nest's operand.
  std::vector<Expr> uniform;
  /// At least one; the one that most tiles take first. Each tile takes one of them.
  std::vector<TapVersion> versions;
};

/// Whether a condition holds.
enum class Truth : std::uint8_t { Never, Sometimes, Always };

/// Whether the guard holds for a version's tiles, for these rows and iterations of the reduction
/// loops.
Truth truthOf(const TapGuard& guard, const TapVersion& version, const std::vector<ValueRange>& rows,
              const std::vector<ValueRange>& reduction);

/// The versions of a tile over the spans. With `few` there are two at most: the tiles for which no
/// term is neutral, and all others.
TapPlan planTaps(const ReductionNest& nest, const RegisterTile& tile,
                 const std::vector<Span>& spans, bool few, IndexSimplifier& simplify);

} // namespace nestwright
