/// Crossing chosen programs: what a child takes from whom, what the account says, and that the
/// children still compute what the compute DAG says.

#include "core/search/program_crossing.h"

#include "core/lower/lower.h"
#include "core/schedule/bounds.h"
#include "core/space/annotation.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/random.h"
#include "core/tensor/evaluate.h"
#include "tests/lower/interpret.h"
#include "tests/search/stage_scorer.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace nestwright::program_crossing_test {

constexpr std::uint64_t kSeed = 7;

std::map<std::string, ComputeDag> smallDags() {
  return {{"double matmul", test::doubleMatmul(12)},
          {"convolution", test::conv2dNhwc(6, 4, 12, 3, 1)},
          {"winograd", test::winogradNhwc(6, 4, 8)}};
}

std::vector<std::string> stagesOf(const State& state) {
  std::vector<std::string> names;
  for (int i = 0; i < state.stageCount(); ++i)
    names.push_back(state.stage(i).name());
  return names;
}

/// Different random programs of the DAG as parents, all with the same stages.
struct Parents {
  ComputeDag dag;
  CrossingRequest request;

  Parents(ComputeDag of, int count) : dag(std::move(of)) {
    request.dag = &dag;
    request.seed = kSeed;
    request.space.target.cores = 2;
    const std::vector<Sketch> sketches = generateSketches(dag, request.space);
    std::set<std::string> seen;
    std::vector<std::string> stages;
    for (std::uint64_t draw = 0; static_cast<int>(request.parents.size()) < count; ++draw) {
      Random random = Random::stream(kSeed, "parent", draw);
      const auto program = sampleProgram(sketches, request.space, random);
      if (!program.state) continue;
      if (stages.empty()) stages = stagesOf(*program.state);
      if (stagesOf(*program.state) != stages) continue;
      const std::string id = programId(dag, program.state->steps());
      if (seen.insert(id).second) request.parents.push_back({program.state->steps(), id});
    }
  }
  Parents(const Parents&) = delete;
};

/// Likes each stage for its loops alone, so that the best of two parents can be had in a child.
class TasteInStages final : public test::StageScorer {
 public:
  std::map<std::string, double> stageScores(const State& program) const override {
    std::map<std::string, double> scores;
    for (int i = 0; i < program.stageCount(); ++i) {
      std::string loops;
      for (const Iterator& iterator : program.stage(i).iterators)
        loops += fmt::format("{} {};", iterator.name, iterator.extent.value_or(0));
      scores[program.stage(i).name()] = static_cast<double>(hash64(loops) % 1000);
    }
    return scores;
  }
};

/// Likes what the other dislikes.
class Contrarian final : public test::StageScorer {
 public:
  std::map<std::string, double> stageScores(const State& program) const override {
    std::map<std::string, double> scores = TasteInStages().stageScores(program);
    for (auto& [stage, score] : scores)
      score = 1000 - score;
    return scores;
  }
};

/// Each step with the names of what it acts on, and the stage whose owner decides about it.
struct NamedStep {
  std::string words, decider;
};
std::vector<NamedStep> named(const ComputeDag& dag, const Steps& steps) {
  std::vector<NamedStep> result;
  State state(dag);
  for (const Step& step : steps) {
    const auto* at = std::get_if<ComputeAtStep>(&step);
    result.push_back(
        {inWords(step, state), state.stage(at ? at->targetStage : stageOf(step)).name()});
    state.apply(step);
  }
  return result;
}

class TestProgramCrossing : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyStepIsItsOwners_data() { dags(); }
  void everyStepIsItsOwners();
  void childrenComputeWhatTheDagSays_data() {
    QTest::addColumn<QString>("workload");
    QTest::addColumn<CrossGrain>("grain");
    for (const auto& [name, dag] : smallDags())
      for (const auto& [how, grain] :
           {std::pair("nodes", CrossGrain::Node), std::pair("steps", CrossGrain::Step)})
        QTest::addRow("%s by %s", name.c_str(), how) << QString::fromStdString(name) << grain;
  }
  void childrenComputeWhatTheDagSays();
  void decisionsAreOfOneParent();
  void stepsGiveMoreThanNodes();
  void isAFunctionOfTheRequest();
  void theAccountAddsUp();
  void knowsDuplicates();
  void predictsWithTheModel();
  void eachParentHasItsJudge();
  void offersTheMostPromising();
  void namesBothParents();
  void refusesWhatCannotBeCrossed();

 private:
  static void dags() {
    QTest::addColumn<QString>("workload");
    for (const auto& [name, dag] : smallDags())
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
};

