/// Programs for other extents: the nearest tile sizes by brute force, and which programs change.

#include "core/search/refit.h"

#include "core/space/legality.h"
#include "core/support/random.h"
#include "core/tensor/definition.h"
#include "core/tensor/text.h"
#include "tests/search/search_task.h"
#include "tests/space/gpu_tasks.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <limits>

namespace nestwright::refit_test {

using Factors = std::vector<std::int64_t>;

ComputeDag product(int m, int n, int k) {
  return parseDag(fmt::format("A = PLACEHOLDER [{0}, {2}]\nB = PLACEHOLDER [{2}, {1}]\n"
                              "C(i, j) += (A[i, k]*B[k, j])\n",
                              m, n, k));
}

double ratio(const Factors& factors, const Factors& wanted) {
  double product = 1;
  for (std::size_t i = 0; i < factors.size(); ++i)
    product *= double(std::max(factors[i], wanted[i])) / double(std::min(factors[i], wanted[i]));
  return product;
}

/// Of all tuples, in any order.
Factors nearestByBruteForce(std::int64_t extent, const Factors& wanted, const Factors& limits) {
  Factors best;
  double bestRatio = std::numeric_limits<double>::infinity();
  Factors factors(3);
  for (factors[0] = 1; factors[0] <= extent; ++factors[0])
    for (factors[1] = 1; factors[0] * factors[1] <= extent; ++factors[1])
      for (factors[2] = 1; factors[0] * factors[1] * factors[2] <= extent; ++factors[2]) {
        if (extent % (factors[0] * factors[1] * factors[2]) != 0) continue;
        if (factors[0] > limits[0] || factors[1] > limits[1] || factors[2] > limits[2]) continue;
        const double with = ratio(factors, wanted);
        const bool isEqual = std::abs(with - bestRatio) < 1e-9 * bestRatio;
        const bool isLater = std::lexicographical_compare(best.rbegin(), best.rend(),
                                                          factors.rbegin(), factors.rend());
        if (best.empty() || (isEqual ? isLater : with < bestRatio)) {
          best = factors;
          bestRatio = with;
        }
      }
  return best;
}

class Refit : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void factorsAreTheNearest() {
    for (std::uint64_t i = 0; i < 400; ++i) {
      Random random = Random::stream(7, "factors", i);
      const std::int64_t extent = 1 + std::int64_t(random.below(96));
      Factors wanted, limits;
      for (int part = 0; part < 3; ++part) {
        wanted.push_back(1 + std::int64_t(random.below(16)));
        limits.push_back(1 + std::int64_t(random.below(64)));
      }
      QCOMPARE(nearestFactors(extent, wanted, limits), nearestByBruteForce(extent, wanted, limits));
    }
  }

  void examples() {
    constexpr std::int64_t kAny = 1 << 20;
    // A longer loop keeps its tiles.
    QCOMPARE(nearestFactors(128, {4, 2, 8}, {kAny, kAny, kAny}), (Factors{4, 2, 8}));
    QCOMPARE(nearestFactors(56, {4, 2, 8}, {kAny, kAny, kAny}), (Factors{4, 2, 7}));
    QCOMPARE(nearestFactors(7, {1, 14}, {kAny, kAny}), (Factors{1, 7}));
    QCOMPARE(nearestFactors(13, {2, 2, 4}, {kAny, kAny, 8}), (Factors{1, 1, 1}));
    // Twice and half are as near: the inner loop is the longer one.
    QCOMPARE(nearestFactors(6, {1, 2, 2}, {kAny, kAny, kAny}), (Factors{1, 2, 3}));
  }

