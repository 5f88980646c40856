/// Programs grown decision by decision, and the limited space.

#include "core/search/beam_policy.h"
#include "core/search/mutation.h"
#include "core/search/random_policy.h"
#include "core/space/stepwise.h"
#include "tests/search/search_task.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <QtTest>

#include <set>

namespace nestwright::beam_test {

std::vector<std::string> idsOf(const Proposal& proposal) {
  std::vector<std::string> ids;
  for (const Candidate& candidate : proposal.candidates)
    ids.push_back(candidate.programId);
  return ids;
}

class TestBeam : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Of a loop of 8 in three parts with the last at most 2: all tuples of divisors whose product
  /// divides it.
  void decidesASplitInEveryWay() {
    SpaceOptions options;
    options.maxInnermostFactor = 2;
    SplitStep split;
    split.extent = 8;
    split.factors = {{}, {}};
    Random random(1);
    const std::vector<Steps> all = decideFirstSplit({split}, options, 1000, random);
    std::set<std::vector<std::int64_t>> tuples;
    for (const Steps& steps : all) {
      QVERIFY(!hasOpenSplit(steps));
      const auto& decided = std::get<SplitStep>(steps[0]).factors;
      tuples.insert({*decided[0], *decided[1]});
    }
    QCOMPARE(all.size(), 7u); // {1, 2, 4} with 1 and 2, and 8 with 1
    QCOMPARE(tuples.size(), 7u);
    QCOMPARE(decideFirstSplit({split}, options, 3, random).size(), 3u);
  }

  void completesWhatIsOpen() {
    const test::SearchTask task(test::matmul(64, 64, 64), 3);
    for (const Sketch& sketch : task.sketches) {
      const std::optional<State> state =
          completeByDefaults(sketch, sketch.state.steps(), task.context.space, 16);
      QVERIFY(state && state->isConcrete());
    }
  }

  /// The best that the made-up model knows is reached, and all are new and legal.
  void growsGoodPrograms() {
    test::SearchTask task(test::matmul(64, 64, 64), 3);
    const Proposal proposal = BeamPolicy().propose(32, task.context);
    QCOMPARE(proposal.candidates.size(), 32u);
    const std::vector<std::string> ids = idsOf(proposal);
    QCOMPARE(std::set<std::string>(ids.begin(), ids.end()).size(), 32u);
    const Trace& best = proposal.candidates.front().trace;
    QCOMPARE(best.origin, Origin::Beam);
    QVERIFY(best.predictedScore.value() >= 2);
    QCOMPARE(proposal.candidates.back().trace.selection, PickReason::EpsilonGreedy);
    for (const Candidate& candidate : proposal.candidates)
      QVERIFY(legalProgram(task.dag, candidate.steps, task.context.space));
  }

  /// What the user wants to start from comes first, as such, whatever the share of random ones.
  void measuresSeedsFirst() {
    test::SearchTask task(test::matmul(64, 64, 64), 3);
    const Proposal others = RandomPolicy().propose(2, task.context);
    for (const Candidate& other : others.candidates)
      task.context.seeds.push_back(other.steps);
    const Proposal proposal = BeamPolicy({.epsilon = 0}).propose(8, task.context);
    QCOMPARE(proposal.candidates.size(), 8u);
    for (std::size_t i = 0; i < proposal.candidates.size(); ++i) {
      const Trace& trace = proposal.candidates[i].trace;
      QCOMPARE(trace.origin, i < 2 ? Origin::Seed : Origin::Beam);
      QCOMPARE(trace.selection, i < 2 ? PickReason::None : PickReason::BestPredicted);
    }
    QCOMPARE(idsOf(BeamPolicy({.epsilon = 0}).propose(1, task.context)),
             idsOf(RandomPolicy().propose(1, task.context)));
  }

  void isAPureFunctionForEveryThreadCount() {
    test::SearchTask task(test::matmul(64, 64, 64), 3);
    task.context.threads = 1;
    const std::vector<std::string> one = idsOf(BeamPolicy().propose(16, task.context));
    task.context.threads = 2;
    QCOMPARE(idsOf(BeamPolicy().propose(16, task.context)), one);
    task.context.known = [&](const std::string& id) {
      return std::ranges::find(one, id) != one.end();
    };
    for (const std::string& id : idsOf(BeamPolicy().propose(16, task.context)))
      QVERIFY(std::ranges::find(one, id) == one.end());
  }

  void stops() {
    test::SearchTask task(test::matmul(64, 64, 64), 3);
    const std::atomic<bool> stop = true;
    task.context.stop = &stop;
    QVERIFY(BeamPolicy().propose(16, task.context).stopped);
  }

  /// Fewer levels, small innermost factors, no cache stages, and no stage moves.
  void theLimitedSpaceIsSmaller() {
    TargetFacts target;
    target.cores = 4;
    const SpaceOptions limited = spaceOptionsFor(target, Draws::Limited);
    const ComputeDag dag = test::conv2dNhwc(14, 16, 32, 3, 1);
    const std::vector<Sketch> few = generateSketches(dag, limited, limitedRules());
    QVERIFY(!few.empty());
    QVERIFY(few.size() < generateSketches(dag, spaceOptionsFor(target)).size());
    Random random(7);
    int legal = 0;
    for (int draw = 0; draw < 50; ++draw) {
      const SampledProgram sample = sampleProgram(few, limited, random);
      if (!sample.state) continue;
      ++legal;
      for (const Step& step : sample.state->steps()) {
        QVERIFY(!std::holds_alternative<CacheWriteStep>(step));
        if (const auto* split = std::get_if<SplitStep>(&step); split && split->factors.size() > 1)
          QVERIFY(split->factors.back().value() <= 16);
      }
      QVERIFY(!mutateComputeLocation(*sample.state, limited, random));
    }
    QVERIFY(legal > 20);
  }

  void gpusHaveNoLimitedSpace() {
    TargetFacts gpu;
    gpu.gpu.emplace();
    QVERIFY_THROWS_EXCEPTION(UsageError, limitedRules(gpu));
  }
};

NW_TEST_APPLESS(TestBeam)

} // namespace nestwright::beam_test

#include "beam.moc"
