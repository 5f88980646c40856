/// \file The rule of Winograd's convolutions: its sketches, and that their programs compute what
/// the DAG says, after sampling and mutation.

#include "core/network/graph/workloads.h"
#include "core/schedule/bounds.h"
#include "core/search/mutation.h"
#include "core/space/annotation.h"
#include "core/space/sketch.h"
#include "core/space/winograd_stages.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/lower/wrong_result.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <fmt/format.h>

#include <QtTest>

namespace nestwright::winograd_sketches_test {

constexpr std::uint64_t kSeed = 20261127;

constexpr const char* kNest = R"(Placeholder: data, kernel
for i1 (0,18)
  for i2 (0,18)
    for i3 (0,32)
      pad_temp = ...
for p (0,16)
  for ci.0 (None)
    for p (None)
      for ci.0 (None)
        unroll eps (None)
          unroll nu (None)
            for ci.1 (None)
              data_columns = ...
    unroll eps (0,6)
      unroll nu (0,6)
        for ci.1 (None)
          data_pack = ...
for eps (0,6)
  for nu (0,6)
    for co.0 (None)
      for p.0 (None)
        for ci.0 (None)
          for p.1 (None)
            for co.1 (None)
              for ci.1 (None)
                bgemm = ...
for i1.0 (0,4)
  for i2.0 (0,4)
    for i3.0 (None)
      for p (None)
        for co.0 (None)
          unroll vh (None)
            unroll vw (None)
              for co.1 (None)
                inverse = ...
      for p (None)
        for co.0 (None)
          unroll vh (None)
            unroll vw (None)
              for co.1 (None)
                inverse_columns = ...
      unroll i1.1 (0,4)
        unroll i2.1 (0,4)
          for i3.1 (None)
            compute = ...
)";

SketchRules ownAndPaper() {
  SketchRules rules = nestwrightRules();
  const SketchRules paper = cpuRules();
  rules.insert(rules.end(), paper.begin(), paper.end());
  return rules;
}

bool hasRule(const Sketch& sketch, const std::string& stage) {
  return std::ranges::any_of(sketch.firings, [&](const RuleFiring& firing) {
    return firing.rule == "Winograd" && firing.stage == stage;
  });
}

class WinogradSketches : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void transformsTileByTile() {
    const auto sketches = generateSketches(
        parseTaskSpec("conv2d:h=14,w=14,ci=32,co=48,relu=1,winograd=4").dag, {}, ownAndPaper());
    QVERIFY(!sketches.empty());
    QCOMPARE(QString::fromStdString(printLoopNest(sketches[0].state)), QString(kNest));
  }

  void leavesOthersAlone() {
    const auto same = [](const ComputeDag& dag) {
      const SpaceOptions options;
      const std::vector<Sketch> ours = generateSketches(dag, options, ownAndPaper());
      return std::ranges::none_of(ours, [](const Sketch& sketch) {
        return std::ranges::any_of(
            sketch.firings, [](const RuleFiring& firing) { return firing.rule == "Winograd"; });
      });
    };
    QVERIFY(same(parseTaskSpec("conv2d:h=14,w=14,ci=32,co=48,relu=1").dag));
    // TVM's own form, whose transforms are sums.
    QVERIFY(same(test::winogradNhwc(16, 32, 32)));
    QVERIFY(!winogradStages(State(test::winogradNhwc(16, 32, 32))));
  }

  void programsComputeWhatTheDagSays_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"conv2d:h=8,w=8,ci=8,co=16,winograd=4",
                             "conv2d:h=7,w=6,ci=8,co=16,bias=1,relu=1,winograd=4",
                             "conv2d:n=2,h=6,w=5,ci=8,co=8,bias=1,winograd=2",
                             "conv2d:n=2,h=7,w=6,ci=4,co=6,p=0,relu=1,winograd=4"})
      QTest::newRow(text) << text;
  }

  void programsComputeWhatTheDagSays() {
    QFETCH(QString, text);
    const ComputeDag dag = parseTaskSpec(text.toStdString()).dag;
    int checked = 0, mutated = 0;
    for (const int cores : {1, 2}) {
      SpaceOptions options;
      options.target.cores = cores;
      std::vector<Sketch> sketches = generateSketches(dag, options, ownAndPaper());
      for (const Sketch& sketch : sketches)
        QVERIFY(hasRule(sketch, "data_pack"));
      QVERIFY(hasRule(sketches[0], "bgemm"));
      QVERIFY(sketches.size() > 1 && !hasRule(sketches[1], "bgemm"));
      Random random = Random::stream(kSeed, text.toStdString(), static_cast<std::uint64_t>(cores));
      const Tensors inputs = randomInputs(dag, random), expected = evaluate(dag, inputs);
      const auto check = [&](const State& state) {
        ++checked;
        QCOMPARE(illegalReason(state, options), std::nullopt);
        const std::string problem = wrongResult(state, inputs, expected);
        QVERIFY2(problem.empty(), fmt::format("seed {}: {}", kSeed, problem).c_str());
      };
      for (int i = 0; i < 3; ++i) {
        const SampledProgram sample = sampleProgram(sketches, options, random);
        QVERIFY2(sample.state, sample.failure.c_str());
        check(*sample.state);
        for (const auto mutate : {mutateTileSize, mutateUnroll, mutateParallel})
          if (const std::optional<State> child = mutate(*sample.state, options, random)) {
            ++mutated;
            check(*child);
          }
      }
    }
    qInfo("%d programs, %d of them mutated", checked, mutated);
    QVERIFY(mutated > 8);
  }
};

NW_TEST_APPLESS(WinogradSketches)

} // namespace nestwright::winograd_sketches_test

#include "winograd_sketches.moc"
