#include "core/search/genetic_policy.h"

#include "core/search/config_search.h"
#include "core/search/roulette.h"
#include "core/support/error.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace nestwright {

namespace {

using Digits = std::vector<std::size_t>;

/// Measured configurations by number.
using Results = std::unordered_map<std::int64_t, const MeasuredConfig*>;

Results resultsOf(const SearchContext& context) {
  Results results;
  for (const MeasuredConfig& measured : context.measuredConfigs) {
    const auto [place, isNew] = results.try_emplace(measured.config, &measured);
    if (!isNew && measured.seconds < place->second->seconds) place->second = &measured;
  }
  return results;
}

double speedOf(const MeasuredConfig& measured) {
  return std::isfinite(measured.seconds) && measured.seconds > 0 ? 1 / measured.seconds : 0;
}

/// Those of the configurations that were measured.
std::vector<const MeasuredConfig*> measuredOf(const std::vector<std::int64_t>& configs,
                                              const Results& results) {
  std::vector<const MeasuredConfig*> measured;
  for (const std::int64_t config : configs)
    if (const auto found = results.find(config); found != results.end())
      measured.push_back(found->second);
  return measured;
}

struct BredConfig {
  std::int64_t config = 0;
  std::vector<std::string> parents; // programIds
};

/// One that was not visited, as close to what was bred as chance allows.
BredConfig breed(const ConfigSearch& search, const std::vector<const MeasuredConfig*>& parents,
                 double mutationProbability, Random& random) {
  const ConfigSpace& space = search.space();
  std::vector<double> speeds;
  for (const MeasuredConfig* parent : parents)
    speeds.push_back(speedOf(*parent));
  const Roulette roulette(speeds);
  const std::size_t first = roulette.draw(random);
  std::size_t second = first;
  constexpr int kAttempts = 20; // one parent may be all that is fast
  for (int i = 0; i < kAttempts && second == first; ++i)
    second = roulette.draw(random);
  Digits digits = space.digits(parents[first]->config);
  const Digits others = space.digits(parents[second]->config);
  const std::size_t point = random.below(digits.size());
  std::copy(others.begin() + std::ptrdiff_t(point), others.end(),
            digits.begin() + std::ptrdiff_t(point));
  const auto mutate = [&](std::size_t knob) {
    digits[knob] = random.below(space.knobs()[knob].values.size());
  };
  for (std::size_t knob = 0; knob < digits.size(); ++knob)
    if (random.unit() < mutationProbability) mutate(knob);
  constexpr int kMoves = 1000;
  for (int i = 0; i < kMoves && search.visited().contains(space.indexOf(digits)); ++i)
    mutate(random.below(digits.size()));
  BredConfig child{space.indexOf(digits), {parents[first]->programId}};
  if (second != first) child.parents.push_back(parents[second]->programId);
  if (search.visited().contains(child.config)) child.config = *search.drawUnvisited(random);
  return child;
}

/// The present generation becomes the parents of the next one, with the fastest of all.
void endGeneration(ConfigSearchState& state, const Results& results, std::size_t elites) {
  state.parents = std::exchange(state.population, {});
  for (const std::int64_t config : state.elites)
    if (std::ranges::find(state.parents, config) == state.parents.end())
      state.parents.push_back(config);
  std::vector<const MeasuredConfig*> fastest = measuredOf(state.parents, results);
  std::erase_if(fastest, [](const MeasuredConfig* one) { return speedOf(*one) == 0; });
  std::ranges::stable_sort(fastest, {}, &MeasuredConfig::seconds);
  if (fastest.size() > elites) fastest.resize(elites);
  state.elites.clear();
  for (const MeasuredConfig* one : fastest)
    state.elites.push_back(one->config);
}

} // namespace

Proposal GeneticPolicy::propose(int count, const SearchContext& context) const {
  NW_ASSERT(context.taskTemplate, "configurations are bred of a template");
  ConfigSearch search(count, context);
  search.takeSeeds();
  ConfigSearchState& state = search.state();
  const Results results = resultsOf(context);
  Random random = Random::stream(context.seed, context.taskKey + "#genetic", context.firstDraw);
  // Only here is all of a generation measured.
  if (state.population.size() >= options_.population)
    endGeneration(state, results, options_.elites);
  const std::vector<const MeasuredConfig*> parents = measuredOf(state.parents, results);
  while (search.goesOn()) {
    if (state.population.size() >= options_.population) {
      search.endHere();
      break;
    }
    if (parents.empty()) {
      const std::int64_t config = *search.drawUnvisited(random);
      if (search.take({config, Origin::RandomSample, PickReason::Random}))
        state.population.push_back(config);
      continue;
    }
    BredConfig child = breed(search, parents, options_.mutationProbability, random);
    if (search.take(
            {child.config, Origin::KnobCrossover, PickReason::None, std::move(child.parents)}))
      state.population.push_back(child.config);
  }
  return search.finish();
}

} // namespace nestwright
