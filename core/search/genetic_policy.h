#pragma once
/// \file AutoTVM's genetic tuner: configurations are bred from those that were measured
/// (handbook/cost-models.md 3.5).

#include "core/search/search_policy.h"

namespace nestwright {

struct GeneticPolicyOptions {
  std::size_t population = 100;
  std::size_t elites = 3;           // that stay parents for ever
  double mutationProbability = 0.1; // of each knob
};

/// The first generation is random. A child has the first knobs of one parent and the others of
/// another, which are drawn in proportion to their speed; then some get other values. A generation
/// is measured before the next one is bred, in as many rounds as that takes: the last of them has
/// what is left of it.
class GeneticPolicy final : public SearchPolicy {
 public:
  explicit GeneticPolicy(GeneticPolicyOptions options = {}) : options_(options) {}
  std::string name() const override { return "genetic"; }
  Proposal propose(int count, const SearchContext& context) const override;

 private:
  GeneticPolicyOptions options_;
};

} // namespace nestwright
