/// Policies over the configurations of a template, under a made-up cost model.

#include "core/search/annealing_policy.h"
#include "core/search/config_search.h"
#include "core/search/config_search_state.h"
#include "core/search/genetic_policy.h"
#include "core/search/grid_policy.h"
#include "core/search/random_policy.h"
#include "core/space/legality.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"
#include "tests/tensor/tvm_dags.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <map>
#include <set>

namespace nestwright::config_policies_test {

/// Seconds of a configuration: the closer its knobs are to the middle of their values, the faster.
double secondsOf(const ConfigSpace& space, std::int64_t config) {
  double sum = 1;
  const std::vector<std::size_t> digits = space.digits(config);
  for (std::size_t i = 0; i < digits.size(); ++i)
    sum += std::abs(static_cast<double>(digits[i]) -
                    static_cast<double>(space.knobs()[i].values.size()) / 2);
  return 1e-3 * sum;
}

class MadeUpScorer final : public ConfigScorer {
 public:
  explicit MadeUpScorer(const ConfigSpace& space, double deviation = 0.1)
      : space_(space), deviation_(deviation) {}
  ConfigScores scoreConfigs(std::span<const std::int64_t> configs) const override {
    ConfigScores scores;
    for (const std::int64_t config : configs) {
      scores.scores.push_back(1e-3 / secondsOf(space_, config));
      scores.deviation.push_back(deviation_);
    }
    return scores;
  }

 private:
  const ConfigSpace& space_;
  double deviation_;
};

/// A task whose template is searched, and what was measured of it.
class Search {
 public:
  explicit Search(ComputeDag of, std::uint64_t seed = 5,
                  TemplateMachine machine = TemplateMachine::Cpu)
      : dag_(std::move(of)) {
    TaskTemplates found = templatesFor(dag_, TemplateVersion::V0_11, machine);
    if (machine == TemplateMachine::Gpu)
      context.space = spaceOptionsFor(cudaTarget(gpuPreset({9, 0})));
    if (found.fitting.empty()) qFatal("%s", found.whyNone.c_str());
    template_ = std::move(found.fitting[0]);
    context.dag = &dag_;
    context.taskKey = "a task";
    context.seed = seed;
    context.taskTemplate = &*template_;
    context.known = [this](const std::string& id) { return known_.contains(id); };
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  const ConfigSpace& space() const { return template_->space; }
  /// A round: proposes, and measures all.
  Proposal round(const SearchPolicy& policy, int count) {
    Proposal proposal = policy.propose(count, context);
    for (const Candidate& candidate : proposal.candidates) {
      const std::int64_t config = configOf(candidate);
      context.measuredConfigs.push_back({config, secondsOf(space(), config), candidate.programId});
      known_.insert(candidate.programId);
    }
    context.firstDraw = proposal.nextDraw;
    context.policyState = proposal.policyState;
    return proposal;
  }
  std::int64_t configOf(const Candidate& candidate) const {
    return space().indexOf(candidate.trace.config.value().entities);
  }
  std::vector<std::int64_t> configsOf(const Proposal& proposal) const {
    std::vector<std::int64_t> configs;
    for (const Candidate& candidate : proposal.candidates)
      configs.push_back(configOf(candidate));
    return configs;
  }
  double best() const {
    double best = kInfinity;
    for (const MeasuredConfig& measured : context.measuredConfigs)
      best = std::min(best, measured.seconds);
    return best;
  }

  SearchContext context;

 private:
  ComputeDag dag_;
  std::optional<TaskTemplate> template_;
  std::set<std::string> known_;
};

ComputeDag product() {
  return test::matmul(16, 64, 64);
}

int countOf(const Proposal& proposal, PickReason reason) {
  return static_cast<int>(
      std::ranges::count_if(proposal.candidates, [&](const Candidate& candidate) {
        return candidate.trace.selection == reason;
      }));
}

/// All policies by name; those that anneal have small plans.
std::vector<std::unique_ptr<SearchPolicy>> policies() {
  AnnealingPolicyOptions options;
  options.plan = 16;
  options.annealing.chains = 16;
  AnnealingPolicyOptions contextual = options;
  contextual.energy = PlanEnergy::Improvement;
  std::vector<std::unique_ptr<SearchPolicy>> all;
  all.push_back(std::make_unique<RandomPolicy>());
  all.push_back(std::make_unique<GridPolicy>());
  all.push_back(std::make_unique<GeneticPolicy>(GeneticPolicyOptions{.population = 20}));
  all.push_back(std::make_unique<AnnealingPolicy>(options));
  all.push_back(std::make_unique<AnnealingPolicy>(contextual));
  return all;
}

class TestConfigPolicies : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void proposesProgramsOfTheTemplate() {
    for (const auto& policy : policies()) {
      Search search(product());
      const Proposal proposal = search.round(*policy, 16);
      QCOMPARE(proposal.candidates.size(), 16u);
      QVERIFY(proposal.shortage.empty());
      for (const Candidate& candidate : proposal.candidates) {
        QVERIFY(candidate.variant && candidate.trace.config);
        const TemplateProgram program =
            templateProgram(*search.context.dag, *candidate.trace.config);
        QCOMPARE(candidate.programId, programId(program.dag, program.steps));
        QCOMPARE(programId(*candidate.variant, candidate.steps), candidate.programId);
        const Trace again = traceFromJson(toJson(candidate.trace));
        QCOMPARE(toJson(again), toJson(candidate.trace));
      }
    }
  }

