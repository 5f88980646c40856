/// \file Products of bfloat16 and of 8 bits are made with the instructions that there are for them,
/// where the target has these, and give what the naive program gives (handbook/ansor.md 11.9).

#include "core/lower/dot_product.h"
#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/space/annotation.h"
#include "core/support/random.h"
#include "core/target/instruction_set.h"
#include "tests/plugins/kernel_values.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::dot_kernels_test {

using test::difference, test::outputOf, test::RunnableKernel, test::setInputs;

constexpr std::uint64_t kSeed = 20261127;

/// Shapes with remainders of lanes and without, with and without padding.
const char* const kOperators[] = {
    "matmul:m=33,n=64,k=28,bias=1,relu=1",
    "matmul:m=1,n=70,k=64",
    "matmul:m=17,n=5,k=8",
    "conv2d:n=1,h=9,w=11,ci=4,co=16,k=3,s=1,p=1,bias=1,relu=1",
    "conv2d:n=2,h=8,w=8,ci=8,co=20,k=3,s=2,p=1",
    "grouped_conv2d:n=1,h=8,w=8,ci=16,co=12,k=3,s=1,p=1,g=4",
    "transposed_conv2d:n=1,h=5,w=5,ci=8,co=16,k=4,s=2,p=1",
    "conv3d:n=1,d=4,h=6,w=5,ci=4,co=6,k=3,s=1,p=1,relu=1",
    // No constants: packed in panels, copied as they come and transposed.
    "matmul:m=32,n=48,k=40,const_b=0",
    "batch_matmul:b=2,m=17,n=64,k=64,nt=0",
    "batch_matmul:b=2,m=17,n=64,k=64,nt=1",
    "batch_matmul:b=2,m=17,n=21,k=24,nt=1",
};

/// Each with the text of its type.
void operatorRows() {
  QTest::addColumn<QString>("text");
  for (const char* const type : {"bf16", "int8"})
    for (const char* const text : kOperators)
      QTest::addRow("%s %s", type, text) << QString("%1,%2=1").arg(text, type);
}

QString instructionOf(const QString& text) {
  return text.contains("bf16") ? "vdpbf16ps" : "vpdpbusd";
}

bool hasInstruction(const TargetFacts& target, const QString& text) {
  const DotProducts dots = dotProductsOf(target);
  return text.contains("bf16") ? dots.bfloat16 : dots.int8;
}

/// All that the types hold: what does not saturate has no wrong answer.
std::vector<TensorValues> inputsOf(const ComputeDag& dag) {
  std::vector<TensorValues> all;
  Random random = Random::stream(test::randomSeed(kSeed), "inputs", 0);
  for (const Op& op : dag.inputs()) {
    const DataType type = op->output->type;
    TensorValues& values = all.emplace_back(static_cast<std::size_t>(op->output->elements()));
    for (double& value : values)
      value = type.isFloat()  ? roundedTo(static_cast<float>(random.unit() * 2 - 1), type)
              : type == kInt8 ? static_cast<double>(random.below(256)) - 128
                              : static_cast<double>(random.below(256));
  }
  return all;
}

bool hasPanel(const Sketch& sketch) {
  return std::ranges::any_of(sketch.state.steps(), [](const Step& step) {
    return std::holds_alternative<CacheReadStep>(step);
  });
}

/// Random ones; of products of what is no constant, of the sketches with packed panels where there
/// are such: without, nothing lays the factors out.
std::vector<State> programsOf(const ComputeDag& dag, const TargetFacts& target, int count) {
  SpaceOptions space;
  space.target = target;
  std::vector<Sketch> sketches = generateSketches(dag, space, sketchRules(kDefaultRules));
  if (std::ranges::any_of(sketches, hasPanel))
    std::erase_if(sketches, [](const Sketch& sketch) { return !hasPanel(sketch); });
  std::vector<State> programs;
  for (std::uint64_t i = 0; std::ssize(programs) < count && i < 200; ++i) {
    Random random = Random::stream(test::randomSeed(kSeed), "programs", i);
    const SampledProgram program = sampleProgram(sketches, space, random);
    if (program.state && !illegalReason(*program.state, space)) programs.push_back(*program.state);
  }
  return programs;
}

/// The machine, and those of its levels that have none of the instructions.
std::vector<TargetFacts> targets() {
  const TargetFacts machine = backend("llvm").target(1);
  std::vector<TargetFacts> all = {machine};
  for (const InstructionSet set : {InstructionSet::Sse42, InstructionSet::Avx2})
    if (canRun(machine, set)) all.push_back(withInstructionSet(machine, set));
  return all;
}

QString textOf(const State& program, const TargetFacts& target, CodeForm form) {
  return QString::fromStdString(backend("llvm").text(lower(program, lowerOptionsFor(target)), form,
                                                     compileOptionsFor(target)));
}

QString assemblyOf(const State& program, const TargetFacts& target) {
  return textOf(program, target, CodeForm::Assembly);
}