void TestProgramCrossing::everyStepIsItsOwners() {
  QFETCH(QString, workload);
  Parents parents(smallDags().at(workload.toStdString()), 6);
  parents.request.count = 150;
  int mixed = 0;
  for (const CrossChild& child : crossPrograms(parents.request)) {
    if (child.outcome == CrossOutcome::Illegal) {
      QVERIFY(!child.reason.empty());
      QVERIFY(child.steps.empty());
      continue;
    }
    QVERIFY(child.parents[0] != child.parents[1]);
    const State replayed = withBounds(State::replay(parents.dag, child.steps));
    QVERIFY(!illegalReason(replayed, parents.request.space));
    QCOMPARE(programId(parents.dag, child.steps), child.programId);
    QCOMPARE(child.origins.size(), child.steps.size());
    const std::vector<NamedStep> steps = named(parents.dag, child.steps);
    std::array<std::vector<NamedStep>, 2> theirs;
    for (int side = 0; side < 2; ++side)
      theirs[side] = named(parents.dag, parents.request.parents[child.parents[side]].steps);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const int origin = child.origins[i];
      QCOMPARE(child.owners.at(steps[i].decider), origin);
      // The parent has that very step. Where it follows a split, that split may be the other's.
      const auto same = [&](const NamedStep& step) { return step.words == steps[i].words; };
      QVERIFY2(std::ranges::any_of(theirs[origin], same) ||
                   std::holds_alternative<FollowSplitStep>(child.steps[i]),
               steps[i].words.c_str());
    }
    mixed += std::ranges::count(child.origins, 0) > 0 && std::ranges::count(child.origins, 1) > 0;
  }
  QVERIFY2(mixed > 5, qPrintable(QString::number(mixed)));
}

/// Parents of one sketch: what differs is drawn decision by decision, the rest is one parent's.
void TestProgramCrossing::decisionsAreOfOneParent() {
  Parents parents(test::conv2dNhwc(6, 4, 12, 3, 1), 6);
  parents.request.grain = CrossGrain::Step;
  int mixed = 0;
  for (const CrossChild& child : crossPrograms(parents.request)) {
    if (child.outcome == CrossOutcome::Illegal || !child.owners.empty()) continue;
    QCOMPARE(child.origins.size(), child.steps.size());
    const State replayed = withBounds(State::replay(parents.dag, child.steps));
    QVERIFY(!illegalReason(replayed, parents.request.space));
    QCOMPARE(programId(parents.dag, child.steps), child.programId);
    std::set<int> used;
    for (std::size_t i = 0; i < child.steps.size(); ++i) {
      const auto parent =
          static_cast<std::size_t>(child.parents[static_cast<std::size_t>(child.origins[i])]);
      QCOMPARE(child.steps[i], parents.request.parents[parent].steps[i]);
      used.insert(child.origins[i]);
    }
    mixed += used.size() == 2;
  }
  QVERIFY2(mixed > 20, qPrintable(QString::number(mixed)));
}

/// A task with one node that matters has hardly any cross by nodes.
void TestProgramCrossing::stepsGiveMoreThanNodes() {
  Parents parents(test::conv2dNhwc(6, 4, 12, 3, 1), 10);
  const int byNodes = tally(crossPrograms(parents.request)).legal;
  parents.request.grain = CrossGrain::Step;
  const int bySteps = tally(crossPrograms(parents.request)).legal;
  qInfo("%d legal by nodes, %d by steps", byNodes, bySteps);
  QVERIFY(bySteps > byNodes);
}

