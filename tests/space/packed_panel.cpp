/// \file Packed panels: when the rule fires, the sketches that it adds, and that their programs
/// compute what the DAG says, after sampling, mutation and crossover, and through records.

#include "core/network/graph/workloads.h"
#include "core/schedule/bounds.h"
#include "core/search/crossover.h"
#include "core/search/mutation.h"
#include "core/space/annotation.h"
#include "core/space/sketch.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/lower/wrong_result.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::packed_panel_test {

constexpr std::uint64_t kSeed = 20261121;

SketchRules ownAndPaper() {
  SketchRules rules = nestwrightRules();
  std::erase_if(rules, [](const auto& rule) { return rule->name() != "Packed Panel"; });
  const SketchRules paper = cpuRules();
  rules.insert(rules.end(), paper.begin(), paper.end());
  return rules;
}

ComputeDag dagOf(const QString& text) {
  std::string source = text.toStdString();
  if (text.startsWith("matmul:")) source += ",const_b=0"; // what is constant is packed beforehand
  return isTaskSpec(source) ? parseTaskSpec(source).dag : parseDag(source);
}

/// A machine whose caches are so small that small operands are worth packing.
SpaceOptions smallCaches(std::int64_t l2Bytes, int cores = 2) {
  SpaceOptions options;
  options.target.cores = cores;
  options.target.l2Bytes = l2Bytes;
  return options;
}

bool hasPanel(const Sketch& sketch) {
  return std::any_of(sketch.state.steps().begin(), sketch.state.steps().end(),
                     [](const Step& step) { return std::holds_alternative<CacheReadStep>(step); });
}

std::vector<Sketch> panelSketches(const ComputeDag& dag, const SpaceOptions& options) {
  std::vector<Sketch> sketches = generateSketches(dag, options, ownAndPaper());
  std::erase_if(sketches, [](const Sketch& sketch) { return !hasPanel(sketch); });
  return sketches;
}

QStringList nests(const std::vector<Sketch>& sketches) {
  QStringList texts;
  for (const Sketch& sketch : sketches)
    texts << QString::fromStdString(printLoopNest(sketch.state));
  return texts;
}

/// A product whose right matrix is no constant, with an optional ReLU.
QString product(int m, int n, int k, bool relu = false) {
  const std::string text = fmt::format("A = PLACEHOLDER [{}, {}]\nB = PLACEHOLDER [{}, {}]\n"
                                       "C(i, j) += (A[i, k]*B[k, j])\n",
                                       m, k, k, n);
  return QString::fromStdString(relu ? text + "D(i, j) = max(C[i, j], 0f)\n" : text);
}

