#include "core/space/annotation.h"

#include "core/schedule/bounds.h"
#include "core/space/compute_location.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QtTest>

#include <set>

namespace nestwright::annotation_test {

SpaceOptions options() {
  SpaceOptions result;
  result.target.cores = 2;
  return result;
}

QString q(const std::string& text) {
  return QString::fromStdString(text);
}

class TestAnnotation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void samplesLegalPrograms_data() {
    QTest::addColumn<QString>("workload");
    for (const auto& [key, dag] : test::tvmDags())
      QTest::newRow(key.c_str()) << q(key);
  }
  void samplesLegalPrograms() {
    QFETCH(QString, workload);
    const ComputeDag dag = test::tvmDags().at(workload.toStdString());
    const auto sketches = generateSketches(dag, options());
    int valid = 0;
    std::set<std::string> nests;
    constexpr int kSamples = 200;
    for (std::uint64_t seed = 0; seed < kSamples; ++seed) {
      Random random(seed);
      const SampledProgram sample = sampleProgram(sketches, options(), random);
      if (!sample.state) {
        qInfo("seed %d: %s", static_cast<int>(seed), sample.failure.c_str());
        continue;
      }
      ++valid;
      const State& state = *sample.state;
      QVERIFY(state.isConcrete());
      QCOMPARE(illegalReason(state, options()), std::nullopt);
      const std::string nest = printLoopNest(state);
      QVERIFY2(nest.find("None") == std::string::npos, nest.c_str());
      QCOMPARE(q(printLoopNest(withBounds(State::replay(dag, state.steps())))), q(nest));
      nests.insert(nest);
    }
    QVERIFY2(valid >= kSamples * 95 / 100, std::to_string(valid).c_str());
    QVERIFY2(nests.size() > 3, std::to_string(nests.size()).c_str());
  }