  /// What a GPU cannot run is passed over with the reason, and others take its place.
  void proposesWhatAGpuCanRun() {
    for (const auto& policy : policies()) {
      Search search(test::matmul(64, 128, 64), 5, TemplateMachine::Gpu);
      std::map<std::string, std::uint64_t> failures;
      for (int round = 0; round < 2; ++round) {
        const MadeUpScorer scorer(search.space());
        search.context.configScorer = round > 0 ? &scorer : nullptr;
        const Proposal proposal = search.round(*policy, 16);
        // Fewer where a generation ends.
        QVERIFY2(!proposal.candidates.empty() && proposal.shortage.empty(),
                 proposal.shortage.c_str());
        for (const Candidate& candidate : proposal.candidates)
          QVERIFY(!illegality(State::replay(*candidate.variant, candidate.steps),
                              search.context.space, KernelLimits::Templates));
        failures.insert(proposal.failures.begin(), proposal.failures.end());
      }
      QVERIFY(failures.contains(name(Refusal::UnequalThreads)));
    }
  }

  /// The same context gives the same proposal, whatever ran in between.
  void goesOnFromItsState() {
    for (const auto& policy : policies()) {
      Search whole(product()), resumed(product());
      const MadeUpScorer scorer(whole.space());
      std::vector<std::int64_t> expected, found;
      for (int round = 0; round < 5; ++round) {
        for (Search* search : {&whole, &resumed})
          search->context.configScorer = round > 0 ? &scorer : nullptr;
        for (const std::int64_t config : whole.configsOf(whole.round(*policy, 10)))
          expected.push_back(config);
        policy->propose(7, resumed.context); // a round that was lost
        for (const std::int64_t config : resumed.configsOf(resumed.round(*policy, 10)))
          found.push_back(config);
      }
      QCOMPARE(found, expected);
      QCOMPARE(std::set<std::int64_t>(found.begin(), found.end()).size(), found.size());
    }
  }

  void seedsMakeADifference() {
    Search one(product(), 5), other(product(), 6);
    QVERIFY(one.configsOf(one.round(RandomPolicy(), 16)) !=
            other.configsOf(other.round(RandomPolicy(), 16)));
  }

  /// A search ends when its space is used up, and says so.
  void usesUpASpace() {
    for (const auto& policy : policies()) {
      Search search(test::matmul(4, 4, 2));
      const MadeUpScorer scorer(search.space());
      search.context.configScorer = &scorer;
      const std::int64_t size = search.space().size();
      QVERIFY(size < 300);
      Proposal last;
      for (std::int64_t rounds = 0; rounds <= size && last.shortage.empty(); ++rounds)
        last = search.round(*policy, 16);
      QVERIFY(last.candidates.size() < 16);
      QVERIFY2(
          last.shortage.starts_with(fmt::format("all of {} has been tried: {} configurations",
                                                search.context.taskTemplate->kind->name, size)),
          last.shortage.c_str());
      const ConfigSearchState state = configSearchStateFromText(last.policyState, size);
      QCOMPARE(static_cast<std::int64_t>(search.context.measuredConfigs.size() +
                                         state.passedOver.size()),
               size);
      QVERIFY(search.round(*policy, 16).candidates.empty());
    }
  }

