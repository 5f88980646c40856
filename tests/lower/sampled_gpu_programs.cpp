/// GPU programs that a search draws are all lowered, compute what the DAG says, and race nowhere.

#include "core/emulate/emulate.h"
#include "core/lower/lower.h"
#include "core/schedule/bounds.h"
#include "core/space/annotation.h"
#include "core/space/kernel_decisions.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "tests/lower/gpu_check.h"
#include "tests/lower/small_tasks.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::sampled_gpu_programs_test {

class SampledGpuPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithTheDag_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("draws");
    for (const char* text :
         {"matmul:m=32,n=64,k=32,relu=1", "matmul:m=33,n=48,k=17,relu=1",
          "batch_matmul:b=2,m=32,n=32,k=16", "conv1d:n=1,l=20,ci=8,co=32,k=3,s=2,p=1",
          "conv2d:n=1,h=8,w=8,ci=4,co=32,k=3,s=1,p=1,bias=1,relu=1",
          "conv2d:n=1,h=7,w=7,ci=16,co=32,k=1,s=1,p=0",
          "conv3d:n=1,d=3,h=4,w=5,ci=2,co=16,k=3,s=1,p=1",
          "depthwise_conv2d:n=1,h=8,w=7,c=20,k=3,s=1,p=1",
          "grouped_conv2d:n=1,h=6,w=6,ci=8,co=16,k=3,s=1,p=1,g=4",
          "dilated_conv2d:n=1,h=9,w=9,ci=3,co=8,k=3,s=1,p=2",
          "transposed_conv2d:n=1,h=4,w=4,ci=5,co=6,k=4,s=2,p=1", "softmax:m=16,n=100",
          "norm:m=5,n=300", "matmul:m=32,n=32,k=256,relu=1",
          "conv2d:n=1,h=5,w=5,ci=64,co=32,k=3,s=1,p=1,relu=1"}) {
      QTest::addRow("%s, our draws", text) << QString(text) << static_cast<int>(Draws::Own);
      QTest::addRow("%s, the paper's", text) << QString(text) << static_cast<int>(Draws::Paper);
    }
    QTest::newRow("a long loop, our draws")
        << QString("A = PLACEHOLDER [600, 600]\nB(i, j) = max(A[i, j], 0f)\n")
        << static_cast<int>(Draws::Own);
  }

  void agreeWithTheDag() {
    QFETCH(QString, text);
    QFETCH(int, draws);
    const ComputeDag dag = smallTask(text.toStdString());
    const SpaceOptions space = spaceOptionsFor(cudaTarget(testGpu()), static_cast<Draws>(draws));
    SketchRules rules = paperRules(space.target);
    if (space.draws == Draws::Own) {
      const SketchRules own = nestwrightRules(space.target);
      rules.insert(rules.begin(), own.begin(), own.end());
    }
    const std::vector<Sketch> sketches = generateSketches(dag, space, rules);
    const std::string stream = QTest::currentDataTag();
    Random values = Random::stream(test::randomSeed(20261123), stream, 0);
    const Tensors inputs = randomInputs(dag, values);
    const Tensors expected = evaluate(dag, inputs);
    LowerOptions options;
    options.gpu = testGpu();
    int checked = 0;
    for (std::uint64_t n = 0; checked < test::randomPrograms(6); ++n) {
      QVERIFY2(n < 2000, "hardly any program is legal");
      Random random = Random::stream(test::randomSeed(20261123), stream, n);
      const SampledProgram sample = sampleProgram(sketches, space, random);
      if (!sample.state) continue;
      ++checked;
      for (const std::string& feature :
           kernelFeatures(*sample.state, inferBounds(*sample.state), space))
        ++features_[feature];
      // What the space calls legal must be lowered, too.
      const LoopFunction function = lower(*sample.state, options);
      const Emulation run = emulate(function, inputs);
      const std::string problem = run.error ? fmt::format("{}: {} in {}", name(run.error->fault),
                                                          run.error->what, run.error->lineText)
                                            : difference(expected, run.outputs);
      if (!problem.empty())
        QFAIL(fmt::format("seed {} program {}: {}\n{}\n{}", test::randomSeed(20261123), n, problem,
                          stepsText(*sample.state), print(function))
                  .c_str());
    }
  }

  /// What our own draws add is among what was emulated.
  void haveWhatIsOurs() {
    for (const auto& [feature, count] : features_)
      qInfo("%s: %d", feature.c_str(), count);
    for (const char* feature :
         {"2 pipeline stages", "3 pipeline stages", "padded rows", "2 rows of blocks together",
          "2 blocks a multiprocessor", "a grid-stride loop", "a reduction in 2 parts"})
      QVERIFY2(features_[feature] > 0, feature);
  }

 private:
  std::map<std::string, int> features_;
};

NW_TEST_APPLESS(SampledGpuPrograms)

} // namespace nestwright::sampled_gpu_programs_test

#include "sampled_gpu_programs.moc"
