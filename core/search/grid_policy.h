#pragma once
/// \file All configurations of a template, one after another.

#include "core/search/search_policy.h"

namespace nestwright {

/// By their numbers, beginning with 0; those that were tried are passed over.
class GridPolicy final : public SearchPolicy {
 public:
  std::string name() const override { return "grid"; }
  Proposal propose(int count, const SearchContext& context) const override;
};

} // namespace nestwright