class DotKernels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithTheNaiveProgram_data() { operatorRows(); }

  void agreeWithTheNaiveProgram() {
    QFETCH(QString, text);
    const ComputeDag dag = parseTaskSpec(text.toStdString()).dag;
    const std::vector<TensorValues> inputs = inputsOf(dag);
    const RunnableKernel naive(lowerNaive(dag), 1, test::compiledAs(false));
    setInputs(naive, dag, inputs);
    naive.run();
    const double tolerance = text.contains("int8") ? 0 : 2e-4;
    for (const TargetFacts& target : targets()) {
      const std::vector<State> programs = programsOf(dag, target, test::randomPrograms(4));
      QVERIFY(programs.size() >= 3);
      for (const State& program : programs) {
        const LoopFunction function = lower(program, lowerOptionsFor(target));
        const RunnableKernel kernel(function, 1, compileOptionsFor(target));
        setInputs(kernel, dag, inputs);
        kernel.run();
        const QString problem = difference(outputOf(kernel, dag, 0), outputOf(naive, dag, 0),
                                           dag.outputs()[0]->output->type, tolerance);
        QVERIFY2(problem.isEmpty(),
                 qPrintable(problem + '\n' + QString::fromStdString(print(function))));
      }
    }
  }

  /// Most do: a piece of the reduction of an odd length has none.
  void mostUseTheInstruction_data() { operatorRows(); }

  void mostUseTheInstruction() {
    QFETCH(QString, text);
    const TargetFacts target = backend("llvm").target(1);
    if (!hasInstruction(target, text)) QSKIP("this processor lacks the instruction");
    const ComputeDag dag = parseTaskSpec(text.toStdString()).dag;
    const std::vector<State> programs = programsOf(dag, target, 8);
    const auto with = std::ranges::count_if(programs, [&](const State& program) {
      return assemblyOf(program, target).contains(instructionOf(text));
    });
    qInfo("%d of %d", static_cast<int>(with), static_cast<int>(programs.size()));
    // A grouped convolution reads other channels for other lanes, a transposed one chooses.
    if (!text.contains("grouped") && !text.contains("transposed"))
      QVERIFY(2 * with >= std::ssize(programs));
  }

  /// Where there is none, whole vectors are widened: bytes to 16 bits, bfloat16 by a mask.
  void vectorsAreWidenedElsewhere_data() { operatorRows(); }

  void vectorsAreWidenedElsewhere() {
    QFETCH(QString, text);
    if (text.contains("grouped") || text.contains("transposed")) QSKIP("as above");
    const ComputeDag dag = parseTaskSpec(text.toStdString()).dag;
    const std::vector<TargetFacts> all = targets();
    if (all.size() < 2) QSKIP("this processor has no level of x86-64");
    for (const TargetFacts& target : std::span(all).subspan(1)) {
      const std::vector<State> programs = programsOf(dag, target, 4);
      const auto with = std::ranges::count_if(programs, [&](const State& program) {
        return textOf(program, target, CodeForm::LlvmIr)
            .contains(text.contains("int8") ? "pmadd.wd" : "-65536");
      });
      qInfo("%s: %d of %d", name(target.instructionSet), static_cast<int>(with),
            static_cast<int>(programs.size()));
      QVERIFY(with > 0); // most
    }
  }

  /// Nor does a program that was lowered plainly, or that is the naive one.
  void noOtherTargetUsesIt_data() { operatorRows(); }

  void noOtherTargetUsesIt() {
    QFETCH(QString, text);
    const TargetFacts machine = backend("llvm").target(1);
    const ComputeDag dag = parseTaskSpec(text.toStdString()).dag;
    std::vector<TargetFacts> targets;
    for (const InstructionSet set : {InstructionSet::Avx2, InstructionSet::Avx512})
      if (canRun(machine, set)) targets.push_back(withInstructionSet(machine, set));
    targets.push_back(machine);
    targets.back().lowering = Lowering::Plain;
    for (const TargetFacts& target : targets)
      for (const State& program : programsOf(dag, target, 1))
        QVERIFY(!assemblyOf(program, target).contains(instructionOf(text)));
    CompileOptions naive = test::compiledAs(false);
    QVERIFY(
        !QString::fromStdString(backend("llvm").text(lowerNaive(dag), CodeForm::Assembly, naive))
             .contains(instructionOf(text)));
  }

  /// Sums of four products of 255 and 127 or -128 do not fit into 16 bits, and are not clipped.
  void nothingSaturates() {
    const ComputeDag dag = parseTaskSpec("matmul:m=2,n=32,k=64,int8=1").dag;
    for (const TargetFacts& target : targets())
      for (const double weight : {127.0, -128.0})
        for (const State& program : programsOf(dag, target, 3)) {
          const RunnableKernel kernel(lower(program, lowerOptionsFor(target)), 1,
                                      compileOptionsFor(target));
          setInputs(kernel, dag, {TensorValues(128, 255.0), TensorValues(2048, weight)});
          kernel.run();
          for (const double sum : outputOf(kernel, dag, 0))
            QCOMPARE(sum, 64 * 255 * weight);
        }
  }
};

NW_TEST_APPLESS(DotKernels)

} // namespace nestwright::dot_kernels_test

#include "dot_kernels.moc"
