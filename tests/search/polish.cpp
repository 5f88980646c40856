/// Neighbours of programs: legal, different, one decision away; which come first; and that a
/// descent over them ends where no decision is better.

#include "core/search/decisions/polish.h"

#include "core/schedule/bounds.h"
#include "core/search/decisions/neighbours.h"
#include "core/search/decisions/sketch_decisions.h"
#include "core/space/choices.h"
#include "core/space/legality.h"
#include "core/space/sketch_of.h"
#include "core/tensor/text.h"
#include "tests/search/search_task.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <map>
#include <set>

namespace nestwright::polish_test {

ComputeDag product(int m, int n, int k) {
  return parseDag(fmt::format("A = PLACEHOLDER [{0}, {2}]\nB = PLACEHOLDER [{2}, {1}]\n"
                              "C(i, j) += (A[i, k]*B[k, j])\nD(i, j) = max(C[i, j], 0f)\n",
                              m, n, k));
}

std::vector<State> statesOf(const std::vector<Neighbour>& neighbours) {
  std::vector<State> states;
  for (const Neighbour& neighbour : neighbours)
    states.push_back(neighbour.program);
  return states;
}

class Polish : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void neighboursAreLegalAndOthers() {
    const test::SearchTask task(product(64, 96, 128), 3);
    std::map<DecisionKind, int> kinds;
    for (std::uint64_t i = 0; i < 25; ++i) {
      const State program = task.sample(i);
      std::set<std::string> programs{programId(task.dag, program.steps())};
      for (const Neighbour& neighbour : neighboursOf(program, task.context.space)) {
        ++kinds[neighbour.kind];
        QVERIFY(programs.insert(neighbour.programId).second);
        QCOMPARE(programId(task.dag, neighbour.program.steps()), neighbour.programId);
        QVERIFY(!illegality(neighbour.program, task.context.space));
        QVERIFY(!neighbour.decision.empty() && !neighbour.change.empty());
      }
    }
    for (const DecisionKind kind :
         {DecisionKind::TileSize, DecisionKind::TilePair, DecisionKind::Unroll,
          DecisionKind::Parallel, DecisionKind::Vectorize})
      QVERIFY2(kinds[kind] > 0, name(kind));
  }

  /// One prime factor is in another place, and nothing else.
  void tilesMoveByOnePrime() {
    const test::SearchTask task(product(60, 96, 128), 3);
    const State program = task.sample(1);
    int seen = 0;
    for (const Neighbour& neighbour : neighboursOf(program, task.context.space)) {
      if (neighbour.kind != DecisionKind::TileSize) continue;
      const Steps &before = program.steps(), &after = neighbour.program.steps();
      QCOMPARE(after.size(), before.size());
      int changed = 0;
      for (std::size_t i = 0; i < before.size(); ++i)
        changed += before[i] == after[i] ? 0 : 1;
      QCOMPARE(changed, 1);
      ++seen;
    }
    QVERIFY(seen > 10);
  }

  /// A neighbour that was undone gives the program again: descents can go back.
  void tilesCanBeTakenBack() {
    const test::SearchTask task(product(64, 64, 64), 3);
    const State program = task.sample(2);
    const std::string id = programId(task.dag, program.steps());
    for (const Neighbour& neighbour : neighboursOf(program, task.context.space)) {
      if (neighbour.kind != DecisionKind::TileSize) continue;
      bool found = false;
      for (const Neighbour& back : neighboursOf(neighbour.program, task.context.space))
        found |= back.programId == id;
      QVERIFY2(found, neighbour.change.c_str());
    }
  }

  /// A stage goes from a loop to root and into its readers, and back, and nothing else goes with it
  /// but what follows from its place.
  void stagesMoveToRootAndIntoTheirReaders() {
    const test::SearchTask task(parseDag("A = PLACEHOLDER [64, 96]\n"
                                         "M(i) max= A[i, k]\n"
                                         "E(i, j) = tir.exp((A[i, j] - M[i]))\n"
                                         "S(i) += E[i, k]\n"
                                         "D(i, j) = (E[i, j]/S[i])\n"),
                                3);
    const SpaceOptions& space = task.context.space;
    std::set<std::string> changes;
    for (std::uint64_t i = 0; i < 25; ++i) {
      const State program = task.sample(i);
      const int sketch = sketchOf(task.sketches, program.steps());
      QVERIFY(sketch >= 0);
      const DecisionValues before =
          decisionValues(task.sketches[std::size_t(sketch)], space, program.steps());
      for (const Neighbour& neighbour : neighboursOf(program, space, task.sketches)) {
        QVERIFY(!illegality(neighbour.program, space));
        if (neighbour.kind != DecisionKind::ComputeLocation) continue;
        const DecisionValues after =
            decisionValues(task.sketches[std::size_t(sketch)], space, neighbour.program.steps());
        const std::string stage = neighbour.decision.substr(std::string("place of ").size());
        for (const auto& [name, value] : before)
          if (!name.ends_with(" of " + stage)) QVERIFY(after.at(name) == value);
        QVERIFY(after.at(neighbour.decision) != before.at(neighbour.decision));
        const auto kind = [](const DecisionValue& place) {
          const auto& text = std::get<std::string>(place);
          return text == kAtRoot || text == kInlined ? text : "loop";
        };
        changes.insert(kind(before.at(neighbour.decision)) + " becomes " +
                       kind(after.at(neighbour.decision)));
      }
    }
    for (const char* change : {"loop becomes loop", "loop becomes root", "root becomes loop"})
      QVERIFY2(changes.contains(change), change);
  }

