#include "core/search/evolution.h"

#include "core/schedule/program_ids.h"
#include "core/search/crossover.h"
#include "core/search/mutation.h"
#include "core/search/roulette.h"
#include "core/support/error.h"
#include "core/support/parallel.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

namespace nestwright {

namespace {

/// The best programs seen, each once.
class BestSet {
 public:
  BestSet(std::size_t capacity, const SearchContext& context)
      : capacity_(capacity), known_(context.known) {}

  void offer(const Individual& individual) {
    if (capacity_ == 0 || !std::isfinite(individual.score)) return;
    if (best_.size() == capacity_ && individual.score <= best_.back().score) return;
    if (!members_.insert(individual.programId).second) return;
    if (known_ && known_(individual.programId)) return;
    const auto place = std::upper_bound(
        best_.begin(), best_.end(), individual,
        [](const Individual& a, const Individual& b) { return a.score > b.score; });
    best_.insert(place, individual);
    if (best_.size() <= capacity_) return;
    members_.erase(best_.back().programId);
    best_.pop_back();
  }
  std::vector<Individual> take() { return std::move(best_); }

 private:
  std::size_t capacity_;
  std::function<bool(const std::string&)> known_;
  std::vector<Individual> best_; // best first
  std::set<std::string> members_;
};

/// Asks the cost model about each program once, however often it comes back.
class Scores {
 public:
  explicit Scores(const CostScorer& scorer) : scorer_(scorer) {}

  void fill(std::vector<Individual>& population) {
    std::vector<State> fresh;
    std::vector<double*> places;
    for (const Individual& individual : population)
      if (const auto [place, isNew] = known_.try_emplace(individual.programId, 0.0); isNew) {
        fresh.push_back(individual.state);
        places.push_back(&place->second); // nodes of the map stay where they are
      }
    const std::vector<double> scores = scorer_.score(fresh);
    for (std::size_t i = 0; i < fresh.size(); ++i)
      *places[i] = scores[i];
    for (Individual& individual : population)
      individual.score = known_.at(individual.programId);
  }

 private:
  const CostScorer& scorer_;
  std::unordered_map<std::string, double> known_;
};

/// Asks the cost model about the nodes of each program once, however many children it has: a node's
/// score is the sum over its stages.
class NodeScores {
 public:
  explicit NodeScores(const CostScorer& scorer) : scorer_(scorer) {}

  /// Of any thread. Two may ask for the same at once: the answers are the same.
  const std::map<std::string, double>& of(const Individual& individual) {
    {
      const std::scoped_lock lock(mutex_);
      if (const auto known = known_.find(individual.programId); known != known_.end())
        return known->second;
    }
    std::map<std::string, double> scores;
    for (const auto& [stage, score] : scorer_.stageScores(individual.state))
      scores[nodeOf(stage)] += score;
    const std::scoped_lock lock(mutex_);
    return known_.try_emplace(individual.programId, std::move(scores)).first->second;
  }

