#pragma once
/// \file Ansor's search policy: a fresh random population and the best measured programs, evolved
/// under the cost model; a few candidates of each batch stay random (ε-greedy). While there is no
/// cost model half of a batch is bred under a draft that is good enough for it (ProgramDraft).

#include "core/search/evolution.h"

namespace nestwright {

struct EvolutionaryPolicyOptions {
  EvolutionOptions evolution;
  double epsilon = 0.05;         // share of a batch drawn at random
  double measuredShare = 0.2;    // of the population: measured programs, at most
  int samplesPerProposal = 2048; // random programs in the first generation
};

/// Programs of a generation for a round that measures `count`: `most`, or fewer where the round is
/// small, 32 for each program that it measures and at least 256. The published rules (Draws::Paper)
/// breed `most` whatever the round.
int populationOfRound(int most, int count, Draws draws);

class EvolutionaryPolicy final : public SearchPolicy {
 public:
  explicit EvolutionaryPolicy(EvolutionaryPolicyOptions options = {}) : options_(options) {}
  std::string name() const override { return "evolutionary"; }
  Proposal propose(int count, const SearchContext& context) const override;

 private:
  EvolutionaryPolicyOptions options_;
};

} // namespace nestwright
