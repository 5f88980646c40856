#pragma once
/// \file What the statement of a stage takes of a core: vectors, the results that stay in
/// registers, arithmetic, loads and loops (handbook/ansor.md 4.10).

#include "core/search/draft/drafted_nest.h"
#include "core/target/target.h"

namespace nestwright {

/// Times are cycles of one core, for all that the stage computes.
struct RegisterDraft {
  double lanes = 1;        // of a vector that are of use
  double accumulators = 1; // vectors that are summed at once
  double arithmetic = 0, loads = 0, overhead = 0;
};

/// A reduction as the lowering tiles it (lower/cpu/promote_accumulators.h), where it does; all else
/// as the loops stand.
RegisterDraft draftedRegisters(const OpNode& op, const DraftedNest& nest,
                               const TargetFacts& target);

} // namespace nestwright