  void findsASpaceOfOneConfiguration() {
    for (const auto& policy : policies()) {
      Search search(test::matmul(1, 1, 1));
      if (search.space().size() != 1) QSKIP("the template has knobs without extents");
      QCOMPARE(search.round(*policy, 16).candidates.size(), 1u);
    }
  }

  void isRandomWithoutACostModel() {
    Search search(product());
    const Proposal proposal = search.round(AnnealingPolicy(), 20);
    QCOMPARE(countOf(proposal, PickReason::Random), 20);
  }

  /// The last of a plan are random, three of 64.
  void plansByTheCostModel() {
    Search search(product());
    const MadeUpScorer scorer(search.space());
    search.context.configScorer = &scorer;
    SearchLog log;
    search.context.log = &log;
    const Proposal plan = search.round(AnnealingPolicy(), 64);
    QCOMPARE(countOf(plan, PickReason::BestPredicted), 61);
    QCOMPARE(countOf(plan, PickReason::EpsilonGreedy), 3);
    for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
      const Trace& trace = plan.candidates[i].trace;
      QCOMPARE(trace.selection, i < 61 ? PickReason::BestPredicted : PickReason::EpsilonGreedy);
      QVERIFY(trace.predictedScore && trace.predictedDeviation);
      if (i > 0 && i < 61)
        QVERIFY(*trace.predictedScore <= *plan.candidates[i - 1].trace.predictedScore);
    }
    QVERIFY(log.plan);
    QCOMPARE(log.plan->byScore, 61);
    QCOMPARE(log.plan->atRandom, 3);
    QCOMPARE(log.plan->epsilon, 0.05);
    QVERIFY(!log.plan->moments.empty());
    // The model is right, so the best of all is among them.
    double best = kInfinity;
    for (std::int64_t config = 0; config < search.space().size(); ++config)
      best = std::min(best, secondsOf(search.space(), config));
    QCOMPARE(search.best(), best);
  }

  /// Rounds smaller than a plan take it in parts, and only then comes another.
  void servesAPlanInParts() {
    Search whole(product()), parts(product());
    const MadeUpScorer scorer(whole.space());
    whole.context.configScorer = parts.context.configScorer = &scorer;
    const std::vector<std::int64_t> expected = whole.configsOf(whole.round(AnnealingPolicy(), 64));
    std::vector<std::int64_t> found;
    int plans = 0;
    for (int round = 0; round < 4; ++round) {
      SearchLog log;
      parts.context.log = &log;
      for (const std::int64_t config : parts.configsOf(parts.round(AnnealingPolicy(), 16)))
        found.push_back(config);
      plans += log.plan ? 1 : 0;
    }
    QCOMPARE(found, expected);
    QCOMPARE(plans, 1);
  }

  void picksDiverseOnes() {
    Search plain(product()), diverse(product());
    const MadeUpScorer scorer(plain.space());
    plain.context.configScorer = diverse.context.configScorer = &scorer;
    AnnealingPolicyOptions options;
    options.diversity = 1;
    const auto values = [](const Search& search, const Proposal& proposal) {
      std::set<std::pair<std::size_t, std::size_t>> covered;
      for (const std::int64_t config : search.configsOf(proposal)) {
        const std::vector<std::size_t> digits = search.space().digits(config);
        for (std::size_t knob = 0; knob < digits.size(); ++knob)
          covered.emplace(knob, digits[knob]);
      }
      return covered.size();
    };
    const Proposal byScore = plain.round(AnnealingPolicy(), 64);
    const Proposal byBoth = diverse.round(AnnealingPolicy(options), 64);
    QVERIFY(countOf(byBoth, PickReason::Diversity) > 0);
    QCOMPARE(countOf(byBoth, PickReason::EpsilonGreedy), 3);
    QVERIFY(values(diverse, byBoth) >= values(plain, byScore));
  }

