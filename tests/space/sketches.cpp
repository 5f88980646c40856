#include "core/space/derivation.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QtTest>

#include <fstream>

namespace nestwright::sketches_test {

nlohmann::json oracle() {
  std::ifstream file(NESTWRIGHT_TEST_DATA "/tvm-ansor-zen5/sketches.json");
  return nlohmann::json::parse(file);
}

/// The target that the public implementation assumed.
SpaceOptions fourCores() {
  SpaceOptions options;
  options.target.cores = 4;
  return options;
}

QStringList nests(const std::vector<Sketch>& sketches) {
  QStringList texts;
  for (const Sketch& sketch : sketches)
    texts << QString::fromStdString(printLoopNest(sketch.state));
  return texts;
}

QStringList firings(const Sketch& sketch) {
  QStringList texts;
  for (const RuleFiring& firing : sketch.firings)
    texts << QString::fromStdString(
        fmt::format("{}: {}: {}", firing.stage, firing.rule, firing.reason));
  return texts;
}

class TestSketches : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areThoseOfThePublicImplementation_data() {
    QTest::addColumn<QStringList>("expected");
    const nlohmann::json all = oracle();
    for (const auto& [key, value] : all.items()) {
      QStringList expected;
      for (const auto& sketch : value["sketches"]) {
        const auto nest = QString::fromStdString(sketch["loop_nest"].get<std::string>());
        expected << nest;
      }
      QTest::newRow(key.c_str()) << expected;
    }
  }
  void areThoseOfThePublicImplementation() {
    QFETCH(QStringList, expected);
    const ComputeDag dag = test::tvmDags().at(QTest::currentDataTag());
    QCOMPARE(nests(generateSketches(dag, fourCores())), expected);
  }

  void matmulHasExactlyThree() {
    QCOMPARE(generateSketches(test::matmul(512, 512, 512), {}).size(), 3u);
  }

  void winogradHasThree() {
    const ComputeDag dag = test::winogradNhwc(14, 16, 32);
    const auto sketches = generateSketches(dag, fourCores());
    QCOMPARE(sketches.size(), 3u); // those of the batched product
    for (const Sketch& sketch : sketches) {
      const QString nest = QString::fromStdString(printLoopNest(sketch.state));
      QVERIFY2(nest.contains("for p.0 (None)\n"
                             "  for ci.0 (None)\n"
                             "    for p.1 (None)\n"
                             "      for ci.1 (None)\n"
                             "        unroll eps (0,4)\n"
                             "          unroll nu (0,4)\n"
                             "            unroll r_a (0,4)\n"
                             "              unroll r_b (0,4)\n"
                             "                data_pack = ...\n"),
               qPrintable(nest));
      QVERIFY2(nest.contains("unroll vh (0,2)\n"), qPrintable(nest));
    }
  }

  void factoredReductionsStayUndecided() {
    for (const Sketch& sketch : generateSketches(test::minReduction(), fourCores())) {
      const Steps& steps = sketch.state.steps();
      QCOMPARE(sketch.state.isConcrete(), steps.empty());
      if (!steps.empty())
        QCOMPARE(std::get<SplitStep>(steps[0]).factors, std::vector<TileSize>{TileSize()});
    }
  }

  void rulesThatComeToNoEndAreRefused() {
    class Endless final : public SketchRule {
     public:
      std::string name() const override { return "Endless"; }
      RuleVerdict condition(const State&, int, const SpaceOptions&, std::string&) const override {
        return RuleVerdict::ApplyAndSkipRest;
      }
      std::vector<Derivation> apply(const State& state, int stage,
                                    const SpaceOptions&) const override {
        return {{state, stage, {}}, {state, stage, {}}};
      }
    };
    QVERIFY_EXCEPTION_THROWN(
        generateSketches(test::matmul(8, 8, 8), {}, {std::make_shared<Endless>()}), InputError);
  }

  void areTheReplayOfTheirSteps() {
    for (const auto& [key, dag] : test::tvmDags())
      for (const Sketch& sketch : generateSketches(dag, fourCores()))
        QCOMPARE(printLoopNest(State::replay(dag, sketch.state.steps())),
                 printLoopNest(sketch.state));
  }

  void tellWhichRuleMadeThemAndWhy() {
    const auto sketches = generateSketches(test::conv2dNhwc(56, 64, 64, 3, 1), {});
    QCOMPARE(firings(sketches[1]),
             (QStringList{
                 "compute: Skip: it is an output without data reuse",
                 "T_add: Always Inline: it is element-wise and cheap, so its readers compute it "
                 "themselves",
                 "conv2d_nhwc: Multi-Level Tiling with Fusion: it reads data again (pad_temp along "
                 "ff, kernel along yy and xx) and compute reads it element for element, so its "
                 "loops are tiled as SSRSRS inside those of compute (at tile level 2)",
                 "pad_temp: Skip: it has no data reuse, and computing it again in its readers "
                 "would cost too much"}));
    const auto matmul = generateSketches(test::matmul(64, 64, 64), {});
    QCOMPARE(firings(matmul[2]),
             (QStringList{"C: Add Cache Stage: it reuses data but no consumer reads it element for "
                          "element, so its tiles are computed in a local cache and copied out",
                          "C.local: Multi-Level Tiling with Fusion: it reads data again (A along "
                          "j.c, B along i.c) and C reads it element for element, so its loops are "
                          "tiled as SSRSRS inside those of C (at tile level 2)"}));
  }