class TestPackedPanel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void addsOneSketchWherePanelsHelp_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("paper");
    QTest::addColumn<int>("added");
    const auto row = [](const char* text, int paper, int added) {
      QTest::newRow(text) << QString(text) << paper << added;
    };
    QTest::newRow("1024") << product(1024, 1024, 1024) << 3 << 1;
    QTest::newRow("1 MB stays in the L2 cache") << product(512, 512, 512) << 3 << 0;
    QTest::newRow("hardly read again") << product(8, 1024, 1024) << 3 << 0;
    QTest::newRow("with a consumer") << product(1024, 1024, 1024, true) << 3 << 1;
    row("batch_matmul:b=12,m=128,n=128,k=64", 3, 0);
    row("batch_matmul:b=12,m=128,n=128,k=64,nt=1", 3, 1);
    row("conv2d:n=1,h=56,w=56,ci=64,co=64,k=3,s=1,p=1,bias=1,relu=1", 3, 0);
  }
  void addsOneSketchWherePanelsHelp() {
    QFETCH(QString, text);
    QFETCH(int, paper);
    QFETCH(int, added);
    const ComputeDag dag = dagOf(text);
    SpaceOptions options;
    options.target.cores = 4;
    const auto all = generateSketches(dag, options, ownAndPaper());
    QCOMPARE(static_cast<int>(panelSketches(dag, options).size()), added);
    QStringList others;
    for (const Sketch& sketch : all)
      if (!hasPanel(sketch)) others << QString::fromStdString(printLoopNest(sketch.state));
    QCOMPARE(others, nests(generateSketches(dag, options)));
    QCOMPARE(static_cast<int>(others.size()), paper);
  }

  void constantsArePackedBeforehand() {
    const ComputeDag dag = parseTaskSpec("matmul:m=1024,n=1024,k=1024").dag;
    QVERIFY(panelSketches(dag, {}).empty());
  }

  /// However near: an instruction wants elements of several rows side by side.
  void packsWhatAnInstructionWantsSideBySide() {
    const auto dag = dagOf("batch_matmul:b=12,m=128,n=128,k=64,bf16=1");
    SpaceOptions options;
    QVERIFY(panelSketches(dag, options).empty());
    options.target.features = {"avx512_bf16", "avx512vl"};
    const auto sketches = panelSketches(dag, options);
    QCOMPARE(sketches.size(), std::size_t(1));
    const auto firing = std::ranges::find(sketches[0].firings, "Packed Panel", &RuleFiring::rule);
    QVERIFY(firing != sketches[0].firings.end());
    QCOMPARE(
        QString::fromStdString(firing->reason),
        QString("it reads Y again along i, and an instruction wants 2 of it along k side by "
                "side, so pieces along j are packed into panels that stay in the L2 cache (with "
                "the tiles of T_cast)"));
    const QString nest = nests(sketches)[0];
    QVERIFY2(nest.contains("vectorize ax2 (None)\n          unroll ax1.1 (None)\n"),
             qPrintable(nest));
    options.target.lowering = Lowering::Plain;
    QVERIFY(panelSketches(dag, options).empty());
  }

  void packsOutsideOfTheLoopsThatReadAgain() {
    const auto sketches = panelSketches(dagOf(product(1024, 1024, 1024)), {});
    QCOMPARE(nests(sketches), QStringList{"Placeholder: A, B\n"
                                          "for j.0 (None)\n"
                                          "  for ax0 (None)\n"
                                          "    vectorize ax1 (None)\n"
                                          "      B.local = ...\n"
                                          "  for i (0,1024)\n"
                                          "    for j.1 (None)\n"
                                          "      for k (0,1024)\n"
                                          "        C = ...\n"});
    QCOMPARE(sketches[0].firings[0].rule, std::string("Packed Panel"));
    QCOMPARE(QString::fromStdString(sketches[0].firings[0].reason),
             QString("it reads B again along i, and 4096 KB of it in rows that lie far apart, so "
                     "pieces along j are packed into panels that stay in the L2 cache"));
  }

  void transposesBlockByBlock() {
    const auto sketches = panelSketches(dagOf("batch_matmul:b=2,m=32,n=32,k=40,nt=1"), {});
    QCOMPARE(nests(sketches), QStringList{"Placeholder: X, Y\n"
                                          "for b (0,2)\n"
                                          "  for j.0 (None)\n"
                                          "    for ax0 (None)\n"
                                          "      for ax2.0 (None)\n"
                                          "        unroll ax2.1 (None)\n"
                                          "          vectorize ax1 (None)\n"
                                          "            Y.local = ...\n"
                                          "    for i (0,32)\n"
                                          "      for j.1 (None)\n"
                                          "        for k (0,40)\n"
                                          "          T_batch_matmul_NT = ...\n"});
  }

  void sharesTheTilesOfAConsumer() {
    const auto sketches = panelSketches(dagOf(product(1024, 1024, 1024, true)), {});
    QCOMPARE(nests(sketches), QStringList{"Placeholder: A, B\n"
                                          "for j.0 (None)\n"
                                          "  for ax0 (None)\n"
                                          "    vectorize ax1 (None)\n"
                                          "      B.local = ...\n"
                                          "  for i.0 (None)\n"
                                          "    for j.0 (None)\n"
                                          "      for i.0 (None)\n"
                                          "        for i.1 (None)\n"
                                          "          for j.1 (None)\n"
                                          "            for k (None)\n"
                                          "              C = ...\n"
                                          "    for i.1 (None)\n"
                                          "      for j.1 (None)\n"
                                          "        D = ...\n"});
  }

  void cutsALongReduction() {
    const auto sketches = panelSketches(dagOf(product(64, 64, 8192)), {});
    QCOMPARE(nests(sketches), QStringList{"Placeholder: A, B\n"
                                          "for j.0 (None)\n"
                                          "  for k.0 (None)\n"
                                          "    for ax0 (None)\n"
                                          "      vectorize ax1 (None)\n"
                                          "        B.local = ...\n"
                                          "    for i (0,64)\n"
                                          "      for j.1 (None)\n"
                                          "        for k.1 (None)\n"
                                          "          C = ...\n"});
  }

  void programsComputeWhatTheDagSays_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("l2Bytes");
    const auto row = [](const char* text, int l2Bytes = 128) {
      QTest::newRow(text) << QString(text) << l2Bytes;
    };
    QTest::newRow("24, 32, 12") << product(24, 32, 12) << 128;
    QTest::newRow("19, 21, 7") << product(19, 21, 7) << 128;
    QTest::newRow("17, 160, 6") << product(17, 160, 6, true) << 3'400;
    QTest::newRow("17, 48, 30") << product(17, 48, 30, true) << 128;
    row("batch_matmul:b=3,m=20,n=18,k=9");
    row("batch_matmul:b=2,m=17,n=24,k=13,nt=1");
    row("batch_matmul:b=3,m=16,n=20,k=32,nt=1", 100'000);
    row("X = PLACEHOLDER [16, 3, 24]\n"
        "Y = PLACEHOLDER [12, 3, 24]\n"
        "T(b1, i, j) += (X[i, b1, k]*Y[j, b1, k])\n"
        "D(b1, i, j) = (T[b1, i, j]/8f)\n",
        100'000);
    row("A = PLACEHOLDER [5, 4, 6, 3]\n"
        "B = PLACEHOLDER [6, 20, 3]\n"
        "C(i, h, j) += (A[i, h, k, l]*B[k, j, l])\n");
    row("A = PLACEHOLDER [18, 14]\n"
        "B = PLACEHOLDER [20, 14]\n"
        "S(j, k) = (B[j, k]*2f)\n"
        "C(i, j) max= (A[i, k] + S[j, k])\n");
  }
  /// Into how many pieces a long reduction is cut is a decision like any other.
  void theNumberOfPiecesCanChange() {
    const ComputeDag dag = dagOf(product(256, 256, 4096));
    const SpaceOptions options = smallCaches(64 << 10);
    const std::vector<Sketch> sketches = panelSketches(dag, options);
    QVERIFY(!sketches.empty());
    Random random = Random::stream(kSeed, "pieces", 0);
    const auto piecesOf = [](const Steps& steps) {
      for (const Step& step : steps)
        if (const auto* split = std::get_if<SplitStep>(&step); split && !split->innerToOuter)
          return split->factors.front();
      return TileSize();
    };
    int changed = 0;
    for (int i = 0; i < 60; ++i) {
      const SampledProgram sample = sampleProgram(sketches, options, random);
      QVERIFY2(sample.state, sample.failure.c_str());
      const TileSize pieces = piecesOf(sample.state->steps());
      QVERIFY(pieces);
      if (const auto child = mutateTileSize(*sample.state, options, random))
        changed += piecesOf(child->steps()) != pieces;
    }
    QVERIFY2(changed > 0, "the number of pieces never changes");
  }

  void programsComputeWhatTheDagSays() {
    QFETCH(QString, text);
    QFETCH(int, l2Bytes);
    const ComputeDag dag = dagOf(text);
    int checked = 0, mutated = 0, crossed = 0;
    for (const int cores : {1, 2}) {
      const SpaceOptions options = smallCaches(l2Bytes, cores);
      const std::vector<Sketch> sketches = panelSketches(dag, options);
      QVERIFY(!sketches.empty());
      Random random = Random::stream(kSeed, text.toStdString(), static_cast<std::uint64_t>(cores));
      const Tensors inputs = randomInputs(dag, random), expected = evaluate(dag, inputs);
      std::optional<State> previous;
      const auto check = [&](const State& state) {
        ++checked;
        QCOMPARE(illegalReason(state, options), std::nullopt);
        const std::string problem = wrongResult(state, inputs, expected);
        QVERIFY2(problem.empty(), fmt::format("seed {}: {}", kSeed, problem).c_str());
      };
      for (int i = 0; i < 6; ++i) {
        const SampledProgram sample = sampleProgram(sketches, options, random);
        QVERIFY2(sample.state, sample.failure.c_str());
        check(*sample.state);
        const Steps again = stepsFromJson(toJson(sample.state->steps()));
        QCOMPARE(QString::fromStdString(printLoopNest(withBoundsOf(dag, again))),
                 QString::fromStdString(printLoopNest(*sample.state)));
        for (const auto mutate : {mutateTileSize, mutateUnroll, mutateParallel})
          if (const std::optional<State> child = mutate(*sample.state, options, random)) {
            ++mutated;
            check(*child);
          }
        QVERIFY(!mutateComputeLocation(*sample.state, options, random));
        if (previous)
          if (const auto child =
                  crossover(*previous, *sample.state, ownersOf(*previous), options)) {
            ++crossed;
            check(*child);
          }
        previous = sample.state;
      }
    }
    qInfo("%d programs, %d of them mutated and %d crossed", checked, mutated, crossed);
    QVERIFY(mutated > 8 && crossed > 5);
  }

 private:
  static State withBoundsOf(const ComputeDag& dag, const Steps& steps) {
    return withBounds(State::replay(dag, steps));
  }

  /// The panel from the first parent, all other stages from the second.
  static StageOwners ownersOf(const State& state) {
    StageOwners owners;
    for (int id = 0; id < state.stageCount(); ++id)
      owners[state.stage(id).name()] = state.stage(id).name().ends_with(".local") ? 0 : 1;
    return owners;
  }
};

NW_TEST_APPLESS(TestPackedPanel)

} // namespace nestwright::packed_panel_test

#include "packed_panel.moc"
