/// The draft: what it says of loops that are easy to reckon with by hand, and where it is asked.

#include "core/search/draft/draft_score.h"

#include "core/schedule/bounds.h"
#include "core/search/random_policy.h"
#include "core/tensor/text.h"
#include "tests/search/search_task.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace nestwright::draft_score_test {

ComputeDag product(int n) {
  return parseDag(fmt::format("A = PLACEHOLDER [{0}, {0}]\nB = PLACEHOLDER [{0}, {0}]\n"
                              "C(i, j) += (A[i, k]*B[k, j])\n",
                              n));
}

TargetFacts target(Lowering lowering = Lowering::Full) {
  TargetFacts facts;
  facts.lowering = lowering;
  facts.cores = 4;
  facts.vectorBytes = 32;
  return facts;
}

State programOf(const ComputeDag& dag, const Steps& steps) {
  return withBounds(State::replay(dag, steps));
}

class DraftScore : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Where loops stay as they are.
  void vectorsAreCounted() {
    const ComputeDag dag = product(256);
    const TargetFacts plain = target(Lowering::Plain);
    const State naive = programOf(dag, {});
    // i, k, j: the innermost loop runs along rows.
    const Steps ordered = {ReorderStep{2, {0, 2, 1}}};
    Steps vector = {SplitStep{2, 1, 256, {8}}, ReorderStep{2, {0, 1, 3, 2}},
                    AnnotationStep{2, 3, Annotation::Vectorize}};
    QCOMPARE(draftedStages(naive, plain).at(0).lanes, 1.0); // a sum is none
    QCOMPARE(draftedStages(programOf(dag, ordered), plain).at(0).lanes, 8.0);
    QCOMPARE(draftedStages(programOf(dag, vector), plain).at(0).lanes, 8.0);
    std::get<SplitStep>(vector[0]).factors = {4}; // half a vector
    QCOMPARE(draftedStages(programOf(dag, vector), plain).at(0).lanes, 4.0);
    QVERIFY(draftScore(programOf(dag, ordered), plain) > draftScore(naive, plain));
    // Along columns every lane is a load of its own.
    const Steps columns = {ReorderStep{2, {2, 1, 0}}, AnnotationStep{2, 2, Annotation::Vectorize}};
    QVERIFY(draftedStages(programOf(dag, columns), plain).at(0).loads >
            3 * draftedStages(programOf(dag, ordered), plain).at(0).loads);
  }

  /// The usual lowering chooses lanes and tile anew, whichever loop stands inside.
  void reductionsAreTiled() {
    const ComputeDag dag = product(256);
    for (const std::vector<int>& order : {std::vector{0, 1, 2}, {0, 2, 1}, {2, 0, 1}}) {
      const DraftedStage stage =
          draftedStages(programOf(dag, {ReorderStep{2, order}}), target()).at(0);
      QCOMPARE(stage.lanes, 8.0);
      QCOMPARE(stage.arithmetic, 256.0 * 256 * 256 / 8 / 2); // both units are always busy
      QVERIFY(stage.accumulators >= 8 && stage.accumulators <= 14);
    }
    // Loops behind a loop that is parallel are its own: rows of four leave half a vector.
    const Steps rows = {SplitStep{2, 1, 256, {4}}, ReorderStep{2, {1, 0, 2, 3}},
                        AnnotationStep{2, 0, Annotation::Parallel}};
    QCOMPARE(draftedStages(programOf(dag, rows), target()).at(0).lanes, 4.0);
    // Strips of a parallel loop are vectors, whatever is left of it behind them.
    for (const int n : {1000, 1024}) {
      const ComputeDag row = parseDag(fmt::format("A = PLACEHOLDER [1, 512]\nB = PLACEHOLDER [512, "
                                                  "{0}]\nC(i, j={0}) += (A[i, k]*B[k, j])\n",
                                                  n));
      const Steps parallel = {ReorderStep{2, {1, 0, 2}},
                              AnnotationStep{2, 0, Annotation::Parallel}};
      QVERIFY(draftedStages(programOf(row, parallel), target()).at(0).lanes > 7.5);
    }
  }

  /// As the lowering cuts them: two for each core at least, so that those of 1024 elements are
  /// narrower than a vector for 256 cores.
  void stripsSufficeForAllCores() {
    const ComputeDag row = parseDag("A = PLACEHOLDER [1, 512]\nB = PLACEHOLDER [512, 1024]\n"
                                    "C(i, j=1024) += (A[i, k]*B[k, j])\n");
    const State parallel =
        programOf(row, {ReorderStep{2, {1, 0, 2}}, AnnotationStep{2, 0, Annotation::Parallel}});
    for (const auto& [cores, isWhole] : {std::pair(4, true), {64, true}, {256, false}}) {
      TargetFacts facts = target();
      facts.cores = cores;
      QCOMPARE(draftedStages(parallel, facts).at(0).lanes == 8.0, isWhole);
    }
  }

  void lanesAreWhatHasNeighbours() {
    const auto lanesOf = [](const char* dag) {
      return draftedStages(programOf(parseDag(dag), {}), target()).at(0).lanes;
    };
    // Bytes, of results in spite of the innermost loop.
    QCOMPARE(lanesOf("A = PLACEHOLDER [64, 9, 64] uint8\nM(i, c) max= A[i, k, c]\n"), 32.0);
    QCOMPARE(lanesOf("A = PLACEHOLDER [64, 999]\nS(i) += A[i, k]\n"), 8.0); // of the sum's terms
    QCOMPARE(lanesOf("A = PLACEHOLDER [64, 5]\nS(i) += A[i, k]\n"), 1.0);   // too few of them
  }

  /// Four products of bytes are one instruction's.
  void productsOfBytesAreCounted() {
    TargetFacts facts = target();
    const auto arithmeticOf = [&](int k) {
      const ComputeDag dag =
          parseDag(fmt::format("A = PLACEHOLDER [64, {0}] uint8\nB = PLACEHOLDER [{0}, 64] int8\n"
                               "C(i, j) += (int32(A[i, k])*int32(B[k, j]))\n",
                               k));
      return draftedStages(programOf(dag, {}), facts).at(0).arithmetic;
    };
    const double before = arithmeticOf(64);
    facts.features = {"avx512_vnni", "avx_vnni"};
    QCOMPARE(arithmeticOf(64), before / 4);
    QVERIFY(arithmeticOf(66) > before);
    facts.features = {"avx2"}; // two of them, as words of 16 bits
    QCOMPARE(arithmeticOf(64), before / 2);
  }

  void coresThatWaitAreCounted() {
    const ComputeDag dag = product(64);
    const auto parallel = [&](std::int64_t inner) {
      return draftedStages(programOf(dag, {SplitStep{2, 0, 64, {inner}},
                                           AnnotationStep{2, 0, Annotation::Parallel}}),
                           target())
          .at(0)
          .parallel;
    };
    QCOMPARE(parallel(1), 4.0);
    QCOMPARE(parallel(64), 1.0);
    QCOMPARE(
        draftedStages(programOf(product(5), {AnnotationStep{2, 0, Annotation::Parallel}}), target())
            .at(0)
            .parallel,
        2.5); // five iterations in two rounds
    QCOMPARE(draftedStages(programOf(dag, {}), target()).at(0).parallel, 1.0);
  }

  /// Tiles that fit a cache bring less from the next one.
  void tilesSaveTraffic() {
    const ComputeDag dag = product(512);
    const Steps order = {ReorderStep{2, {0, 2, 1}}};
    const Steps tiled = {SplitStep{2, 0, 512, {32}}, SplitStep{2, 2, 512, {32}},
                         SplitStep{2, 4, 512, {32}}, ReorderStep{2, {0, 2, 4, 1, 5, 3}}};
    const DraftedStage flat = draftedStages(programOf(dag, order), target()).at(0);
    const DraftedStage tiles = draftedStages(programOf(dag, tiled), target()).at(0);
    QVERIFY2(tiles.l2 < flat.l2 / 4, qPrintable(QString("%1 %2").arg(tiles.l2).arg(flat.l2)));
    QVERIFY(tiles.points == flat.points);
    // It is more than the second-level cache holds, and less than the third.
    QVERIFY(flat.l3 > 0 && tiles.l3 > 0);
    QCOMPARE(flat.memory, 0.0);
  }

  /// What a loop makes and reads again at each iteration is in the same place each time.
  void buffersOfALoopStayInTheCache() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [4096, 1024]\n"
                                    "B(i, j) = exp(A[i, j])\n"
                                    "C(i, j) = (B[i, j]*B[i, j])\n");
    const Steps attached = {ComputeAtStep{1, 2, 0}}, inRow = {ComputeAtStep{1, 2, 1}};
    TargetFacts facts = target();
    facts.l1Bytes = 32768, facts.l2Bytes = 524288, facts.l3Bytes = 8388608;
    const auto drafted = [&](const Steps& steps) {
      return draftedStages(programOf(dag, steps), facts);
    };
    const double element = 4096.0 * 1024 * 4, perCycle = 4;
    const auto apart = drafted({}), rows = drafted(attached), elements = drafted(inRow);
    QCOMPARE(apart.at(0).memory, 3 * element / perCycle); // reads A; of B a write is two ways
    QCOMPARE(apart.at(1).memory, 3 * element / perCycle);
    QCOMPARE(rows.at(0).memory, element / perCycle); // a row of B is 4 KiB
    QCOMPARE(rows.at(1).memory, 2 * element / perCycle);
    QCOMPARE(rows.at(1).l2, rows.at(1).memory * perCycle / 32);
    QCOMPARE(elements.at(0).memory, rows.at(0).memory);
    // What an iteration makes is more than a first-level cache of 4 KiB holds.
    facts.l1Bytes = 4096;
    const Steps inPieces = {SplitStep{2, 1, 1024, {128}}, ComputeAtStep{1, 2, 0}};
    QCOMPARE(drafted(inPieces).at(1).l2, 3 * element / 32);
  }

  void theSlowestPartCounts() {
    const std::vector<std::function<double&(DraftedStage&)>> parts = {
        [](DraftedStage& s) -> double& { return s.arithmetic; },
        [](DraftedStage& s) -> double& { return s.loads; },
        [](DraftedStage& s) -> double& { return s.l2; },
        [](DraftedStage& s) -> double& { return s.l3; },
        [](DraftedStage& s) -> double& { return s.memory; }};
    for (const auto& part : parts) {
      DraftedStage stage;
      stage.arithmetic = 10;
      const double before = stage.cycles();
      part(stage) = 1000;
      QVERIFY(stage.cycles() >= 1000 && before < 100);
    }
  }

  void programsWithoutBoundsHaveNone() {
    const ComputeDag dag = product(64);
    QCOMPARE(draftScore(State::replay(dag, {SplitStep{2, 0, 64, {std::nullopt}}}), target()),
             -std::numeric_limits<double>::infinity());
  }

  /// Random programs have a finite score, the same each time.
  void randomProgramsAreScored() {
    for (const char* text :
         {"A = PLACEHOLDER [64, 64]\nB(i, j) = max(A[i, j], 0f)\nW = PLACEHOLDER [64, 64]\n"
          "C(i, j) += (B[i, k]*W[k, j])\nD(i, j) = (C[i, j] + 1f)\n",
          "A = PLACEHOLDER [1, 16, 16, 8]\nW = PLACEHOLDER [3, 3, 8, 16]\n"
          "P(n, h=18, w=18, c) = if_then_else((h >= 1) && (h < 17) && (w >= 1) && (w < 17), "
          "A[n, (h - 1), (w - 1), c], 0f)\n"
          "C(n, h=16, w=16, o=16) {r=3, s=3, c=8} += (P[n, (h + r), (w + s), c]*W[r, s, c, "
          "o])\n"}) {
      const test::SearchTask task(parseDag(text), 11);
      std::set<double> scores;
      for (std::uint64_t i = 0; i < 40; ++i) {
        const State program = task.sample(i);
        const double score = draftScore(program, target());
        QVERIFY(std::isfinite(score));
        QCOMPARE(draftScore(program, target()), score);
        scores.insert(score);
      }
      QVERIFY(scores.size() > 30);
    }
  }

  /// The first batch is the best of many draws, the same for any number of threads; with a model
  /// nobody asks.
  void theFirstBatchIsDrafted() {
    test::SearchTask task(product(128), 4);
    task.context.scorer = nullptr;
    const TargetFacts plain = target(Lowering::Plain); // where programs differ most
    task.context.draft = draftOf(plain);
    const auto meanOf = [&](const Proposal& proposal) {
      double sum = 0;
      for (const Candidate& candidate : proposal.candidates)
        sum += draftScore(programOf(task.dag, candidate.steps), plain);
      return sum / double(proposal.candidates.size());
    };
    const Proposal random = RandomPolicy().propose(16, task.context);
    task.context.draftUse = DraftUse::First;
    task.context.threads = 1;
    const Proposal drafted = RandomPolicy().propose(16, task.context);
    task.context.threads = 3;
    const Proposal again = RandomPolicy().propose(16, task.context);
    QCOMPARE(drafted.candidates.size(), std::size_t(16));
    int chosen = 0;
    for (std::size_t i = 0; i < drafted.candidates.size(); ++i) {
      QCOMPARE(again.candidates.at(i).programId, drafted.candidates[i].programId);
      chosen += drafted.candidates[i].trace.selection == PickReason::Drafted ? 1 : 0;
    }
    QCOMPARE(chosen, 14); // two stay random
    QCOMPARE(again.nextDraw, drafted.nextDraw);
    QVERIFY(meanOf(drafted) > meanOf(random) + 1); // less than half the cycles
    for (const Candidate& candidate : random.candidates)
      QVERIFY(candidate.trace.selection != PickReason::Drafted);
  }
};

NW_TEST_GUILESS(DraftScore)

} // namespace nestwright::draft_score_test

#include "draft_score.moc"
