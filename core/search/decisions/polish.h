#pragma once
/// \file Polish: coordinate descent over the decisions of one program, and which programs around it
/// are measured next (handbook/ansor.md 4.9; Droplet search, Canesche et al. 2024).

#include "core/search/decisions/neighbours.h"
#include "core/search/search_policy.h"

#include <string>
#include <string_view>

namespace nestwright {

/// Trace::decision of a program with two decisions changed: what it gained says nothing of either
/// by itself.
inline constexpr const char* kTwoDecisions = "two decisions";
/// Whether what its neighbours take says something of this decision alone.
inline bool isOneDecision(std::string_view decision) {
  return decision != kTwoDecisions && decision != kSketchDecision;
}

/// Proposes neighbours of the first of SearchContext::measuredBest that are not known: those that
/// the cost model expects most of, or the draft where there is no model, come first. Where none is
/// left and there is a model, neighbours of neighbours. A proposal without candidates says that
/// none of these is left either.
class PolishPolicy : public SearchPolicy {
 public:
  std::string name() const override { return "polish"; }
  Proposal propose(int count, const SearchContext& context) const override;
};

} // namespace nestwright
