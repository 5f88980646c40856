/// \file Random programs of one task, re-fitted to another of the same kind, are legal there and
/// give what its naive program gives (handbook/ansor.md 4.8).

#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/search/refit.h"
#include "core/space/annotation.h"
#include "core/space/legality.h"
#include "core/support/random.h"
#include "core/tensor/definition.h"
#include "tests/plugins/kernel_values.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::refitted_kernels_test {

using test::difference, test::outputOf, test::RunnableKernel, test::setInputs;

constexpr std::uint64_t kSeed = 20261126;
constexpr int kPrograms = 12; // of each row that are run

std::vector<TensorValues> inputsOf(const ComputeDag& dag) {
  std::vector<TensorValues> all;
  Random random = Random::stream(kSeed, "inputs", 0);
  for (const Op& op : dag.inputs()) {
    TensorValues values(static_cast<std::size_t>(op->output->elements()));
    for (double& value : values)
      value = static_cast<float>(random.unit() * 2 - 1);
    all.push_back(std::move(values));
  }
  return all;
}

SpaceOptions spaceOptions() {
  SpaceOptions options;
  options.target = backend("llvm").target(2);
  options.target.l2Bytes = 2 << 10; // so small that these operands are packed into panels
  return options;
}

class RefittedKernels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithNaiveProgram_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    const auto row = [](const char* from, const char* to) {
      QTest::newRow(from) << QString(from) << QString(to);
    };
    row("matmul:m=64,n=48,k=32", "matmul:m=33,n=56,k=30");
    row("matmul:m=64,n=64,k=64,bias=1,relu=1", "matmul:m=5,n=70,k=27,bias=1,relu=1");
    row("batch_matmul:b=4,m=16,n=16,k=32", "batch_matmul:b=3,m=14,n=18,k=22");
    row("conv2d:n=1,h=16,w=16,ci=8,co=16,k=3,s=1,p=1,bias=1,relu=1",
        "conv2d:n=1,h=7,w=9,ci=6,co=10,k=3,s=1,p=1,bias=1,relu=1");
    row("conv2d:n=1,h=14,w=14,ci=16,co=32,k=1,s=1,p=0,bias=1",
        "conv2d:n=1,h=7,w=7,ci=12,co=20,k=1,s=1,p=0,bias=1");
    row("conv2d:n=1,h=8,w=8,ci=8,co=16,k=3,s=1,p=1", "conv2d:n=1,h=9,w=11,ci=3,co=7,k=5,s=1,p=2");
    row("depthwise_conv2d:n=1,h=16,w=16,c=16,k=3,s=1,p=1,bias=1,relu=1",
        "depthwise_conv2d:n=1,h=10,w=10,c=12,k=3,s=1,p=1,bias=1,relu=1");
    row("softmax:m=64,n=64", "softmax:m=13,n=37");
    row("norm:m=32,n=64", "norm:m=24,n=30");
  }
  void agreeWithNaiveProgram() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    const ComputeDag old = parseTaskSpec(from.toStdString()).dag;
    const ComputeDag task = parseTaskSpec(to.toStdString()).dag;
    QCOMPARE(kindHash(old), kindHash(task));
    const SpaceOptions options = spaceOptions();
    const std::vector<Sketch> sketches = generateSketches(old, options, sketchRules(kDefaultRules));
    const std::vector<TensorValues> inputs = inputsOf(task);
    const RunnableKernel naive(lowerNaive(task), 1, test::compiledAs(false));
    setInputs(naive, task, inputs);
    naive.run();
    int drawn = 0, run = 0;
    for (std::uint64_t i = 0; run < kPrograms && i < 10 * kPrograms; ++i) {
      Random random = Random::stream(kSeed, from.toStdString(), i);
      const SampledProgram program = sampleProgram(sketches, options, random);
      if (!program.state) continue;
      ++drawn;
      const RefitResult fitted = refit(task, program.state->steps(), options);
      if (!fitted.program) {
        QVERIFY(!fitted.problem.empty());
        continue;
      }
      QVERIFY(!illegality(*fitted.program, options));
      QCOMPARE(fitted.program->steps(),
               refit(task, program.state->steps(), options).program->steps());
      for (const RefittedSplit& split : fitted.splits) {
        std::int64_t product = 1;
        for (const std::int64_t factor : split.newFactors)
          product *= factor;
        QCOMPARE(split.newExtent % product, std::int64_t(0));
      }
      LowerOptions lowering = lowerOptionsFor(options.target);
      lowering.minParallelWork = 0; // these operators are small
      const RunnableKernel kernel(lower(*fitted.program, lowering), 1 + int(i % 2),
                                  compileOptionsFor(options.target));
      setInputs(kernel, task, inputs);
      kernel.run();
      ++run;
      for (std::size_t o = 0; o < task.outputs().size(); ++o) {
        const QString problem = difference(outputOf(kernel, task, o), outputOf(naive, task, o),
                                           task.outputs()[o]->output->type, 1e-4);
        QVERIFY2(problem.isEmpty(),
                 qPrintable(problem + "\n" +
                            QString::fromStdString(recordText(fitted.program->steps()))));
      }
    }
    // What cannot be re-fitted is rare: places that a loop of one iteration has no more.
    QVERIFY2(run >= kPrograms && 2 * run >= drawn,
             qPrintable(QString("%1 of %2 were re-fitted").arg(run).arg(drawn)));
  }
};

NW_TEST_GUILESS(RefittedKernels)

} // namespace nestwright::refitted_kernels_test

#include "refitted_kernels.moc"