  void dependsOnTheSeedAlone() {
    const ComputeDag dag = test::conv2dNhwc(14, 16, 32, 3, 1);
    const auto sketches = generateSketches(dag, options());
    const auto again = generateSketches(dag, options());
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Random a(seed), b(seed);
      const SampledProgram first = sampleProgram(sketches, options(), a),
                           second = sampleProgram(again, options(), b);
      QCOMPARE(first.state.has_value(), second.state.has_value());
      if (first.state) QCOMPARE(toJson(first.state->steps()), toJson(second.state->steps()));
    }
  }

  void choosesTileSizesUniformly() {
    // 12 = f1 * f2 * rest with f2 <= 4: every pair equally often.
    const ComputeDag dag = parseDag("A = PLACEHOLDER [12, 12]\nB = PLACEHOLDER [12, 12]\n"
                                    "C(i, j) += (A[i, k]*B[k, j])\n");
    SpaceOptions small = options();
    small.tilingStructure = "SSSR";
    small.maxInnermostFactor = 4;
    const auto sketches = generateSketches(dag, small);
    std::map<std::pair<std::int64_t, std::int64_t>, int> seen;
    constexpr int kSamples = 8000;
    for (std::uint64_t seed = 0; seed < kSamples; ++seed) {
      Random random(seed);
      const SampledProgram sample = sampleProgram(sketches, small, random);
      QVERIFY2(sample.state, sample.failure.c_str());
      for (const Step& step : sample.state->steps())
        if (const auto* split = std::get_if<SplitStep>(&step); split && split->iterator == 0)
          ++seen[{*split->factors[0], *split->factors[1]}];
    }
    int expectedPairs = 0;
    for (std::int64_t a = 1; a <= 12; ++a)
      for (std::int64_t b = 1; b <= 4; ++b)
        expectedPairs += 12 % (a * b) == 0;
    QCOMPARE(static_cast<int>(seen.size()), expectedPairs);
    for (const auto& [pair, count] : seen) {
      const double expected = static_cast<double>(kSamples) / expectedPairs;
      QVERIFY2(std::abs(count - expected) < 6 * std::sqrt(expected),
               fmt::format("{} {}: {} of {}", pair.first, pair.second, count, expected).c_str());
    }
  }

  void keepsItsLimits() {
    const ComputeDag dag = test::matmul(512, 512, 512);
    const auto sketches = generateSketches(dag, options());
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      Random random(seed);
      const SampledProgram sample = sampleProgram(sketches, options(), random);
      QVERIFY2(sample.state, sample.failure.c_str());
      for (int id = 0; id < sample.state->stageCount(); ++id)
        for (const Iterator& iterator : sample.state->stage(id).iterators)
          if (iterator.annotation == Annotation::Vectorize) QVERIFY(*iterator.extent <= 16);
      for (const Step& step : sample.state->steps())
        if (const auto* split = std::get_if<SplitStep>(&step))
          QVERIFY(*split->factors.back() <= 64);
    }
  }

  /// Partial results are computed in parallel, or in vectors when their dimension is innermost.
  void usesTheFactorOfAReduction() {
    const auto sketches = generateSketches(test::matmul(4, 4, 512), options());
    bool hasParallelFactor = false, hasVectorFactor = false;
    std::set<std::int64_t> factors;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Random random(seed);
      const SampledProgram sample = sampleProgram(sketches, options(), random);
      QVERIFY2(sample.state, sample.failure.c_str());
      const Steps& steps = sample.state->steps();
      if (steps.size() < 2 || !std::holds_alternative<RfactorStep>(steps[1])) continue;
      factors.insert(*std::get<SplitStep>(steps[0]).factors[0]);
      for (const Iterator& it : sample.state->stage(2).iterators) {
        hasParallelFactor |= it.annotation == Annotation::Parallel && it.name == "i@j@k_o@";
        hasVectorFactor |= it.annotation == Annotation::Vectorize && it.name == "k_i";
      }
    }
    QCOMPARE(factors, (std::set<std::int64_t>{1, 2, 4, 8, 16, 32, 64}));
    QVERIFY(hasParallelFactor);
    QVERIFY(hasVectorFactor);
  }

  void unrollsWhatTheOperatorWantsUnrolled() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [8, 8]\nB = PLACEHOLDER [8, 8]\n"
                                    "C(i, j) += (A[i, k]*B[k, j]) @always_unroll_inner(i)\n");
    const auto sketches = generateSketches(dag, options());
    Random random(4);
    const SampledProgram sample = sampleProgram({sketches[0]}, options(), random);
    QVERIFY2(sample.state, sample.failure.c_str());
    int unrolled = 0;
    for (const Iterator& iterator : sample.state->stage(2).iterators)
      if (iterator.annotation == Annotation::Unroll) {
        ++unrolled;
        QCOMPARE(q(iterator.name), "i.3");
      }
    QCOMPARE(unrolled, 1);
  }

  void listsComputeLocations() {
    const ComputeDag dag = test::conv2dNhwc(8, 4, 8, 3, 1);
    const State state(dag);
    const AccessAnalysis analysis(dag);
    const int pad = dag.indexOf(std::string_view("pad_temp"));
    const int conv = dag.indexOf(std::string_view("conv2d_nhwc"));
    // Below nn (extent 1), at each spatial loop; not inside an untiled reduction.
    QCOMPARE(computeLocations(state, analysis, pad),
             (std::vector<AttachPoint>{{conv, 1}, {conv, 2}, {conv, 3}}));
    QVERIFY(computeLocations(state, analysis, static_cast<int>(dag.size()) - 1).empty());
  }

  void saysWhyAProgramIsIllegal_data() {
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const char* steps, const char* reason) {
      QTest::newRow(name) << steps << reason;
    };
    row("legal", R"([["AN", 2, 0, 3], ["AN", 2, 2, 1]])", "");
    row("race", R"([["AN", 2, 2, 3]])",
        "loop k of C is annotated \"parallel\", but its iterations add to the same elements");
    row("nested", R"([["AN", 2, 0, 3], ["AN", 2, 1, 3]])",
        "loop j of C is annotated \"parallel\", but a loop around it is parallel already");
    row("vector reduction", R"([["AN", 2, 2, 2]])",
        "loop k of C is annotated \"vectorize\", but its iterations add to the same element");
    row("vector outside", R"([["AN", 2, 0, 2]])",
        "loop i of C is annotated \"vectorize\", but it is not the innermost loop");
    row("gpu", R"([["AN", 2, 0, 5]])",
        "loop i of C is annotated \"blockIdx.x\", but the target llvm is no GPU");
    row("undecided", R"([["SP", 2, 0, 8, [null], 1]])", "a tile size is undecided");
  }
  void saysWhyAProgramIsIllegal() {
    QFETCH(QString, steps);
    QFETCH(QString, reason);
    const State state = State::replay(test::matmul(8, 8, 8),
                                      stepsFromJson(nlohmann::json::parse(steps.toStdString())));
    QCOMPARE(q(illegalReason(state, options()).value_or("")), reason);
  }

  void refusesWhatDoesNotFitIntoMemory() {
    SpaceOptions tiny = options();
    tiny.target.memoryBytes = 1 << 20;
    QCOMPARE(q(illegalReason(State(test::matmul(512, 512, 512)), tiny).value_or("")),
             "its tensors need 3 MB, more than the 1 MB of memory");
  }
};

NW_TEST_APPLESS(TestAnnotation)

} // namespace nestwright::annotation_test

#include "annotation.moc"
