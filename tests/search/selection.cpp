/// What the search chooses: who becomes a parent, what makes a child, whose stages it takes, and
/// how many generations there are. Shares are counted over thousands of draws.

#include "core/schedule/bounds.h"
#include "core/search/crossover.h"
#include "core/search/evolutionary_policy.h"
#include "core/search/roulette.h"
#include "tests/search/search_task.h"
#include "tests/support/binomial.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <atomic>
#include <limits>
#include <map>
#include <set>

namespace nestwright::selection_test {

using test::doubt;

constexpr std::uint64_t kSeed = 20261122;
constexpr int kDraws = 20000;

/// What a proposal for it does is logged.
struct Task : test::SearchTask {
  explicit Task(ComputeDag of) : SearchTask(std::move(of), kSeed) { context.log = &log; }
  std::vector<Individual> individuals(int count) const {
    std::vector<Individual> result;
    for (int i = 0; i < count; ++i) {
      Individual individual;
      individual.state = sample(static_cast<std::uint64_t>(i));
      individual.programId = programId(dag, individual.state.steps());
      result.push_back(std::move(individual));
    }
    return result;
  }
  SearchLog log;
};

std::vector<int> drawn(const std::vector<double>& scores) {
  const Roulette roulette(scores);
  Random random(kSeed);
  std::vector<int> counts(scores.size());
  for (int i = 0; i < kDraws; ++i)
    ++counts[roulette.draw(random)];
  return counts;
}

/// Which kinds of steps of two programs differ, by their tags in records; "?" when one has more.
std::set<std::string> differing(const Steps& a, const Steps& b) {
  std::set<std::string> tags;
  if (a.size() != b.size()) return {"?"};
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i])) tags.insert(toJson(Steps{a[i]})[0][0].get<std::string>());
  return tags;
}

/// Likes all programs alike, but every stage of one program better.
class FavouringScorer final : public CostScorer {
 public:
  explicit FavouringScorer(Steps favourite) : favourite_(std::move(favourite)) {}
  std::vector<double> score(std::span<const State> programs) const override {
    return std::vector<double>(programs.size(), 1);
  }
  std::map<std::string, double> stageScores(const State& program) const override {
    ++asked;
    std::map<std::string, double> scores;
    for (int i = 0; i < program.stageCount(); ++i)
      scores[program.stage(i).name()] = program.steps() == favourite_ ? 2 : 1;
    return scores;
  }
  mutable std::atomic<int> asked = 0; // about stages

 private:
  Steps favourite_;
};

std::vector<SplitStep> splits(const Steps& steps) {
  std::vector<SplitStep> result;
  for (const Step& step : steps)
    if (const auto* split = std::get_if<SplitStep>(&step)) result.push_back(*split);
  return result;
}

