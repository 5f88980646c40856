#pragma once
/// \file A policy for programs that are there already.

#include "core/search/search_policy.h"

namespace nestwright {

/// Proposes SearchContext::given, one after another; a draw is a position in that list.
class GivenPolicy : public SearchPolicy {
 public:
  std::string name() const override { return "given"; }
  Proposal propose(int count, const SearchContext& context) const override;
};

} // namespace nestwright