  /// Nothing changes for the same task; for any other the program is legal or there is a reason.
  void programsOfAKind() {
    const test::SearchTask from(product(64, 96, 128), 5);
    const ComputeDag others[] = {product(64, 96, 128), product(49, 10, 30), product(1, 1, 1),
                                 product(997, 64, 3)};
    for (std::uint64_t i = 0; i < 60; ++i) {
      const State program = from.sample(i);
      for (const ComputeDag& task : others) {
        const RefitResult fitted = refit(task, program.steps(), from.context.space);
        QCOMPARE(fitted.program.has_value(), fitted.problem.empty());
        if (&task == &others[0]) {
          QVERIFY(fitted.program.has_value());
          QCOMPARE(fitted.program->steps(), program.steps());
          QVERIFY(fitted.splits.empty());
        }
        if (fitted.program) QVERIFY(!illegality(*fitted.program, from.context.space));
      }
    }
  }

  /// What a sketch fixes without naming the loop's length stays: the tiles of Winograd's results, a
  /// panel's rows, the lanes of a warp.
  void sizesThatNobodyDrawsStay_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("gpu");
    QTest::newRow("winograd") << "conv2d:h=14,w=14,ci=32,co=48,relu=1,winograd=4" << false;
    QTest::newRow("panels") << "batch_matmul:b=12,m=128,n=128,k=64,nt=1" << false;
    QTest::newRow("tensor cores") << "matmul:m=128,n=128,k=128,bf16=1" << true;
  }
  void sizesThatNobodyDrawsStay() {
    QFETCH(QString, text);
    QFETCH(bool, gpu);
    const ComputeDag dag = parseTaskSpec(text.toStdString()).dag;
    SpaceOptions space = gpu ? test::sm90(Draws::Own) : SpaceOptions();
    if (!gpu) space.target.cores = 4;
    SketchRules rules = nestwrightRules(space.target);
    const SketchRules paper = paperRules(space.target);
    rules.insert(rules.end(), paper.begin(), paper.end());
    const std::vector<Sketch> sketches = generateSketches(dag, space, rules);
    Random random = Random::stream(7, text.toStdString(), 0);
    int fixed = 0;
    for (int i = 0; i < 100; ++i) {
      const SampledProgram program = sampleProgram(sketches, space, random);
      if (!program.state) continue;
      fixed += std::ranges::any_of(program.state->steps(), [](const Step& step) {
        const auto* split = std::get_if<SplitStep>(&step);
        return split != nullptr && !split->extent;
      });
      const RefitResult fitted = refit(dag, program.state->steps(), space);
      QVERIFY2(fitted.program.has_value(), fitted.problem.c_str());
      QCOMPARE(fitted.program->steps(), program.state->steps());
    }
    QVERIFY(fixed > 0);
  }

  /// 67 would be nearer to 60 than 2 is, and more than innermost tiles may have.
  void innermostTilesKeepTheirLimit() {
    SpaceOptions options;
    QCOMPARE(options.maxInnermostFactor, 64);
    const Steps steps = {SplitStep{2, 1, 120, {60}}};
    const RefitResult fitted = refit(product(64, 134, 64), steps, options);
    QCOMPARE(fitted.splits.size(), std::size_t(1));
    QCOMPARE(fitted.splits[0].newFactors, (Factors{2}));
    options.maxInnermostFactor = 128;
    QCOMPARE(refit(product(64, 134, 64), steps, options).splits[0].newFactors, (Factors{67}));
  }

  void whatWasMovedIsTold() {
    const RefittedSplit split{3, "j", "C", 64, 56, {4, 2, 8}, {4, 2, 7}};
    QCOMPARE(text(split), std::string("j of C, 64 to 56: 4 · 2 · 8 becomes 4 · 2 · 7"));
  }

  /// Steps that another task cannot have say why.
  void otherTasksAreRefused() {
    const test::SearchTask from(product(64, 64, 64), 5);
    const ComputeDag other = parseDag("A = PLACEHOLDER [64]\nB(i) = (A[i] + 1f)\n");
    const RefitResult fitted = refit(other, from.sample(0).steps(), from.context.space);
    QVERIFY(!fitted.program);
    QVERIFY(!fitted.problem.empty());
  }
};

NW_TEST_GUILESS(Refit)

} // namespace nestwright::refit_test

#include "refit.moc"
