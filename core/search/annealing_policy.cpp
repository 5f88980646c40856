#include "core/search/annealing_policy.h"

#include "core/search/config_search.h"
#include "core/search/diversity.h"
#include "core/search/expected_improvement.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace nestwright {

namespace {

/// Random configurations by which the cost model's uncertainty is judged.
constexpr int kUnsureSample = 20;

Random streamOf(const SearchContext& context, const char* what) {
  return Random::stream(context.seed, context.taskKey + what, context.firstDraw);
}

/// What the energies of improvement are in: 1, or the best speed in FLOP/s.
double unitOf(PlanEnergy energy, const SearchContext& context) {
  if (energy != PlanEnergy::RawImprovement) return 1;
  double best = kInfinity;
  for (const MeasuredConfig& measured : context.measuredConfigs)
    best = std::min(best, measured.seconds);
  return std::isfinite(best) && best > 0 ? flops(*context.dag) / best : 1;
}

ConfigEnergy energyOf(PlanEnergy energy, const SearchContext& context) {
  const ConfigScorer& scorer = *context.configScorer;
  if (energy == PlanEnergy::Score)
    return [&scorer](std::span<const std::int64_t> configs) {
      return scorer.scoreConfigs(configs).scores;
    };
  const double unit = unitOf(energy, context);
  return [&scorer, unit](std::span<const std::int64_t> configs) {
    const ConfigScores expected = scorer.scoreConfigs(configs);
    NW_ASSERT(expected.deviation.size() == configs.size(),
              "improvement is expected by a cost model that knows how sure it is");
    std::vector<double> energies;
    for (std::size_t i = 0; i < configs.size(); ++i)
      // Of the fastest that the model learned from the score is 1.
      energies.push_back(unit * expectedImprovement(expected.scores[i], expected.deviation[i], 1));
    return energies;
  };
}

/// Mean deviation of random configurations that were not measured, a share of the best.
double unsureness(const ConfigSearch& search, const SearchContext& context, double otherwise) {
  Random random = streamOf(context, "#unsureness");
  std::vector<std::int64_t> sample;
  for (int i = 0; i < kUnsureSample; ++i)
    if (const std::optional<std::int64_t> config = search.drawUnvisited(random))
      sample.push_back(*config);
  if (sample.empty()) return otherwise;
  const ConfigScores scores = context.configScorer->scoreConfigs(sample);
  double sum = 0;
  for (const double deviation : scores.deviation)
    sum += std::isfinite(deviation) ? deviation : 0;
  return std::clamp(sum / double(sample.size()), 0.0, 1.0);
}

int randomShare(double epsilon, int plan) {
  constexpr double kRounding = 1e-9; // 0.29 of 100 is 29
  return static_cast<int>(std::floor(epsilon * plan + kRounding));
}

/// Which of the annealed configurations the plan takes, best first, and why.
std::vector<PlanPick> chosenOf(const std::vector<ValuedConfig>& best, std::size_t count,
                               double diversity, const ConfigSpace& space) {
  count = std::min(count, best.size());
  std::vector<PlanPick> chosen;
  if (!(diversity > 0)) {
    for (std::size_t i = 0; i < count; ++i)
      chosen.push_back({best[i].config, PickReason::BestPredicted, best[i].energy});
    return chosen;
  }
  std::vector<std::vector<std::size_t>> digits;
  std::vector<double> energies;
  for (const ValuedConfig& one : best) {
    digits.push_back(space.digits(one.config));
    energies.push_back(one.energy);
  }
  for (const std::size_t i : pickDiverse(digits, energies, count, diversity))
    chosen.push_back({best[i].config, i < count ? PickReason::BestPredicted : PickReason::Diversity,
                      best[i].energy});
  return chosen;
}

/// A new plan in the search's state, which has none. False when stopped on the way.
bool planAnew(const AnnealingPolicyOptions& options, ConfigSearch& search,
              const SearchContext& context, int size) {
  ConfigSearchState& state = search.state();
  AnnealingOptions annealing = options.annealing;
  annealing.chains =
      static_cast<int>(std::min<std::int64_t>(annealing.chains, search.space().size()));
  if (std::ssize(state.chains) != annealing.chains) state.chains.clear();
  const bool isContextual = options.energy != PlanEnergy::Score && !options.fixedEpsilon;
  PlanLog log;
  log.epsilon = isContextual ? unsureness(search, context, options.epsilon) : options.epsilon;
  const int atRandom = randomShare(log.epsilon, size);
  const int byEnergy = size - atRandom;
  const double ratio = options.diversity > 0 ? std::max(1.0, options.diversityRatio) : 1;
  Annealed annealed =
      anneal(search.space(), energyOf(options.energy, context), state.chains,
             static_cast<std::size_t>(std::ceil(ratio * size)), search.visited(), annealing,
             {context.seed, context.taskKey + "#annealing", context.firstDraw}, context.stop);
  if (annealed.stopped) return false;
  state.chains = std::move(annealed.positions);
  log.picks = chosenOf(annealed.best, static_cast<std::size_t>(byEnergy), options.diversity,
                       search.space());
  log.chains = annealing.chains;
  log.steps = annealed.steps;
  log.moments = std::move(annealed.moments);
  for (const PlanPick& pick : log.picks)
    ++(pick.reason == PickReason::Diversity ? log.byDiversity : log.byScore);
  if (!annealed.best.empty()) log.bestEnergy = annealed.best.front().energy;
  if (!log.picks.empty())
    log.leastEnergy = *std::ranges::min(log.picks, {}, &PlanPick::energy).energy;
  std::unordered_set<std::int64_t> taken = search.visited();
  for (const PlanPick& pick : log.picks)
    taken.insert(pick.config);
  Random random = streamOf(context, "#exploration");
  for (int i = 0; i < atRandom; ++i)
    if (const std::optional<std::int64_t> config = drawOutside(search.space(), taken, random)) {
      taken.insert(*config);
      log.picks.push_back({*config, PickReason::EpsilonGreedy});
      ++log.atRandom;
    }
  for (const PlanPick& pick : log.picks)
    state.plan.push_back({pick.config, pick.reason});
  if (context.log) context.log->plan = std::move(log);
  return true;
}

/// Proposes of the plan what is wanted.
void takePlanned(ConfigSearch& search) {
  std::vector<PlannedConfig>& plan = search.state().plan;
  std::size_t taken = 0;
  for (; taken < plan.size() && search.goesOn(); ++taken) {
    const auto& [config, reason] = plan[taken];
    const bool isRandom = reason == PickReason::EpsilonGreedy;
    search.take({config, isRandom ? Origin::RandomSample : Origin::Annealing, reason});
  }
  plan.erase(plan.begin(), plan.begin() + std::ptrdiff_t(taken));
}

} // namespace

Proposal AnnealingPolicy::propose(int count, const SearchContext& context) const {
  NW_ASSERT(context.taskTemplate, "configurations are planned of a template");
  ConfigSearch search(count, context);
  search.takeSeeds();
  if (context.configScorer) {
    takePlanned(search);
    if (search.goesOn()) {
      const auto start = std::chrono::steady_clock::now();
      if (!planAnew(options_, search, context, std::max(options_.plan, search.missing())))
        return stoppedProposal();
      search.addPlanningTime(secondsSince(start));
      if (!context.goesOnAfter(SearchPhase::Evolution)) return stoppedProposal();
      takePlanned(search);
    }
  }
  // Before there is a cost model all are random; so is whatever it could not fill.
  search.fillAtRandom();
  return search.finish();
}

} // namespace nestwright