void TestProgramCrossing::childrenComputeWhatTheDagSays() {
  QFETCH(QString, workload);
  QFETCH(CrossGrain, grain);
  Parents parents(smallDags().at(workload.toStdString()), 4);
  parents.request.grain = grain;
  parents.request.count = 60;
  std::map<std::string, TensorValues> inputs;
  Random random(kSeed);
  for (const Op& op : parents.dag.inputs())
    for (std::int64_t i = 0; i < op->output->elements(); ++i)
      inputs[op->name()].push_back(random.unit() - 0.5);
  const auto expected = evaluate(parents.dag, inputs);
  int run = 0;
  for (const CrossChild& child : crossPrograms(parents.request)) {
    if (child.outcome != CrossOutcome::Legal || ++run > 12) continue;
    const State state = State::replay(parents.dag, child.steps);
    for (const auto& [name, values] : interpret(lower(state), inputs)) {
      QCOMPARE(values.size(), expected.at(name).size());
      for (std::size_t i = 0; i < values.size(); ++i)
        QVERIFY2(std::abs(values[i] - expected.at(name)[i]) <=
                     1e-5 * (1 + std::abs(expected.at(name)[i])),
                 printLoopNest(state).c_str());
    }
  }
  QVERIFY(run > 3);
}

void TestProgramCrossing::isAFunctionOfTheRequest() {
  Parents parents(test::doubleMatmul(24), 5);
  const auto ids = [&] {
    QStringList all;
    for (const CrossChild& child : crossPrograms(parents.request))
      all.append(QString::fromStdString(child.programId + child.reason));
    return all;
  };
  const QStringList once = ids();
  QCOMPARE(ids(), once);
  parents.request.count = 50; // the first ones of more
  QCOMPARE(ids(), once.mid(0, 50));
  parents.request.seed = 8;
  QVERIFY(ids() != once.mid(0, 50));
}

void TestProgramCrossing::theAccountAddsUp() {
  Parents parents(test::doubleMatmul(24), 6);
  const std::vector<CrossChild> children = crossPrograms(parents.request);
  QCOMPARE(children.size(), std::size_t(200));
  const CrossTally sums = tally(children);
  QCOMPARE(sums.legal + sums.illegal + sums.duplicate, 200);
  QVERIFY(sums.legal > 10 && sums.illegal > 0 && sums.duplicate > 0);
  QCOMPARE(sums.predictedBetter, 0); // there is no model
  int reasons = 0;
  for (const auto& [reason, count] : sums.reasons)
    reasons += count;
  QCOMPARE(reasons, sums.illegal);
}

void TestProgramCrossing::knowsDuplicates() {
  Parents parents(test::doubleMatmul(24), 3);
  std::set<std::string> legal;
  for (const CrossChild& child : crossPrograms(parents.request))
    if (child.outcome == CrossOutcome::Legal) QVERIFY(legal.insert(child.programId).second);
  QVERIFY(legal.size() > 2);
  for (const CrossParent& parent : parents.request.parents)
    QVERIFY(!legal.contains(parent.programId));
  const std::string known = *legal.begin();
  parents.request.known = [&](const std::string& id) { return id == known; };
  int met = 0;
  for (const CrossChild& child : crossPrograms(parents.request)) {
    if (child.programId != known) continue;
    ++met;
    QCOMPARE(child.outcome, CrossOutcome::Duplicate);
    QCOMPARE(child.reason, std::string("measured before"));
  }
  QVERIFY(met > 0);
}

void TestProgramCrossing::predictsWithTheModel() {
  Parents parents(test::doubleMatmul(64), 6);
  const TasteInStages scorer;
  parents.request.judges.assign(6, &scorer);
  const auto score = [&](const Steps& steps) {
    const State state = withBounds(State::replay(parents.dag, steps));
    return scorer.score(std::span(&state, 1)).front();
  };
  const std::vector<CrossChild> children = crossPrograms(parents.request);
  int better = 0;
  for (const CrossChild& child : children) {
    QCOMPARE(child.score.has_value(), child.outcome == CrossOutcome::Legal);
    if (!child.score) continue;
    QCOMPARE(*child.score, score(child.steps));
    const bool beats = std::ranges::all_of(child.parents, [&](int parent) {
      return *child.score > score(parents.request.parents[static_cast<std::size_t>(parent)].steps);
    });
    QCOMPARE(child.predictedBetter, beats);
    better += beats;
  }
  QVERIFY(better > 0);
  QCOMPARE(tally(children).predictedBetter, better);
}