  /// As many are random as the model is unsure of: all at most.
  void exploresAsMuchAsItIsUnsure() {
    AnnealingPolicyOptions options;
    options.energy = PlanEnergy::Improvement;
    options.plan = 32;
    for (const auto& [deviation, expected] :
         std::vector<std::pair<double, int>>{{0, 0}, {0.25, 8}, {1, 32}, {7, 32}}) {
      Search search(product());
      const MadeUpScorer scorer(search.space(), deviation);
      search.context.configScorer = &scorer;
      QCOMPARE(countOf(search.round(AnnealingPolicy(options), 32), PickReason::EpsilonGreedy),
               expected);
    }
  }

  /// Views and forms ask a policy's kind, not its name.
  void kindsSayWhetherTheyPlan() {
    for (const SearchPolicyKind& kind : builtInSearchPolicies()) {
      QVERIFY(kind.makesPlans || !(kind.byImprovement || kind.ownShare));
      if (!kind.onTemplates) continue;
      Search search(product());
      const MadeUpScorer scorer(search.space(), 1); // sure of nothing
      search.context.configScorer = &scorer;
      SearchLog log;
      search.context.log = &log;
      const Proposal proposal = search.round(*kind.make({.plan = 64, .chains = 64}), 64);
      QCOMPARE(log.plan.has_value(), kind.makesPlans);
      QCOMPARE(countOf(proposal, PickReason::EpsilonGreedy) == 64, kind.ownShare);
    }
  }

  /// Expected improvement without AdaTune's exploration: the paper's second arm.
  void exploresAFixedShare() {
    const SearchPolicyKind kind =
        *std::ranges::find(builtInSearchPolicies(), "contextual", &SearchPolicyKind::name);
    for (const bool fixed : {true, false}) {
      Search search(product());
      const MadeUpScorer scorer(search.space(), 1);
      search.context.configScorer = &scorer;
      const auto policy =
          kind.make({.plan = 64,
                     .chains = 64,
                     .exploration = fixed ? Exploration::Fixed : Exploration::Contextual});
      QCOMPARE(countOf(search.round(*policy, 64), PickReason::EpsilonGreedy), fixed ? 3 : 64);
    }
  }

  /// In FLOP/s no temperature matters: the annealing climbs.
  void rawEnergyOnlyClimbs() {
    std::map<PlanEnergy, double> accepted;
    for (const PlanEnergy energy : {PlanEnergy::Improvement, PlanEnergy::RawImprovement}) {
      AnnealingPolicyOptions options;
      options.energy = energy;
      options.annealing.patience = options.annealing.steps;
      Search search(product());
      search.round(RandomPolicy(), 4);
      const MadeUpScorer scorer(search.space(), 0.9);
      search.context.configScorer = &scorer;
      SearchLog log;
      search.context.log = &log;
      search.round(AnnealingPolicy(options), 32);
      accepted[energy] = log.plan.value().moments.at(1).accepted;
    }
    QVERIFY(accepted[PlanEnergy::RawImprovement] < accepted[PlanEnergy::Improvement]);
  }

  /// Ten generations come closer to the best than as many random configurations do.
  void breedsFasterOnes() {
    Search bred(test::matmul(256, 256, 256)), drawn(test::matmul(256, 256, 256));
    const GeneticPolicy policy(GeneticPolicyOptions{.population = 20});
    std::vector<double> firstGeneration;
    for (int round = 0; round < 20; ++round) {
      const Proposal proposal = bred.round(policy, 10);
      drawn.round(RandomPolicy(), 10);
      for (const Candidate& candidate : proposal.candidates)
        QCOMPARE(candidate.trace.origin, round < 2 ? Origin::RandomSample : Origin::KnobCrossover);
    }
    QVERIFY(bred.best() < drawn.best());
  }

