#pragma once
/// \file Programs that the user wants a search over sketches to start from, or to measure first.

#include "core/search/search_policy.h"

#include <vector>

namespace nestwright {

/// Those of the context that are not known yet, each once and at most `count`, as candidates.
std::vector<Candidate> seedCandidates(int count, const SearchContext& context);

/// The programs `first`, likewise, and behind them what the policy proposes for the rest of
/// `count`.
Proposal proposeBehind(const std::vector<Steps>& first, const SearchPolicy& policy, int count,
                       const SearchContext& context);

} // namespace nestwright
