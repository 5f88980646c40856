#include "core/search/evolutionary_policy.h"

#include "core/schedule/bounds.h"
#include "core/search/draft/gpu_draft.h"
#include "core/search/random_policy.h"
#include "core/space/annotation.h"
#include "core/space/sketch_of.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/parallel.h"

#include <chrono>
#include <cmath>
#include <set>

namespace nestwright {

namespace {

/// A round of 64 breeds 2048, as published; what a generation costs stays in this proportion.
constexpr int kBredPerMeasured = 32, kLeastPopulation = 256;

/// How many of the best drafted there are to choose different ones among, for each of these.
constexpr std::size_t kBredPerDrafted = 16;

std::vector<Individual> sampledIndividuals(const SearchContext& context, int count) {
  std::vector<std::optional<Individual>> samples(static_cast<std::size_t>(count));
  const std::string stream = context.taskKey + "#population";
  parallelFor(samples.size(), context.threads, [&](std::size_t i) {
    if (context.isStopped()) return;
    Random random = Random::stream(context.seed, stream, context.firstDraw * kStreamsPerDraw + i);
    SampledProgram sample = sampleProgram(*context.sketches, context.space, random);
    if (!sample.state) return;
    Individual individual;
    individual.programId = programId(*context.dag, sample.state->steps());
    individual.state = std::move(*sample.state);
    individual.sketch = sample.sketch;
    samples[i] = std::move(individual);
  });
  std::vector<Individual> result;
  for (std::optional<Individual>& sample : samples)
    if (sample) result.push_back(std::move(*sample));
  return result;
}

void addMeasured(std::vector<Individual>& population, const SearchContext& context,
                 std::size_t limit) {
  for (std::size_t i = 0; i < context.measuredBest.size() && i < limit; ++i) {
    Individual individual;
    individual.state = withBounds(State::replay(*context.dag, context.measuredBest[i]));
    individual.programId = programId(*context.dag, context.measuredBest[i]);
    individual.sketch = sketchOf(*context.sketches, context.measuredBest[i]);
    individual.origin = Origin::MeasuredBefore;
    population.push_back(std::move(individual));
  }
}

void addSeeds(std::vector<Individual>& population, const SearchContext& context) {
  for (const Steps& seed : context.seeds) {
    Individual individual;
    individual.state = withBounds(State::replay(*context.dag, seed));
    individual.programId = programId(*context.dag, seed);
    individual.sketch = sketchOf(*context.sketches, seed);
    individual.origin = Origin::Seed;
    population.push_back(std::move(individual));
  }
}

/// A draft where evolution asks a cost model: how fast programs are, relative to one another.
class DraftScorer : public CostScorer {
 public:
  explicit DraftScorer(const SearchContext& context) : context_(context) {}

  std::vector<double> score(std::span<const State> programs) const override {
    std::vector<double> scores(programs.size(), -kInfinity);
    parallelFor(programs.size(), context_.threads, [&](std::size_t i) {
      if (context_.isStopped()) return;
      const double draft = context_.draft(programs[i]);
      if (std::isfinite(draft)) scores[i] = std::exp2(draft);
    });
    return scores;
  }
  /// It knows kernels, not stages: a coin decides which parent one comes from.
  std::map<std::string, double> stageScores(const State&) const override { return {}; }

