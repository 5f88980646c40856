#pragma once
/// \file Crossover step by step, finer than by nodes: a child of two programs of one structure
/// takes each decision in which they differ from one of the two; replaying the steps verifies it.

#include "core/search/crossover.h"

namespace nestwright {

/// What two programs have in common from their first step on, and where they differ within it.
struct SharedSteps {
  std::size_t count = 0;              // steps that act alike; decisions may differ
  std::vector<std::size_t> differing; // indices of those whose decisions do
};

/// Steps act alike when they are equal, or splits of the same loop into as many parts, or
/// computations inside loops of the same stage, pragmas of one kind of the same loop, or paddings
/// of the same rows. Loops have the same numbers up to there, so that any mixture of decisions can
/// be replayed.
SharedSteps sharedSteps(const Steps& first, const Steps& second);

/// The child that takes differing step i from the parent (0 or 1) `owners[i]`, and all that is not
/// shared from `rest`; equal steps count as that one's. None, with the reason, when it is illegal.
/// `owners` is as long as `shared.differing`.
CrossoverResult crossSteps(const State& first, const State& second, const SharedSteps& shared,
                           const std::vector<int>& owners, int rest, const SpaceOptions& options);

} // namespace nestwright
