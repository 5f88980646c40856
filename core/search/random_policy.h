#pragma once
/// \file Random sampling of the whole space: the baseline of every other policy.

#include "core/search/search_policy.h"

namespace nestwright {

/// Candidate number d of a task is a pure function of (seed, task key, d); known and repeated
/// programs are passed over. Of a template: configurations that were not tried, drawn evenly.
class RandomPolicy final : public SearchPolicy {
 public:
  std::string name() const override { return "random"; }
  Proposal propose(int count, const SearchContext& context) const override;
};

} // namespace nestwright