 private:
  const SearchContext& context_;
};

/// What a batch is bred with, how many of it, and why these are measured.
struct Guide {
  const CostScorer* scorer = nullptr;
  int count = 0;
  PickReason reason = PickReason::BestPredicted;
};

Candidate candidateOf(const Individual& individual, std::uint64_t draw, PickReason reason) {
  Trace trace;
  trace.origin = individual.origin;
  trace.parents = individual.parents;
  trace.draw = draw;
  trace.sketch = individual.sketch;
  if (reason == PickReason::BestPredicted) trace.predictedScore = individual.score;
  trace.selection = reason;
  return {individual.state.steps(), individual.programId, std::move(trace)};
}

/// How many of a batch are random: the expected share, its fraction decided by a draw, so that
/// small batches explore too. (Rounded down, as in the public implementation, a batch of 16 would
/// have none.)
int randomCount(int count, double epsilon, const SearchContext& context) {
  const double expected = epsilon * count;
  Random random = Random::stream(context.seed, context.taskKey + "#epsilon", context.firstDraw);
  const int whole = static_cast<int>(expected);
  return whole + (random.unit() < expected - whole ? 1 : 0);
}

void logSampling(SearchLog& log, const std::vector<Individual>& population, int drawn) {
  log.drawn = static_cast<std::uint64_t>(drawn);
  for (const Individual& individual : population)
    ++(individual.origin == Origin::MeasuredBefore ? log.measuredParents : log.legal);
}

/// What the model expects of programs that were not chosen by it: how well it ranks can only be
/// told from all that was measured.
void addScores(std::vector<Candidate>& candidates, const SearchContext& context) {
  std::vector<State> states;
  for (const Candidate& candidate : candidates)
    states.push_back(withBounds(State::replay(*context.dag, candidate.steps)));
  const std::vector<double> scores = context.scorer->score(states);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (std::isfinite(scores[i])) candidates[i].trace.predictedScore = scores[i];
}

bool stopsAfter(SearchPhase phase, const SearchContext& context, Proposal& proposal) {
  proposal.stopped = !context.goesOnAfter(phase);
  return proposal.stopped;
}

Proposal bred(int count, const Guide& guide, const SearchContext& context,
              const EvolutionaryPolicyOptions& options) {
  const bool byModel = guide.reason == PickReason::BestPredicted;
  const auto start = std::chrono::steady_clock::now();
  const Draws draws = context.space.draws;
  EvolutionOptions evolution = options.evolution;
  evolution.population = populationOfRound(evolution.population, count, draws);
  const int samples = populationOfRound(options.samplesPerProposal, count, draws);
  std::vector<Individual> population = sampledIndividuals(context, samples);
  addMeasured(population, context,
              static_cast<std::size_t>(options.measuredShare * evolution.population));
  addSeeds(population, context);
  const auto sampled = std::chrono::steady_clock::now();
  Proposal proposal;
  if (context.log) logSampling(*context.log, population, samples);
  if (stopsAfter(SearchPhase::Sampling, context, proposal)) return proposal;
  SearchContext breeding = context;
  breeding.scorer = guide.scorer;
  if (!byModel) {
    breeding.draftUse = DraftUse::Off; // it scores all of them anyway
    breeding.log = nullptr;            // whose scores are a cost model's
  }
  const auto wanted = static_cast<std::size_t>(guide.count);
  std::vector<Individual> best = evolve(
      std::move(population), byModel ? wanted : wanted * kBredPerDrafted, breeding, evolution);
  if (stopsAfter(SearchPhase::Evolution, context, proposal)) return proposal;
  if (!byModel && context.draft.isCoarse)
    putVarietyFirst(best, [](const Individual& one) { return std::log2(one.score); });
  if (best.size() > wanted) best.resize(wanted);

  proposal.samplingSeconds = std::chrono::duration<double>(sampled - start).count();
  proposal.evolutionSeconds = secondsSince(sampled);
  proposal.attempts = static_cast<std::uint64_t>(samples);
  std::set<std::string> chosen;
  std::uint64_t draw = context.firstDraw;
  for (const Individual& individual : best) {
    chosen.insert(individual.programId);
    proposal.candidates.push_back(candidateOf(individual, draw++, guide.reason));
  }
  // The rest is random, or drafted; so is whatever could not be filled.
  SearchContext rest = context;
  rest.log = nullptr;
  rest.afterPhase = nullptr;
  rest.stop = nullptr;
  rest.firstDraw = draw;
  if (byModel) rest.seeds.clear(); // parents; whether they are measured is for their scores to say
  rest.known = [&](const std::string& id) {
    return chosen.contains(id) || (context.known && context.known(id));
  };
  Proposal random =
      RandomPolicy().propose(count - static_cast<int>(proposal.candidates.size()), rest);
  if (byModel) addScores(random.candidates, context);
  for (Candidate& candidate : random.candidates) {
    // Meant to be random, or in place of what the model could not fill.
    const bool meant = static_cast<int>(proposal.candidates.size()) >= guide.count;
    if (byModel) candidate.trace.selection = meant ? PickReason::EpsilonGreedy : PickReason::Random;
    proposal.candidates.push_back(std::move(candidate));
  }
  proposal.nextDraw = random.nextDraw;
  proposal.attempts += random.attempts;
  proposal.failures = std::move(random.failures);
  proposal.shortage = std::move(random.shortage);
  stopsAfter(SearchPhase::Selection, context, proposal);
  return proposal;
}

} // namespace

int populationOfRound(int most, int count, Draws draws) {
  if (draws == Draws::Paper) return most;
  const std::int64_t wanted = std::int64_t{kBredPerMeasured} * count;
  return static_cast<int>(std::clamp<std::int64_t>(wanted, std::min(kLeastPopulation, most), most));
}

Proposal EvolutionaryPolicy::propose(int count, const SearchContext& context) const {
  if (context.scorer) {
    const int random = randomCount(count, options_.epsilon, context);
    return bred(count, {context.scorer, count - random, PickReason::BestPredicted}, context,
                options_);
  }
  const bool isDrafted = context.draft && context.draftUse != DraftUse::Off;
  if (!isDrafted || !context.draft.breeds) return RandomPolicy().propose(count, context);
  // The other half is drawn: a cost model learns little from programs that are all alike.
  const DraftScorer draft(context);
  const int free = std::max(0, count - static_cast<int>(context.seeds.size()));
  return bred(count, {&draft, free / 2, PickReason::Drafted}, context, options_);
}

} // namespace nestwright