class TestSelection : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parentsAreDrawnByTheirPositiveScores() {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<int> counts =
        drawn({-5, 1, 0, 3, -infinity, std::numeric_limits<double>::quiet_NaN(), 4, -0.5});
    QCOMPARE(doubt(counts[1], kDraws, 1 / 8.0), QString());
    QCOMPARE(doubt(counts[3], kDraws, 3 / 8.0), QString());
    QCOMPARE(doubt(counts[6], kDraws, 4 / 8.0), QString());
    for (const std::size_t never : {0, 2, 4, 5, 7})
      QCOMPARE(counts[never], 0);
  }

  void parentsAreDrawnAlikeWhereNoScoreIsPositive() {
    for (const int count : drawn({-5, -1, 0, -std::numeric_limits<double>::infinity()}))
      QCOMPARE(doubt(count, kDraws, 1 / 4.0), QString());
  }

  /// The paper's operations with the public implementation's weights.
  void childrenAreMadeInTheirShares() {
    const std::map<std::optional<Origin>, double> shares{
        {Origin::Crossover, 0.05},       {std::nullopt, 0.10},
        {Origin::TileSize, 0.85 * 0.90}, {Origin::Parallel, 0.85 * 0.01},
        {Origin::Unroll, 0.85 * 0.04},   {Origin::ComputeLocation, 0.85 * 0.05}};
    std::map<std::optional<Origin>, int> counts;
    Random random(kSeed);
    for (int i = 0; i < kDraws; ++i)
      ++counts[drawOperation({}, random)];
    for (const auto& [operation, share] : shares)
      QVERIFY2(doubt(counts[operation], kDraws, share).isEmpty(),
               qPrintable(QString("%1: %2").arg(operation ? name(*operation) : "none",
                                                doubt(counts[operation], kDraws, share))));
  }

  /// Of four stages one is turned around: each comes from its better parent three times in four.
  void childrenTakeTheBetterStages() {
    const std::map<std::string, double> first{{"a", 2}, {"b", 1}, {"c", 1}, {"d", -1}},
        second{{"a", 1}, {"b", 5}, {"c", 1}};
    std::map<std::string, int> fromSecond;
    Random random(kSeed);
    for (int i = 0; i < kDraws; ++i) {
      const StageOwners owners = drawOwners({"a", "b", "c", "d"}, first, second, random);
      for (const auto& [stage, owner] : owners)
        fromSecond[stage] += owner;
      const int turned = (owners.at("a") != 0) + (owners.at("b") != 1) + (owners.at("d") != 1);
      QVERIFY(turned <= 1);
    }
    QCOMPARE(doubt(fromSecond["a"], kDraws, 0.25), QString());
    QCOMPARE(doubt(fromSecond["b"], kDraws, 0.75), QString());
    QCOMPARE(doubt(fromSecond["c"], kDraws, 0.50), QString()); // equal scores
    QCOMPARE(doubt(fromSecond["d"], kDraws, 0.75), QString()); // without a score it has 0
    QCOMPARE(drawOwners({"a"}, first, second, random), (StageOwners{{"a", 0}}));
  }

  /// Whichever of a pair is drawn first: one of four stages is turned around.
  void crossoversKeepMostOfTheBetterParent() {
    Task task(test::conv2dNhwc(14, 16, 32, 3, 1));
    std::vector<Individual> pair = task.individuals(20);
    std::erase_if(pair, [&](const Individual& other) {
      return other.state.steps().size() != pair[0].state.steps().size() ||
             differing(pair[0].state.steps(), other.state.steps()).contains("FSP");
    });
    QVERIFY(pair.size() > 1);
    pair.resize(2);
    QVERIFY(splits(pair[0].state.steps()) != splits(pair[1].state.steps()));
    const Steps favourite = pair[0].state.steps();
    const FavouringScorer scorer(favourite);
    task.context.scorer = &scorer;
    task.context.threads = 1; // two may ask for the same at once
    EvolutionOptions options;
    options.population = 200;
    options.generations = 1;
    options.crossoverProbability = 1;
    options.mutationProbability = 0;
    evolve(std::move(pair), 4, task.context, options);
    int better = 0, all = 0;
    for (const SeenProgram& child : task.log.generations[1]) {
      if (child.origin != Origin::Crossover) continue;
      ++all;
      better += splits(child.steps) == splits(favourite);
    }
    QVERIFY2(all > 50 && 2 * better > all, qPrintable(QString("%1 of %2").arg(better).arg(all)));
    QCOMPARE(scorer.asked.load(), 2); // once for each parent, however many children they have
  }

  /// The initial population and four generations bred from it: five passes of scoring.
  void fourGenerationsAreBred() {
    Task task(test::matmul(64, 64, 64));
    EvolutionOptions options;
    QCOMPARE(options.generations, 4);
    options.population = 24;
    evolve(task.individuals(10), 4, task.context, options);
    QCOMPARE(task.log.generations.size(), 5u);
    QCOMPARE(task.log.generations[0].size(), 10u);
    for (std::size_t i = 1; i < 5; ++i)
      QCOMPARE(task.log.generations[i].size(), 24u);
  }

  /// A mutation changes the kind of decision that it is named after, and no other.
  void childrenDifferInWhatTheirMutationIsFor() {
    Task task(test::conv2dNhwc(14, 16, 32, 3, 1));
    EvolutionOptions options;
    options.population = 400;
    options.generations = 1;
    options.mutationWeights = {1, 1, 1, 1};
    evolve(task.individuals(60), 4, task.context, options);
    std::map<std::string, Steps> parents;
    for (const SeenProgram& program : task.log.generations[0])
      parents[program.programId] = program.steps;
    std::map<Origin, int> seen;
    for (const SeenProgram& child : task.log.generations[1]) {
      if (child.parents.size() != 1) continue;
      ++seen[child.origin];
      const std::set<std::string> tags = differing(parents.at(child.parents[0]), child.steps);
      if (child.origin == Origin::TileSize)
        QCOMPARE(tags, std::set<std::string>{"SP"});
      else if (child.origin == Origin::Unroll)
        QCOMPARE(tags, std::set<std::string>{"PR"});
      else if (child.origin == Origin::ComputeLocation)
        QCOMPARE(tags, std::set<std::string>{"CA"});
      else // "parallel mutation"
        QVERIFY(!tags.contains("SP") && !tags.contains("CA"));
    }
    for (const Origin mutation :
         {Origin::TileSize, Origin::Unroll, Origin::ComputeLocation, Origin::Parallel})
      QVERIFY2(seen[mutation] > 10, name(mutation));
  }

  /// The fastest measured programs join the first generation, up to a fifth of the population.
  void aFifthOfThePopulationWasMeasured() {
    Task task(test::matmul(64, 64, 64));
    EvolutionaryPolicyOptions options;
    options.evolution.population = 100;
    options.evolution.generations = 1;
    options.samplesPerProposal = 50;
    std::vector<std::string> ids;
    for (const Individual& individual : task.individuals(40)) {
      task.context.measuredBest.push_back(individual.state.steps());
      ids.push_back(individual.programId);
    }
    for (const std::size_t measured : {40, 7}) {
      task.context.measuredBest.resize(measured);
      task.log = {};
      EvolutionaryPolicy(options).propose(8, task.context);
      std::vector<std::string> joined;
      for (const SeenProgram& program : task.log.generations.at(0))
        if (program.origin == Origin::MeasuredBefore) joined.push_back(program.programId);
      const std::size_t expected = std::min<std::size_t>(20, measured);
      QCOMPARE(joined, (std::vector<std::string>(ids.begin(), ids.begin() + long(expected))));
      QCOMPARE(task.log.measuredParents, expected);
    }
  }

  /// Of the programs that are bred for a trial there are as many in a small round as in a large
  /// one.
  void smallRoundsBreedFew() {
    QCOMPARE(populationOfRound(2048, 64, Draws::Own), 2048);
    QCOMPARE(populationOfRound(2048, 200, Draws::Own), 2048);
    QCOMPARE(populationOfRound(2048, 16, Draws::Own), 512);
    QCOMPARE(populationOfRound(2048, 1, Draws::Own), 256);
    QCOMPARE(populationOfRound(100, 1, Draws::Own), 100);
    QCOMPARE(populationOfRound(2048, 1, Draws::Paper), 2048);
    Task task(test::matmul(64, 64, 64));
    EvolutionaryPolicyOptions options;
    options.evolution.population = options.samplesPerProposal = 600;
    options.evolution.generations = 1;
    for (const auto& [draws, expected] : {std::pair{Draws::Own, 320}, {Draws::Paper, 600}}) {
      task.context.space.draws = draws;
      task.log = {};
      EvolutionaryPolicy(options).propose(10, task.context);
      QCOMPARE(task.log.generations.at(1).size(), std::size_t(expected));
    }
  }

  void theDefaultsAreThoseOfThePublicImplementation() {
    const EvolutionaryPolicyOptions options;
    QCOMPARE(options.evolution.population, 2048);
    QCOMPARE(options.samplesPerProposal, 2048);
    QCOMPARE(options.measuredShare, 0.2);
    QCOMPARE(options.epsilon, 0.05);
    const PolicyOptions chosen;
    QCOMPARE(chosen.population, 2048);
    QCOMPARE(chosen.generations, 4);
    QCOMPARE(chosen.epsilon, 0.05);
  }
};

NW_TEST_APPLESS(TestSelection)

} // namespace nestwright::selection_test

#include "selection.moc"
