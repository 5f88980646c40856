/// \file Kernels that read an operand from packed panels of every width, on one and two threads:
/// copies of whole vectors, transposed in registers where the panel's width allows, gathered where
/// it does not.

#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/schedule/bounds.h"
#include "core/space/sketch.h"
#include "core/tensor/text.h"
#include "tests/plugins/kernel_runner.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::packed_panels_test {

using test::RunnableKernel;

void fill(const RunnableKernel& kernel) {
  for (int i = 0; i < kernel.artifact().inputCount; ++i) {
    const auto at = static_cast<std::size_t>(i);
    auto* data = kernel.buffer<float>(at);
    for (std::size_t e = 0; e < kernel.bufferBytes(at) / sizeof(float); ++e)
      data[e] = static_cast<float>(e * 7919 % 31) - 15; // integers: every order of sums is exact
  }
}

/// The program of the sketch in which every undecided loop is cut into pieces of `size`, with its
/// outermost loop parallel.
State panelsOf(const Sketch& sketch, std::int64_t size) {
  Steps steps = sketch.state.steps();
  for (Step& step : steps)
    if (auto* split = std::get_if<SplitStep>(&step))
      for (TileSize& factor : split->factors)
        if (!factor) factor = size;
  State state = withBounds(State::replay(sketch.state.originalDag(), steps));
  state.apply(AnnotationStep{state.stageCount() - 1, 0, Annotation::Parallel});
  return withBounds(state);
}

class PackedPanels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ofEveryWidthAgreeWithTheNaiveProgram_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("l2Bytes"); // a quarter of the right matrix, or enough for whole panels
    QTest::newRow("blocks of 16") << "batch_matmul:b=2,m=17,n=64,k=48,nt=1" << (1 << 20);
    QTest::newRow("cut reduction") << "batch_matmul:b=2,m=17,n=64,k=48,nt=1" << 3000;
    QTest::newRow("blocks of 10") << "batch_matmul:b=2,m=16,n=64,k=40,nt=1" << (1 << 20);
    QTest::newRow("strided") << "X = PLACEHOLDER [16, 3, 32]\nY = PLACEHOLDER [64, 3, 32]\n"
                                "T(b, i, j) += (X[i, b, k]*Y[j, b, k])\n"
                                "D(b, i, j) = (T[b, i, j]/8f)\n"
                             << (1 << 20);
    QTest::newRow("rows") << "batch_matmul:b=2,m=17,n=64,k=40" << 9000;
  }
  void ofEveryWidthAgreeWithTheNaiveProgram() {
    QFETCH(QString, text);
    QFETCH(int, l2Bytes);
    const std::string source = text.toStdString();
    const ComputeDag dag = isTaskSpec(source) ? parseTaskSpec(source).dag : parseDag(source);
    SpaceOptions options;
    options.target = backend("llvm").target(2);
    options.target.l2Bytes = l2Bytes;
    const RunnableKernel naive(lowerNaive(dag), 1);
    fill(naive);
    naive.run();
    const auto output = static_cast<std::size_t>(naive.artifact().inputCount);
    const std::size_t elements = naive.bufferBytes(output) / sizeof(float);
    int checked = 0;
    for (const Sketch& sketch : generateSketches(dag, options, sketchRules(kDefaultRules))) {
      if (!packs(sketch)) continue;
      for (const std::int64_t width : {1, 4, 8, 16, 32, 64})
        for (const int threads : {1, 2}) {
          const State state = panelsOf(sketch, width);
          const RunnableKernel kernel(lower(state, lowerOptionsFor(options.target)), threads);
          fill(kernel);
          kernel.run();
          for (std::size_t e = 0; e < elements; ++e)
            QVERIFY2(kernel.buffer<float>(output)[e] == naive.buffer<float>(output)[e],
                     qPrintable(QString("width %1, %2 threads: element %3 is %4, not %5\n%6")
                                    .arg(width)
                                    .arg(threads)
                                    .arg(e)
                                    .arg(kernel.buffer<float>(output)[e])
                                    .arg(naive.buffer<float>(output)[e])
                                    .arg(printLoopNest(state).c_str())));
          ++checked;
        }
    }
    QCOMPARE(checked, 12);
  }

 private:
  static bool packs(const Sketch& sketch) {
    const Steps& steps = sketch.state.steps();
    return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
      return std::holds_alternative<CacheReadStep>(step);
    });
  }
};

NW_TEST_APPLESS(PackedPanels)

} // namespace nestwright::packed_panels_test

#include "packed_panels.moc"
