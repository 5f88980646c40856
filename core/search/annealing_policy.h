#pragma once
/// \file Policies that plan configurations by annealing what a cost model expects of them:
/// AutoTVM's and AdaTune's (handbook/cost-models.md 3.5, 4.4).

#include "core/search/annealing.h"
#include "core/search/search_policy.h"

namespace nestwright {

/// What is annealed.
enum class PlanEnergy : std::uint8_t {
  Score,         // of the cost model
  Improvement,   // that is expected beyond the best, as a share of it
  RawImprovement // the same in FLOP/s, as AdaTune's code has it: too much for any temperature
};

struct AnnealingPolicyOptions {
  AnnealingOptions annealing;
  PlanEnergy energy = PlanEnergy::Score;
  int plan = 64; // configurations that are chosen at once
  /// Share of a plan, rounded down, that is random. By improvement it is how unsure the cost model
  /// is of configurations, on average, unless it is fixed.
  double epsilon = 0.05;
  bool fixedEpsilon = false; // it counts for every plan: improvement without AdaTune's contextual ε
  double diversity = 0;      // weight of new values of knobs (diversity.h)
  double diversityRatio = 2; // of the configurations that those of a plan are picked from
};

/// Proposes the plan that is there, and makes a new one where it is used up. Until there is a cost
/// model all are random. Where a plan is not larger than a round, each round has one.
class AnnealingPolicy final : public SearchPolicy {
 public:
  explicit AnnealingPolicy(AnnealingPolicyOptions options = {}) : options_(options) {}
  std::string name() const override {
    return options_.energy == PlanEnergy::Score ? "annealing" : "contextual";
  }
  Proposal propose(int count, const SearchContext& context) const override;

 private:
  AnnealingPolicyOptions options_;
};

} // namespace nestwright