/// A child is compared with each parent by that parent's judge.
void TestProgramCrossing::eachParentHasItsJudge() {
  Parents parents(test::doubleMatmul(64), 4);
  const TasteInStages one;
  const Contrarian other;
  const std::array<const CostScorer*, 2> judges{&one, &other};
  for (std::size_t i = 0; i < 4; ++i)
    parents.request.judges.push_back(judges[i % 2]);
  const auto score = [&](const CostScorer& judge, const Steps& steps) {
    const State state = withBounds(State::replay(parents.dag, steps));
    return judge.score(std::span(&state, 1)).front();
  };
  int mixed = 0, better = 0;
  for (const CrossChild& child : crossPrograms(parents.request)) {
    if (child.outcome != CrossOutcome::Legal) continue;
    double sum = 0;
    bool beats = true;
    for (const int parent : child.parents) {
      const CostScorer& judge = *judges[std::size_t(parent % 2)];
      sum += score(judge, child.steps);
      beats &= score(judge, child.steps) >
               score(judge, parents.request.parents[std::size_t(parent)].steps);
    }
    QCOMPARE(*child.score, sum / 2);
    QCOMPARE(child.predictedBetter, beats);
    mixed += child.parents[0] % 2 != child.parents[1] % 2;
    better += beats;
  }
  QVERIFY(mixed > 0 && better > 0);
}

void TestProgramCrossing::offersTheMostPromising() {
  const auto child = [](CrossOutcome outcome, std::optional<double> score, bool better) {
    CrossChild one;
    one.outcome = outcome;
    one.score = score;
    one.predictedBetter = better;
    return one;
  };
  const CrossOutcome legal = CrossOutcome::Legal;
  const std::vector<CrossChild> children{
      child(legal, 0.9, false), child(CrossOutcome::Illegal, {}, false), child(legal, 0.5, true),
      child(legal, 0.7, true), child(CrossOutcome::Duplicate, {}, false)};
  QCOMPARE(mostPromising(children, 12), (std::vector<int>{3, 2, 0}));
  QCOMPARE(mostPromising(children, 2), (std::vector<int>{3, 2}));
  QCOMPARE(mostPromising(children, 0), std::vector<int>());
  // Without a model in the order of the draws.
  QCOMPARE(mostPromising({child(legal, {}, false), child(legal, {}, false)}, 5),
           (std::vector<int>{0, 1}));
}

void TestProgramCrossing::namesBothParents() {
  Parents parents(test::doubleMatmul(24), 3);
  const std::vector<CrossChild> children = crossPrograms(parents.request);
  const auto child = std::ranges::find(children, CrossOutcome::Legal, &CrossChild::outcome);
  QVERIFY(child != children.end());
  const Trace trace = traceOf(*child, parents.request.parents);
  QCOMPARE(trace.origin, Origin::Crossover);
  QCOMPARE(trace.parents.size(), std::size_t(2));
  for (int side = 0; side < 2; ++side)
    QCOMPARE(trace.parents[side], parents.request.parents[child->parents[side]].programId);
}

void TestProgramCrossing::refusesWhatCannotBeCrossed() {
  Parents parents(test::doubleMatmul(24), 2);
  const Parents others(test::softmax(6, 16), 1);
  parents.request.parents[1] = others.request.parents[0];
  QVERIFY_THROWS_EXCEPTION(InputError, crossPrograms(parents.request));
  parents.request.parents.resize(1);
  QVERIFY_THROWS_EXCEPTION(InputError, crossPrograms(parents.request));
}

NW_TEST_APPLESS(TestProgramCrossing)

} // namespace nestwright::program_crossing_test

#include "program_crossing.moc"
