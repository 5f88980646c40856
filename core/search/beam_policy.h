#pragma once
/// \file Programs grown decision by decision, as searches before Ansor did: for comparison
/// (handbook/ansor.md 4.7).

#include "core/search/search_policy.h"

namespace nestwright {

struct BeamPolicyOptions {
  int beam = 32;         // incomplete programs that are kept after a decision
  int waysPerStep = 64;  // of each that are looked at, for a decision
  double epsilon = 0.05; // share of a batch drawn at random
};

/// The decisions of a sketch are its splits, one after another, and then how far to unroll. After
/// each the best incomplete programs of all sketches are kept; what is still undecided of one is
/// completed by defaults, and the cost model scores that. There is no evolution. Until there is a
/// cost model programs are random.
class BeamPolicy final : public SearchPolicy {
 public:
  explicit BeamPolicy(BeamPolicyOptions options = {}) : options_(options) {}
  std::string name() const override { return "beam"; }
  Proposal propose(int count, const SearchContext& context) const override;

 private:
  BeamPolicyOptions options_;
};

} // namespace nestwright