  /// Rounds that do not divide a generation take what is left of it, and are no shortage: a child
  /// has parents of a generation that was measured whole.
  void breedsFromWholeGenerations() {
    constexpr std::size_t kPopulation = 20;
    for (const int size : {6, 16, 20, 33}) {
      Search search(test::matmul(64, 64, 64));
      const GeneticPolicy policy(GeneticPolicyOptions{.population = kPopulation});
      std::map<std::string, std::size_t> generationOf;
      std::size_t proposed = 0;
      while (proposed < 4 * kPopulation) {
        const Proposal proposal = search.round(policy, size);
        QVERIFY2(proposal.shortage.empty(), proposal.shortage.c_str());
        const std::size_t generation = proposed / kPopulation;
        proposed += proposal.candidates.size();
        QCOMPARE((proposed - 1) / kPopulation, generation);
        for (const Candidate& candidate : proposal.candidates) {
          generationOf[candidate.programId] = generation;
          QCOMPARE(candidate.trace.origin,
                   generation == 0 ? Origin::RandomSample : Origin::KnobCrossover);
          for (const std::string& parent : candidate.trace.parents)
            QVERIFY(generationOf.at(parent) < generation);
        }
        const auto state = configSearchStateFromText(proposal.policyState, search.space().size());
        QCOMPARE(state.parents.empty(), generation == 0);
        if (generation == 0) continue;
        // The fastest of all that were measured before the generation.
        std::vector<double> before;
        for (const MeasuredConfig& measured : search.context.measuredConfigs)
          if (generationOf.at(measured.programId) < generation) before.push_back(measured.seconds);
        std::ranges::sort(before);
        QCOMPARE(state.elites.size(), 3u);
        for (std::size_t i = 0; i < state.elites.size(); ++i)
          QCOMPARE(secondsOf(search.space(), state.elites[i]), before[i]);
      }
    }
  }

  void gridFollowsTheNumbers() {
    Search search(product());
    std::vector<std::int64_t> found;
    for (int round = 0; round < 3; ++round)
      for (const std::int64_t config : search.configsOf(search.round(GridPolicy(), 10)))
        found.push_back(config);
    QVERIFY(std::ranges::is_sorted(found));
    QCOMPARE(found.front(), 0);
  }

  void measuresSeedsFirst() {
    for (const auto& policy : policies()) {
      Search search(product());
      search.context.seedConfigs = {33, 7};
      const Proposal proposal = search.round(*policy, 8);
      QCOMPARE(search.configsOf(proposal)[0], 33);
      QCOMPARE(proposal.candidates[1].trace.origin, Origin::Seed);
      QCOMPARE(proposal.candidates.size(), 8u);
    }
  }

  void stops() {
    const std::atomic<bool> stop = true;
    for (const auto& policy : policies()) {
      Search search(product());
      const MadeUpScorer scorer(search.space());
      search.context.configScorer = &scorer;
      search.context.stop = &stop;
      QVERIFY(policy->propose(16, search.context).stopped);
    }
  }

  void damagedStatesAreRefused() {
    Search search(product());
    search.context.policyState = R"({"plan": [{"config": -4, "reason": ""}]})";
    QVERIFY_THROWS_EXCEPTION(InputError, RandomPolicy().propose(4, search.context));
    nlohmann::json state = nlohmann::json::parse(toText(ConfigSearchState()));
    const auto with = [&](const nlohmann::json& runs) {
      state["passed_over"] = runs;
      return configSearchStateFromText(state.dump(), 100).passedOver;
    };
    QCOMPARE(with({90, 10}).size(), 10u);
    for (const nlohmann::json& runs : std::vector<nlohmann::json>{
             {90, 11}, {3}, {-1, 4}, {5, 0}, {101, 1}, {0, 9223372036854775807}, {50, 10, 45, 1}})
      QVERIFY_THROWS_EXCEPTION(InputError, with(runs));
  }

  /// A space may be full of what gives no program of its own, and sessions store states often.
  void storesPassedOverOnesAsRuns() {
    ConfigSearchState state;
    for (std::int64_t config = 1000; config < 91000; ++config)
      if (config % 1000 != 0) state.passedOver.push_back(config);
    const std::string text = toText(state);
    QVERIFY(text.size() < 1000);
    QCOMPARE(configSearchStateFromText(text, 100000), state);
    std::ranges::reverse(state.passedOver);
    QCOMPARE(toText(state), text);
  }

  /// To the last one, each once.
  void drawsAllOfASpace() {
    const Search search(test::matmul(64, 64, 64));
    const std::int64_t size = search.space().size();
    std::unordered_set<std::int64_t> taken;
    Random random = Random::stream(1, "draws", 0);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::optional<std::int64_t> config = drawOutside(search.space(), taken, random);
      QVERIFY(config && *config >= 0 && *config < size && taken.insert(*config).second);
    }
    QVERIFY(!drawOutside(search.space(), taken, random));
  }
};

NW_TEST_APPLESS(TestConfigPolicies)

} // namespace nestwright::config_policies_test

#include "config_policies.moc"