  /// The tree leads to the same sketches in the same order, and every answer of a rule is
  /// explained.
  void derivationsLeadToTheSketches() {
    for (const auto& [key, dag] : test::tvmDags()) {
      const std::vector<Sketch> sketches = generateSketches(dag, fourCores());
      const DerivationTree tree = deriveSketches(dag, fourCores());
      QCOMPARE(tree.sketches, sketches.size());
      std::size_t finished = 0;
      for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const DerivationNode& node = tree.nodes[i];
        QVERIFY(node.parent < static_cast<int>(i));
        if (node.sketch >= 0) {
          QVERIFY(node.steps == sketches[static_cast<std::size_t>(node.sketch)].state.steps());
          ++finished;
          continue;
        }
        QCOMPARE(node.answers.size(), cpuRules().size());
        bool alone = false;
        for (const RuleAnswer& answer : node.answers) {
          using enum RuleAnswer::Answer;
          QCOMPARE(answer.answer == NotAsked, alone);
          QCOMPARE(!answer.results.empty(), answer.answer == Holds || answer.answer == HoldsAlone);
          if (!node.isInput && !alone) QVERIFY2(!answer.reason.empty(), answer.rule.c_str());
          alone = alone || answer.answer == HoldsAlone;
          for (const int result : answer.results)
            QCOMPARE(tree.nodes[static_cast<std::size_t>(result)].parent, static_cast<int>(i));
        }
      }
      QCOMPARE(finished, sketches.size());
    }
  }

  void derivationsArePrinted() {
    const std::string text = printDerivation(deriveSketches(test::matmul(64, 64, 64), {}));
    const QString shown = QString::fromStdString(text);
    QVERIFY2(shown.startsWith("stage C\n"
                              "  Always Inline: does not hold (it is an output, which must be "
                              "stored)\n"),
             qPrintable(shown));
    QVERIFY(shown.contains("Add Cache Stage: holds (it reuses data but"));
    QVERIFY(shown.contains("Skip: not asked\n"));
    QCOMPARE(shown.count("sketch "), 3);
  }

  void followTheTilingStructure() {
    SpaceOptions options;
    options.tilingStructure = "SRS";
    const auto sketches = generateSketches(test::matmul(64, 64, 64), options);
    QCOMPARE(nests(sketches)[0], "Placeholder: A, B\n"
                                 "for i.0 (None)\n"
                                 "  for j.0 (None)\n"
                                 "    for k (0,64)\n"
                                 "      for i.1 (None)\n"
                                 "        for j.1 (None)\n"
                                 "          C = ...\n");
    QCOMPARE(sketches.size(), 2u); // fused at level 1 only: level 2 is no spatial level
  }

  void keepWholeWhatTheOperatorWantsWhole() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [8, 8]\nB = PLACEHOLDER [8, 8]\n"
                                    "C(i, j) += (A[i, k]*B[k, j]) @no_split_at_inner(j)\n");
    QCOMPARE(nests(generateSketches(dag, {}))[0], "Placeholder: A, B\n"
                                                  "for i.0 (None)\n"
                                                  "  for i.1 (None)\n"
                                                  "    for k.0 (None)\n"
                                                  "      for i.2 (None)\n"
                                                  "        for k.1 (None)\n"
                                                  "          for j (0,8)\n"
                                                  "            for i.3 (None)\n"
                                                  "              C = ...\n");
  }

  void takeUserRulesFirst() {
    class NoTiling final : public SketchRule {
     public:
      std::string name() const override { return "No tiling"; }
      RuleVerdict condition(const State&, int, const SpaceOptions&,
                            std::string& reason) const override {
        reason = "the user says so";
        return RuleVerdict::ApplyAndSkipRest;
      }
      std::vector<Derivation> apply(const State& state, int stage,
                                    const SpaceOptions&) const override {
        return {{state, stage - 1, {}}};
      }
    };
    SketchRules rules = cpuRules();
    rules.insert(rules.begin(), std::make_shared<NoTiling>());
    const auto sketches = generateSketches(test::matmul(8, 8, 8), {}, rules);
    QCOMPARE(sketches.size(), 1u);
    QVERIFY(sketches[0].state.steps().empty());
    QCOMPARE(firings(sketches[0]), QStringList{"C: No tiling: the user says so"});
  }
};

NW_TEST_APPLESS(TestSketches)

} // namespace nestwright::sketches_test

#include "sketches.moc"
