#include "core/schedule/bounds.h"
#include "core/search/crossover.h"
#include "core/search/evolutionary_policy.h"
#include "core/search/mutation.h"
#include "tests/search/search_task.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <QtTest>

#include <atomic>
#include <set>

namespace nestwright::evolution_test {

constexpr std::uint64_t kSeed = 20261121;

struct Fixture : test::SearchTask {
  explicit Fixture(ComputeDag of) : SearchTask(std::move(of), kSeed) {}
};

EvolutionaryPolicyOptions small() {
  EvolutionaryPolicyOptions options;
  options.evolution.population = 128;
  options.samplesPerProposal = 64;
  return options;
}

/// Nobody waits for the proposal any more once this many batches were scored.
class StoppingScorer final : public CostScorer {
 public:
  explicit StoppingScorer(int batches) : left_(batches) {}
  std::vector<double> score(std::span<const State> programs) const override {
    ++scored;
    if (--left_ <= 0) stop = true;
    return likes_.score(programs);
  }
  std::map<std::string, double> stageScores(const State& program) const override {
    return likes_.stageScores(program);
  }
  mutable std::atomic<bool> stop{false};
  mutable int scored = 0;

 private:
  test::FakeScorer likes_;
  mutable int left_;
};

QStringList programsOf(const Proposal& proposal) {
  QStringList ids;
  for (const Candidate& candidate : proposal.candidates)
    ids.append(QString::fromStdString(candidate.programId));
  return ids;
}

using Mutation = std::optional<State> (*)(const State&, const SpaceOptions&, Random&);

class TestEvolution : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void mutationsChangeAndStayLegal_data() {
    QTest::addColumn<Mutation>("mutation");
    QTest::newRow("tile size") << Mutation(mutateTileSize);
    QTest::newRow("unroll") << Mutation(mutateUnroll);
    QTest::newRow("compute location") << Mutation(mutateComputeLocation);
    QTest::newRow("parallel") << Mutation(mutateParallel);
  }
  void mutationsChangeAndStayLegal() {
    QFETCH(Mutation, mutation);
    const Fixture fixture(test::conv2dNhwc(14, 16, 32, 3, 1));
    int changed = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const State parent = fixture.sample(i);
      Random random(kSeed + i), again(kSeed + i);
      const auto child = mutation(parent, fixture.context.space, random);
      const auto same = mutation(parent, fixture.context.space, again);
      QCOMPARE(child.has_value(), same.has_value());
      if (!child) continue;
      ++changed;
      QVERIFY(child->steps() != parent.steps());
      QVERIFY(child->steps() == same->steps());
      QVERIFY(!illegalReason(*child, fixture.context.space));
      QCOMPARE(printLoopNest(*child),
               printLoopNest(withBounds(State::replay(fixture.dag, child->steps()))));
    }
    QVERIFY2(changed > 20, fmt::format("{} of 200", changed).c_str());
  }

  /// All steps of a stage come from the parent that owns it.
  void crossoverTakesEachStageWhole() {
    const Fixture fixture(test::doubleMatmul(64));
    int children = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const State first = fixture.sample(2 * i), second = fixture.sample(2 * i + 1);
      const StageOwners owners{{"D", 0}, {"E", 1}, {"D.local", 0}, {"E.local", 1}};
      const auto child = crossover(first, second, owners, fixture.context.space);
      if (!child) continue;
      ++children;
      for (int id = 0; id < child->stageCount(); ++id) {
        const auto owner = owners.find(child->stage(id).name());
        if (owner == owners.end()) continue;
        const State& parent = owner->second == 0 ? first : second;
        const auto& mine = child->stage(id).iterators;
        const auto& theirs = parent.stage(id).iterators;
        QCOMPARE(mine.size(), theirs.size());
        for (std::size_t k = 0; k < mine.size(); ++k) {
          QCOMPARE(mine[k].name, theirs[k].name);
          // A parallel loop inside what may now be a parallel nest is given up.
          QVERIFY(mine[k].annotation == theirs[k].annotation ||
                  theirs[k].annotation == Annotation::Parallel);
        }
      }
    }
    QVERIFY2(children > 10, fmt::format("{} of 200", children).c_str());
  }

  /// The stages that an rfactor makes of one go together.
  void nodesWithAnRfactorCross() {
    const Fixture fixture(test::softmax(64, 1000));
    std::vector<State> parents;
    for (std::uint64_t i = 0; i < 200; ++i) {
      State program = fixture.sample(i);
      if (std::ranges::any_of(program.steps(), [](const Step& step) {
            return std::holds_alternative<RfactorStep>(step);
          }))
        parents.push_back(std::move(program));
    }
    int children = 0;
    for (std::size_t i = 1; i < parents.size(); ++i) {
      StageOwners owners;
      for (const std::string& node : nodesOf(parents[i])) {
        QVERIFY(!node.ends_with(".rf") && !node.ends_with(".repl"));
        owners[node] = static_cast<int>(owners.size() % 2);
      }
      children += crossover(parents[i - 1], parents[i], owners, fixture.context.space).has_value();
    }
    QVERIFY2(children > 0, fmt::format("none of {} pairs", parents.size()).c_str());
  }

  void allFromOneParentIsNoCrossover() {
    const Fixture fixture(test::doubleMatmul(64));
    QVERIFY(!crossover(fixture.sample(1), fixture.sample(2), {{"D", 0}, {"E", 0}},
                       fixture.context.space));
  }

  void evolutionClimbs() {
    const Fixture fixture(test::conv2dNhwc(28, 64, 64, 3, 1));
    double bestSample = 0;
    for (std::uint64_t i = 0; i < 64; ++i)
      bestSample = std::max(bestSample, fixture.scorer.score(std::vector{fixture.sample(i)})[0]);
    const Proposal proposal = EvolutionaryPolicy(small()).propose(16, fixture.context);
    QCOMPARE(proposal.candidates.size(), std::size_t(16));
    const Trace& best = proposal.candidates.front().trace;
    QVERIFY(*best.predictedScore >= bestSample);
    std::set<Origin> origins;
    for (const Candidate& candidate : proposal.candidates)
      origins.insert(candidate.trace.origin);
    QVERIFY2(origins.contains(Origin::TileSize), "no child among the best");
  }

  void allProposedProgramsHaveAScore() {
    const Fixture fixture(test::matmul(128, 128, 128));
    EvolutionaryPolicyOptions options = small();
    options.epsilon = 0.5;
    const Proposal proposal = EvolutionaryPolicy(options).propose(16, fixture.context);
    int random = 0;
    for (const Candidate& candidate : proposal.candidates) {
      QVERIFY2(candidate.trace.predictedScore, name(candidate.trace.selection));
      const State state = withBounds(State::replay(fixture.dag, candidate.steps));
      QCOMPARE(*candidate.trace.predictedScore, fixture.scorer.score(std::vector{state})[0]);
      random += candidate.trace.selection == PickReason::EpsilonGreedy ? 1 : 0;
    }
    QCOMPARE(random, 8);
  }

  /// Also of a round of one, of which the model then has none.
  void allMayBeRandom() {
    const Fixture fixture(test::matmul(128, 128, 128));
    EvolutionaryPolicyOptions options = small();
    options.epsilon = 1;
    for (const int count : {1, 5}) {
      const Proposal proposal = EvolutionaryPolicy(options).propose(count, fixture.context);
      QCOMPARE(proposal.candidates.size(), std::size_t(count));
      for (const Candidate& candidate : proposal.candidates)
        QCOMPARE(candidate.trace.selection, PickReason::EpsilonGreedy);
    }
  }

  void sameProposalForEveryThreadCount() {
    Fixture fixture(test::matmul(128, 128, 128));
    fixture.context.threads = 1;
    const QStringList alone = programsOf(EvolutionaryPolicy(small()).propose(20, fixture.context));
    fixture.context.threads = 4;
    QCOMPARE(programsOf(EvolutionaryPolicy(small()).propose(20, fixture.context)), alone);
    fixture.context.firstDraw = 100;
    QVERIFY(programsOf(EvolutionaryPolicy(small()).propose(20, fixture.context)) != alone);
  }

  /// Pausing does not wait for the generations, and going on proposes what would have been.
  void aProposalCanBeStopped() {
    Fixture fixture(test::matmul(128, 128, 128));
    const QStringList whole = programsOf(EvolutionaryPolicy(small()).propose(20, fixture.context));
    QStringList told;
    fixture.context.afterPhase = [&](SearchPhase phase) {
      told.append(QLatin1String(name(phase)));
      return true;
    };
    const StoppingScorer scorer(2);
    fixture.context.scorer = &scorer;
    fixture.context.stop = &scorer.stop;
    QVERIFY(EvolutionaryPolicy(small()).propose(20, fixture.context).stopped);
    QCOMPARE(scorer.scored, 2);
    QCOMPARE(told, QStringList(QLatin1String(name(SearchPhase::Sampling))));
    scorer.stop = false;
    fixture.context.stop = nullptr;
    QCOMPARE(programsOf(EvolutionaryPolicy(small()).propose(20, fixture.context)), whole);
    QCOMPARE(told.size(), 4);
  }

  void knownProgramsAreParentsButNeverProposed() {
    Fixture fixture(test::matmul(128, 128, 128));
    const Proposal first = EvolutionaryPolicy(small()).propose(20, fixture.context);
    std::set<std::string> known;
    for (const Candidate& candidate : first.candidates) {
      known.insert(candidate.programId);
      fixture.context.measuredBest.push_back(candidate.steps);
    }
    fixture.context.known = [&](const std::string& id) { return known.contains(id); };
    const Proposal second = EvolutionaryPolicy(small()).propose(20, fixture.context);
    QCOMPARE(second.candidates.size(), std::size_t(20));
    bool descends = false;
    for (const Candidate& candidate : second.candidates) {
      QVERIFY(known.insert(candidate.programId).second);
      descends = descends || !candidate.trace.parents.empty();
    }
    QVERIFY(descends);
    QVERIFY(second.nextDraw > fixture.context.firstDraw);
  }

  void withoutAModelItDrawsAtRandom() {
    Fixture fixture(test::matmul(64, 64, 64));
    fixture.context.scorer = nullptr;
    const Proposal proposal = EvolutionaryPolicy(small()).propose(5, fixture.context);
    QCOMPARE(proposal.candidates.size(), std::size_t(5));
    QCOMPARE(proposal.candidates[0].trace.origin, Origin::RandomSample);
  }
};

NW_TEST_APPLESS(TestEvolution)

} // namespace nestwright::evolution_test

#include "evolution.moc"
