/// \file Random programs of every operator workload give what the naive program gives (C11), on one
/// and on two threads. Set NESTWRIGHT_FUZZ_PROGRAMS for a longer run, NESTWRIGHT_FUZZ_SEED to
/// repeat a failure.

#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/space/annotation.h"
#include "core/support/random.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/half.h"
#include "core/tensor/text.h"
#include "tests/plugins/kernel_values.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::random_kernels_test {

using test::difference, test::outputOf, test::RunnableKernel, test::setInputs;

/// Small, and odd where an operator allows it: remainders and guards are where programs break.
const char* const kWorkloads[] = {
    "matmul:m=33,n=35,k=27",
    "matmul:m=64,n=48,k=32,bias=1,relu=1",
    "matmul:m=1,n=70,k=64,bias=1",
    "batch_matmul:b=3,m=14,n=18,k=22",
    "batch_matmul:b=3,m=18,n=21,k=33,nt=1",
    "batch_matmul:b=2,m=17,n=32,k=48,nt=1",
    "conv1d:l=30,ci=6,co=10,k=3,s=2,p=1,bias=1,relu=1",
    "conv1d:l=16,ci=8,co=8,k=5,s=1,p=2",
    "conv2d:n=1,h=9,w=11,ci=3,co=7,k=3,s=1,p=1",
    "conv2d:n=2,h=8,w=8,ci=8,co=16,k=3,s=2,p=1,bias=1,relu=1",
    "conv2d:n=1,h=7,w=7,ci=16,co=32,k=1,s=1,p=0,bias=1",
    "conv2d:n=1,h=14,w=14,ci=4,co=8,k=7,s=2,p=3,relu=1",
    "conv3d:n=1,d=4,h=6,w=5,ci=3,co=6,k=3,s=1,p=1,relu=1",
    "depthwise_conv2d:n=1,h=10,w=10,c=12,k=3,s=1,p=1,bias=1,relu=1",
    "depthwise_conv2d:n=1,h=9,w=7,c=16,k=3,s=2,p=1",
    "grouped_conv2d:n=1,h=8,w=8,ci=8,co=12,k=3,s=1,p=1,g=4,bias=1",
    "dilated_conv2d:n=1,h=10,w=10,ci=6,co=8,k=3,s=1,p=2,dil=2,relu=1",
    "transposed_conv2d:n=1,h=5,w=5,ci=6,co=8,k=4,s=2,p=1,bias=1",
    "matmul:m=33,n=36,k=27,bias=1,relu=1,bf16=1",
    "matmul:m=24,n=35,k=64,fp16=1",
    "batch_matmul:b=2,m=17,n=21,k=33,nt=1,bf16=1",
    "conv2d:n=1,h=9,w=8,ci=5,co=8,k=3,s=1,p=1,bias=1,relu=1,fp16=1",
    "depthwise_conv2d:n=1,h=9,w=7,c=16,k=3,s=2,p=1,bf16=1",
    "transposed_conv2d:n=1,h=4,w=5,ci=6,co=8,k=4,s=2,p=1,bf16=1",
    "softmax:m=13,n=37,fp16=1",
    "softmax:m=13,n=37",
    "norm:m=24,n=30",
    // Padding along the innermost axis.
    "A = PLACEHOLDER [4, 11, 31]\nW = PLACEHOLDER [3, 3]\n"
    "P(c, h=13, w=33) = if_then_else((h >= 1) && (h < 12) && (w >= 1) && (w < 32), "
    "A[c, (h - 1), (w - 1)], 0f)\n"
    "D(c, h=11, w=31) {r=3, s=3} += (P[c, (h + r), (w + s)]*W[r, s])\n",
    // The channels of one pooled pixel side by side.
    "A = PLACEHOLDER [3, 512]\nS(c=512) {k=3} += A[k, c]\nD(c=512) = (S[c]/3f)\n",
};

constexpr int kProgramsPerWorkload = 8; // 29 workloads: 232 programs

ComputeDag dagOf(const QString& text) {
  const std::string source = text.toStdString();
  return isTaskSpec(source) ? parseTaskSpec(source).dag : parseDag(source);
}

int programsPerWorkload() {
  const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_PROGRAMS");
  return wanted > 0 ? wanted : kProgramsPerWorkload;
}

std::uint64_t seed() {
  const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED");
  return wanted > 0 ? static_cast<std::uint64_t>(wanted) : 20240607;
}