  /// Into each other sketch, with the tiles that both have.
  void programsMoveToOtherSketches() {
    const test::SearchTask task(product(64, 96, 128), 3);
    const SpaceOptions& space = task.context.space;
    const State program = task.sample(4);
    const int own = sketchOf(task.sketches, program.steps());
    QVERIFY(own >= 0 && task.sketches.size() > 1);
    const DecisionValues before =
        decisionValues(task.sketches[std::size_t(own)], space, program.steps());
    std::set<int> reached;
    for (const Neighbour& neighbour : neighboursOf(program, space, task.sketches)) {
      if (neighbour.kind != DecisionKind::Sketch) continue;
      const int other = sketchOf(task.sketches, neighbour.program.steps());
      QVERIFY(other >= 0 && other != own);
      QVERIFY(!illegality(neighbour.program, space));
      reached.insert(other);
      const DecisionValues after =
          decisionValues(task.sketches[std::size_t(other)], space, neighbour.program.steps());
      for (const SketchDecision& decision :
           sketchDecisions(task.sketches[std::size_t(other)], space)) {
        if (decision.kind != DecisionKind::TileSize || !before.contains(decision.name)) continue;
        const auto& tiles = std::get<std::vector<std::int64_t>>(before.at(decision.name));
        if (tiles.size() == decision.parts.size() &&
            std::ranges::none_of(decision.parts,
                                 [](const TileSize& part) { return part.has_value(); }))
          QVERIFY(after.at(decision.name) == before.at(decision.name));
      }
    }
    QVERIFY(!reached.empty());
  }

  void thoseThatPromiseMostComeFirst() {
    test::SearchTask task(product(64, 96, 128), 3);
    task.context.measuredBest = {task.sample(4).steps()};
    std::set<std::string> known;
    task.context.known = [&](const std::string& id) { return known.contains(id); };
    const std::vector<Neighbour> all =
        neighboursOf(task.sample(4), task.context.space, task.sketches);
    const std::vector<double> scores = task.scorer.score(statesOf(all));
    std::vector<double> sorted = scores;
    std::ranges::sort(sorted, std::greater());
    std::size_t at = 0;
    while (at < all.size()) {
      const Proposal proposal = PolishPolicy().propose(4, task.context);
      const Proposal again = PolishPolicy().propose(4, task.context);
      QCOMPARE(again.candidates.size(), proposal.candidates.size());
      QCOMPARE(proposal.candidates.size(), std::min<std::size_t>(4, all.size() - at));
      QVERIFY(proposal.shortage.empty());
      for (std::size_t i = 0; i < proposal.candidates.size(); ++i) {
        const Candidate& candidate = proposal.candidates[i];
        QCOMPARE(again.candidates[i].programId, candidate.programId);
        QCOMPARE(candidate.trace.predictedScore.value(), sorted.at(at++));
        QCOMPARE(candidate.trace.origin, Origin::Polish);
        QCOMPARE(candidate.trace.parents.size(), std::size_t(1));
        QVERIFY(!candidate.trace.decision.empty());
        QCOMPARE(traceFromJson(toJson(candidate.trace)), candidate.trace);
        known.insert(candidate.programId);
      }
    }
    twoDecisionsComeWhereNoneIsLeft(task, known);
    // Without a cost model nobody could choose among so many.
    task.context.scorer = nullptr;
    const Proposal none = PolishPolicy().propose(4, task.context);
    QVERIFY(none.candidates.empty() && !none.shortage.empty());
  }

  /// A descent over a cost that each decision adds to ends at the least of them.
  void aDescentEndsWhereNothingIsBetter() {
    const test::SearchTask task(product(64, 64, 64), 3);
    State program = task.sample(6);
    const auto cost = [](const State& of) {
      double sum = 0;
      for (const Step& step : of.steps())
        if (const auto* split = std::get_if<SplitStep>(&step))
          for (const TileSize& factor : split->factors)
            sum += std::abs(std::log2(double(*factor)) - 1);
      return sum;
    };
    int moves = 0;
    for (bool better = true; better; ++moves) {
      better = false;
      for (const Neighbour& neighbour : neighboursOf(program, task.context.space))
        if (!better && cost(neighbour.program) < cost(program)) {
          program = neighbour.program;
          better = true;
        }
      QVERIFY(moves < 100);
    }
    QVERIFY(moves > 1);
    for (const Step& step : program.steps())
      if (const auto* split = std::get_if<SplitStep>(&step))
        for (const TileSize& factor : split->factors)
          if (std::get<SplitStep>(step).factors.size() > 1) QVERIFY(*factor <= 4);
  }

 private:
  /// Neighbours of neighbours, of `known`, that are neither known nor the program itself.
  static void twoDecisionsComeWhereNoneIsLeft(const test::SearchTask& task,
                                              std::set<std::string>& known) {
    const State program = task.sample(4);
    const std::string own = programId(program.originalDag(), program.steps());
    for (int round = 0; round < 3; ++round) {
      const Proposal proposal = PolishPolicy().propose(4, task.context);
      QCOMPARE(proposal.candidates.size(), std::size_t(4));
      for (const Candidate& candidate : proposal.candidates) {
        QVERIFY(candidate.programId != own && !known.contains(candidate.programId));
        QCOMPARE(candidate.trace.decision, std::string(kTwoDecisions));
        const std::vector<Neighbour> around =
            neighboursOf(program, task.context.space, task.sketches);
        QVERIFY(std::ranges::any_of(around, [&](const Neighbour& first) {
          const std::vector<Neighbour> behind =
              neighboursOf(first.program, task.context.space, task.sketches);
          return std::ranges::find(behind, candidate.programId, &Neighbour::programId) !=
                 behind.end();
        }));
      }
      for (const Candidate& candidate : proposal.candidates)
        known.insert(candidate.programId);
    }
  }
};

NW_TEST_GUILESS(Polish)

} // namespace nestwright::polish_test

#include "polish.moc"
