#include "core/search/evolution.h"

#include "core/search/crossover.h"
#include "core/search/mutation.h"
#include "core/support/error.h"
#include "core/support/parallel.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace nestwright {

namespace {

/// Draws indices in proportion to the positive part of the scores; uniformly when none is positive.
class Roulette {
 public:
  explicit Roulette(const std::vector<Individual>& population) {
    double sum = 0;
    for (const Individual& individual : population) {
      sum += std::isfinite(individual.score) ? std::max(0.0, individual.score) : 0.0;
      sums_.push_back(sum);
    }
  }
  std::size_t draw(Random& random) const {
    if (sums_.back() <= 0) return random.below(sums_.size());
    const double point = random.unit() * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), point);
    return std::min<std::size_t>(static_cast<std::size_t>(found - sums_.begin()), sums_.size() - 1);
  }

 private:
  std::vector<double> sums_;
};

/// The best programs seen, each once.
class BestSet {
 public:
  BestSet(std::size_t capacity, const SearchContext& context)
      : capacity_(capacity), known_(context.known) {}

  void offer(const Individual& individual) {
    if (!std::isfinite(individual.score)) return;
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

Operation drawMutation(const EvolutionOptions& options, Random& random) {
  constexpr Operation kOrder[] = {Operation::TileSize, Operation::Parallel, Operation::Unroll,
                                  Operation::ComputeLocation};
  double sum = 0;
  for (const double weight : options.mutationWeights)
    sum += weight;
  double point = random.unit() * sum;
  for (std::size_t i = 0; i < std::size(kOrder); ++i)
    if ((point -= options.mutationWeights[i]) < 0) return kOrder[i];
  return Operation::TileSize;
}

std::optional<State> mutate(const State& parent, Operation operation, const SpaceOptions& space,
                            Random& random) {
  switch (operation) {
  case Operation::TileSize:
    return mutateTileSize(parent, space, random);
  case Operation::Parallel:
    return mutateParallel(parent, space, random);
  case Operation::Unroll:
    return mutateUnroll(parent, space, random);
  case Operation::ComputeLocation:
    return mutateComputeLocation(parent, space, random);
  case Operation::Copy:
  case Operation::Crossover:
    break;
  }
  NW_ASSERT(false, "{} is no mutation", name(operation));
}

/// Each stage from the parent whose stage scores better; a coin where the model sees no difference,
/// and one stage turned around at random, so that equal pairs do not always give equal children.
StageOwners drawOwners(const State& first, const State& second, const CostScorer& scorer,
                       Random& random) {
  const std::map<std::string, double> a = scorer.stageScores(first), b = scorer.stageScores(second);
  StageOwners owners;
  std::vector<std::string> computed;
  for (int i = 0; i < first.stageCount(); ++i) {
    const Stage& stage = first.stage(i);
    if (stage.isPlaceholder()) continue;
    const auto scoreIn = [&](const std::map<std::string, double>& scores) {
      const auto found = scores.find(stage.name());
      return found == scores.end() ? 0.0 : found->second;
    };
    const double difference = scoreIn(a) - scoreIn(b);
    owners[stage.name()] = difference > 0   ? 0
                           : difference < 0 ? 1
                                            : static_cast<int>(random.below(2));
    computed.push_back(stage.name());
  }
  if (computed.size() > 1) {
    int& turned = owners[random.pick(computed)];
    turned = 1 - turned;
  }
  return owners;
}

std::optional<Individual> makeChild(const std::vector<Individual>& population,
                                    const Roulette& roulette, const SearchContext& context,
                                    const EvolutionOptions& options, Random& random) {
  const Individual& parent = population[roulette.draw(random)];
  Individual child;
  child.sketch = parent.sketch;
  child.parents = {parent.programId};
  child.initial = child.measured = false;
  std::optional<State> state;
  const double choice = random.unit();
  if (choice < options.crossoverProbability) {
    const Individual& other = population[roulette.draw(random)];
    if (other.programId == parent.programId) return std::nullopt;
    child.operation = Operation::Crossover;
    child.parents.push_back(other.programId);
    state =
        crossover(parent.state, other.state,
                  drawOwners(parent.state, other.state, *context.scorer, random), context.space);
  } else if (choice < options.crossoverProbability + options.mutationProbability) {
    child.operation = drawMutation(options, random);
    state = mutate(parent.state, child.operation, context.space, random);
  } else {
    return parent;
  }
  if (!state) return std::nullopt;
  child.state = std::move(*state);
  child.programId = programId(*context.dag, child.state.steps());
  return child;
}

std::vector<Individual> breed(const std::vector<Individual>& population, int generation,
                              const SearchContext& context, const EvolutionOptions& options) {
  const Roulette roulette(population);
  std::vector<Individual> next(static_cast<std::size_t>(options.population));
  const std::string stream = fmt::format("{}#generation {}", context.taskKey, generation);
  parallelFor(next.size(), context.threads, [&](std::size_t i) {
    if (context.isStopped()) return;
    Random random =
        Random::stream(context.seed, stream,
                       context.firstDraw * static_cast<std::uint64_t>(options.population) + i);
    for (int attempt = 0; attempt < options.attemptsPerChild; ++attempt)
      if (std::optional<Individual> child =
              makeChild(population, roulette, context, options, random)) {
        next[i] = std::move(*child);
        return;
      }
    next[i] = population[roulette.draw(random)];
  });
  return next;
}

SeenGeneration seen(const std::vector<Individual>& population) {
  SeenGeneration generation;
  generation.reserve(population.size());
  for (const Individual& individual : population)
    generation.push_back({individual.programId, individual.state.steps(), individual.score,
                          origin(individual), individual.parents, individual.sketch});
  return generation;
}

} // namespace

const char* name(Operation operation) {
  constexpr const char* kNames[] = {"copy",
                                    "tile-size mutation",
                                    "parallel mutation",
                                    "unroll mutation",
                                    "compute-location mutation",
                                    "crossover"};
  return kNames[static_cast<int>(operation)];
}

const char* origin(const Individual& individual) {
  if (!individual.initial) return name(individual.operation);
  if (individual.seeded) return kSeedOperation;
  return individual.measured ? "measured before" : "random sample";
}

std::vector<Individual> evolve(std::vector<Individual> initial, std::size_t count,
                               const SearchContext& context, const EvolutionOptions& options) {
  NW_ASSERT(context.scorer, "evolution needs a cost model");
  BestSet best(count, context);
  Scores scores(*context.scorer);
  std::vector<Individual> population = std::move(initial);
  for (int generation = 0; !population.empty(); ++generation) {
    scores.fill(population);
    for (const Individual& individual : population)
      best.offer(individual);
    if (context.log) context.log->generations.push_back(seen(population));
    if (generation == options.generations) break;
    population = breed(population, generation, context, options);
    if (context.isStopped()) return {};
  }
  std::vector<Individual> result = best.take();
  if (context.log)
    for (const Individual& individual : result)
      context.log->best.push_back(individual.programId);
  return result;
}

} // namespace nestwright