 private:
  const CostScorer& scorer_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::map<std::string, double>> known_; // whose nodes stay
};

std::optional<State> mutate(const State& parent, Origin mutation, const SpaceOptions& space,
                            Random& random) {
  switch (mutation) {
  case Origin::TileSize:
    return mutateTileSize(parent, space, random);
  case Origin::Parallel:
    return mutateParallel(parent, space, random);
  case Origin::Unroll:
    return mutateUnroll(parent, space, random);
  case Origin::ComputeLocation:
    return mutateComputeLocation(parent, space, random);
  case Origin::Kernel:
    return mutateKernel(parent, space, random);
  default:
    NW_ASSERT(false, "{} is no mutation", name(mutation));
  }
}

StageOwners ownersOf(const Individual& first, const Individual& second, NodeScores& scores,
                     Random& random) {
  return drawOwners(nodesOf(first.state), scores.of(first), scores.of(second), random);
}

/// What all children of a search are made with.
struct Breeding {
  const SearchContext& context;
  const EvolutionOptions& options;
  ProgramIds ids{*context.dag};
  NodeScores nodes{*context.scorer};
};

std::optional<Individual> makeChild(const std::vector<Individual>& population,
                                    const Roulette& roulette, Breeding& breeding, Random& random) {
  const SearchContext& context = breeding.context;
  const EvolutionOptions& options = breeding.options;
  const Individual& parent = population[roulette.draw(random)];
  Individual child;
  child.sketch = parent.sketch;
  child.parents = {parent.programId};
  std::optional<State> state;
  const bool isForGpu = context.space.target.gpu.has_value();
  std::optional<Origin> operation = drawOperation(options, random, isForGpu);
  if (operation == Origin::TileSize && isForGpu && context.space.draws == Draws::Own &&
      random.unit() < options.kernelMutationShare)
    operation = Origin::Kernel;
  if (!operation) return parent;
  child.origin = *operation;
  if (operation == Origin::Crossover) {
    const Individual& other = population[roulette.draw(random)];
    if (other.programId == parent.programId) return std::nullopt;
    child.parents.push_back(other.programId);
    state = crossover(parent.state, other.state, ownersOf(parent, other, breeding.nodes, random),
                      context.space);
  } else {
    state = mutate(parent.state, *operation, context.space, random);
  }
  if (!state) return std::nullopt;
  child.state = std::move(*state);
  child.programId = breeding.ids.of(child.state.steps());
  return child;
}

std::vector<Individual> breed(const std::vector<Individual>& population, int generation,
                              Breeding& breeding) {
  const SearchContext& context = breeding.context;
  const EvolutionOptions& options = breeding.options;
  std::vector<double> scores;
  for (const Individual& individual : population)
    scores.push_back(individual.score);
  const Roulette roulette(scores);
  std::vector<Individual> next(static_cast<std::size_t>(options.population));
  const std::string stream = fmt::format("{}#generation {}", context.taskKey, generation);
  parallelFor(next.size(), context.threads, [&](std::size_t i) {
    if (context.isStopped()) return;
    Random random = Random::stream(context.seed, stream, context.firstDraw * kStreamsPerDraw + i);
    for (int attempt = 0; attempt < options.attemptsPerChild; ++attempt)
      if (std::optional<Individual> child = makeChild(population, roulette, breeding, random)) {
        next[i] = std::move(*child);
        return;
      }
    next[i] = population[roulette.draw(random)];
  });
  return next;
}

/// One program of how many of a generation the draft leaves to the cost model.
constexpr std::size_t kDraftKeepsOf = 4;

/// Leaves those that the draft likes best, in their order; programs that were measured or given
/// stay whatever it says.
void thin(std::vector<Individual>& population, const SearchContext& context) {
  if (context.draftUse != DraftUse::All || !context.draft) return;
  std::vector<double> scores(population.size());
  parallelFor(population.size(), context.threads,
              [&](std::size_t i) { scores[i] = context.draft(population[i].state); });
  std::vector<double> sorted = scores;
  const std::size_t kept = population.size() / kDraftKeepsOf;
  if (kept == 0) return;
  std::ranges::nth_element(sorted, sorted.begin() + std::ptrdiff_t(kept) - 1, std::greater());
  const double least = sorted[kept - 1];
  std::vector<Individual> thinned;
  for (std::size_t i = 0; i < population.size(); ++i) {
    const Origin origin = population[i].origin;
    if (scores[i] >= least || origin == Origin::MeasuredBefore || origin == Origin::Seed)
      thinned.push_back(std::move(population[i]));
  }
  population = std::move(thinned);
}

SeenGeneration seen(const std::vector<Individual>& population) {
  SeenGeneration generation;
  generation.reserve(population.size());
  for (const Individual& individual : population)
    generation.push_back({individual.programId, individual.state.steps(), individual.score,
                          individual.origin, individual.parents, individual.sketch});
  return generation;
}

} // namespace

std::optional<Origin> drawOperation(const EvolutionOptions& options, Random& random,
                                    bool isForGpu) {
  const double choice = random.unit();
  if (choice < options.crossoverProbability) return Origin::Crossover;
  if (choice >= options.crossoverProbability + options.mutationProbability) return std::nullopt;
  constexpr Origin kOrder[] = {Origin::TileSize, Origin::Parallel, Origin::Unroll,
                               Origin::ComputeLocation};
  const auto& weights = isForGpu ? options.gpuMutationWeights : options.mutationWeights;
  double sum = 0;
  for (const double weight : weights)
    sum += weight;
  double point = random.unit() * sum;
  for (std::size_t i = 0; i < std::size(kOrder); ++i)
    if ((point -= weights[i]) < 0) return kOrder[i];
  return Origin::TileSize;
}

std::vector<Individual> evolve(std::vector<Individual> initial, std::size_t count,
                               const SearchContext& context, const EvolutionOptions& options) {
  NW_ASSERT(context.scorer, "evolution needs a cost model");
  BestSet best(count, context);
  Scores scores(*context.scorer);
  Breeding breeding{context, options};
  std::vector<Individual> population = std::move(initial);
  for (int generation = 0; !population.empty(); ++generation) {
    thin(population, context);
    scores.fill(population);
    for (const Individual& individual : population)
      best.offer(individual);
    if (context.log) context.log->generations.push_back(seen(population));
    if (generation == options.generations) break;
    population = breed(population, generation, breeding);
    if (context.isStopped()) return {};
  }
  std::vector<Individual> result = best.take();
  if (context.log)
    for (const Individual& individual : result)
      context.log->best.push_back(individual.programId);
  return result;
}

} // namespace nestwright