/// The same inputs for every kernel of a workload: small numbers around zero, none special.
std::vector<TensorValues> inputsOf(const ComputeDag& dag) {
  std::vector<TensorValues> all;
  Random random = Random::stream(seed(), "inputs", 0);
  for (const Op& op : dag.inputs()) {
    TensorValues values(static_cast<std::size_t>(op->output->elements()));
    for (double& value : values)
      value = roundedTo(static_cast<float>(random.unit() * 2 - 1), op->output->type);
    all.push_back(std::move(values));
  }
  return all;
}

class RandomKernels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void naiveProgramAgreesWithInterpreter_data() { rows(); }

  void naiveProgramAgreesWithInterpreter() {
    QFETCH(QString, text);
    const ComputeDag dag = dagOf(text);
    const std::vector<TensorValues> inputs = inputsOf(dag);
    const RunnableKernel naive(lowerNaive(dag), 1, test::compiledAs(false));
    setInputs(naive, dag, inputs);
    naive.run();
    std::map<std::string, TensorValues> named;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      named[dag.inputs()[i]->name()] = inputs[i];
    const auto expected = evaluate(dag, named);
    for (std::size_t o = 0; o < dag.outputs().size(); ++o) {
      const Buffer& output = dag.outputs()[o]->output;
      const QString problem =
          difference(outputOf(naive, dag, o), expected.at(output->name), output->type, 2e-5);
      QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }
  }

  void agreeWithNaiveProgram_data() { rows(); }

  void agreeWithNaiveProgram() {
    QFETCH(QString, text);
    const ComputeDag dag = dagOf(text);
    SpaceOptions options;
    options.target = backend("llvm").target(2);
    options.target.l2Bytes = 2 << 10; // so small that these operands are packed into panels
    const std::vector<Sketch> sketches = generateSketches(dag, options, sketchRules(kDefaultRules));
    const std::vector<TensorValues> inputs = inputsOf(dag);
    const RunnableKernel naive(lowerNaive(dag), 1, test::compiledAs(false));
    setInputs(naive, dag, inputs);
    naive.run();
    int compared = 0;
    for (int i = 0; compared < programsPerWorkload() && i < 4 * programsPerWorkload(); ++i) {
      Random random = Random::stream(seed(), text.toStdString(), static_cast<std::uint64_t>(i));
      const SampledProgram program = sampleProgram(sketches, options, random);
      if (!program.state || illegalReason(*program.state, options)) continue;
      const int threads = 1 + i % 2;
      TargetFacts target = options.target;
      target.lowering = i % 3 != 2   ? Lowering::Full
                        : i % 6 == 2 ? Lowering::Plain
                                     : Lowering::PlainPacked;
      LowerOptions lowering = lowerOptionsFor(target);
      if (i % 4 < 2) lowering.minParallelWork = 0; // these operators are small
      const RunnableKernel kernel(lower(*program.state, lowering), threads,
                                  compileOptionsFor(target));
      for (const auto& layout : kernel.artifact().layouts)
        packed_ += layout.has_value();
      setInputs(kernel, dag, inputs);
      kernel.run();
      for (std::size_t o = 0; o < dag.outputs().size(); ++o) {
        const QString problem = difference(outputOf(kernel, dag, o), outputOf(naive, dag, o),
                                           dag.outputs()[o]->output->type, 2e-4);
        QVERIFY2(
            problem.isEmpty(),
            qPrintable(QString("program %1 of seed %2, %3 threads: %4\n%5")
                           .arg(i)
                           .arg(seed())
                           .arg(threads)
                           .arg(problem, QString::fromStdString(printLoopNest(*program.state)))));
      }
      ++compared;
    }
    QVERIFY2(compared >= programsPerWorkload() / 2,
             qPrintable(QString("only %1 valid programs").arg(compared)));
    total_ += compared;
  }

  void enoughProgramsWereCompared() {
    qInfo("%d programs compared, seed %llu", total_, static_cast<unsigned long long>(seed()));
    QVERIFY(total_ >= 200);
    qInfo("%d weights packed", packed_);
    QVERIFY(packed_ >= 60);
  }

 private:
  static void rows() {
    QTest::addColumn<QString>("text");
    for (const char* text : kWorkloads)
      QTest::newRow(text) << QString(text);
  }

  int total_ = 0, packed_ = 0;
};

NW_TEST_APPLESS(RandomKernels)

} // namespace nestwright::random_kernels_test

#include "random_kernels.moc"
