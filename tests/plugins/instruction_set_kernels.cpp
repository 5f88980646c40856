/// Programs for an instruction set use nothing beyond it, which their assembly shows, and give what
/// the naive program gives: random ones of several operators, for each set that this processor has.

#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/target_named.h"
#include "core/space/annotation.h"
#include "core/support/random.h"
#include "core/target/instruction_set.h"
#include "tests/plugins/kernel_values.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QRegularExpression>
#include <QtTest>

#include <set>

namespace nestwright::instruction_set_kernels_test {

using test::difference, test::outputOf, test::RunnableKernel, test::setInputs;

const char* const kOperators[] = {
    "matmul:m=33,n=64,k=27,bias=1,relu=1",
    "batch_matmul:b=3,m=14,n=18,k=22",
    "conv2d:n=1,h=9,w=11,ci=3,co=16,k=3,s=1,p=1,bias=1,relu=1",
    "depthwise_conv2d:n=1,h=10,w=10,c=12,k=3,s=1,p=1",
    "grouped_conv2d:n=1,h=8,w=8,ci=8,co=12,k=3,s=1,p=1,g=4",
    "transposed_conv2d:n=1,h=5,w=5,ci=6,co=8,k=4,s=2,p=1",
    "softmax:m=13,n=37",
    "norm:m=24,n=30",
    "matmul:m=24,n=35,k=64,fp16=1",
    "conv2d:n=1,h=9,w=8,ci=5,co=8,k=3,s=1,p=1,bf16=1",
};

constexpr std::uint64_t kSeed = 20261124;

/// This machine with the set, also where it cannot run it.
TargetFacts targetFor(InstructionSet set) {
  TargetFacts machine = backend("llvm").target(1);
  if (!canRun(machine, set)) machine.features = featuresOf(set);
  return withInstructionSet(std::move(machine), set);
}

struct Program {
  LoopFunction function;
  CompileOptions options;
};

CompileOptions asNaive() {
  CompileOptions options = test::compiledAs(false);
  options.optimisationLevel = 1;
  return options;
}

/// The naive program, and random ones with every lowering.
std::vector<Program> programsFor(const ComputeDag& dag, TargetFacts target, int count) {
  CompileOptions naive = asNaive();
  naive.instructionSet = target.instructionSet;
  std::vector<Program> programs = {{lowerNaive(dag), naive}};
  SpaceOptions space;
  space.target = target;
  space.target.l2Bytes = 2 << 10; // so small that operands are packed into panels
  const std::vector<Sketch> sketches = generateSketches(dag, space, sketchRules(kDefaultRules));
  for (std::uint64_t i = 0; std::ssize(programs) <= count && i < 100; ++i) {
    Random random = Random::stream(test::randomSeed(kSeed), "programs", i);
    const SampledProgram program = sampleProgram(sketches, space, random);
    if (!program.state || illegalReason(*program.state, space)) continue;
    target.lowering = static_cast<Lowering>(programs.size() % 3);
    programs.push_back({lower(*program.state, lowerOptionsFor(target)), compileOptionsFor(target)});
  }
  return programs;
}

/// What an instruction of a text in AT&T form needs: "avx512" for its registers and masks, "avx2"
/// for everything else in the encodings that came with AVX and BMI; "sse4.2".
QString levelOf(const QString& line) {
  static const QRegularExpression kAvx512("%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])\\b");
  static const QRegularExpression kAvx2("^\\s+(v|andn|bextr|bls|bzhi|mulx|pdep[lq]|pext[lq]|rorx|"
                                        "sarx|shlx|shrx|tzcnt|lzcnt|movbe)|%ymm");
  if (kAvx512.match(line).hasMatch()) return "avx512";
  return kAvx2.match(line).hasMatch() ? "avx2" : "sse4.2";
}

class InstructionSetKernels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void useNothingBeyond_data() { rows(); }

  void useNothingBeyond() {
    QFETCH(QString, set);
    QFETCH(QString, text);
    const InstructionSet wanted = instructionSetFromName(set.toStdString());
    const ComputeDag dag = parseTaskSpec(text.toStdString()).dag;
    const QStringList levels = {"sse4.2", "avx2", "avx512"};
    for (const Program& program : programsFor(dag, targetFor(wanted), 3)) {
      const std::string assembly =
          backend("llvm").text(program.function, CodeForm::Assembly, program.options);
      for (const QString& line : QString::fromStdString(assembly).split('\n')) {
        const QString level = levelOf(line);
        QVERIFY2(levels.indexOf(level) <= levels.indexOf(set), qPrintable(line));
        used_.insert({set, level});
      }
    }
  }

  /// Otherwise the search above would find nothing anywhere.
  void useWhatThereIs() {
    for (const char* const set : {"sse4.2", "avx2", "avx512"})
      QVERIFY2(used_.contains({set, set}), set);
  }

  void agreeWithNaiveProgram_data() { rows(); }

  void agreeWithNaiveProgram() {
    QFETCH(QString, set);
    QFETCH(QString, text);
    const InstructionSet wanted = instructionSetFromName(set.toStdString());
    if (!canRun(backend("llvm").target(1), wanted))
      QSKIP(qPrintable(QString("this processor has no %1").arg(set)));
    const ComputeDag dag = parseTaskSpec(text.toStdString()).dag;
    std::vector<TensorValues> inputs;
    Random random = Random::stream(test::randomSeed(kSeed), "inputs", 0);
    for (const Op& op : dag.inputs()) {
      TensorValues& values = inputs.emplace_back(static_cast<std::size_t>(op->output->elements()));
      for (double& value : values)
        value = roundedTo(static_cast<float>(random.unit() * 2 - 1), op->output->type);
    }
    const RunnableKernel naive(lowerNaive(dag), 1, asNaive());
    setInputs(naive, dag, inputs);
    naive.run();
    // Of each lowering one.
    const auto programs = programsFor(dag, targetFor(wanted), test::randomPrograms(3));
    QVERIFY(programs.size() > 3);
    for (const Program& program : programs) {
      const RunnableKernel kernel(program.function, 1, program.options);
      setInputs(kernel, dag, inputs);
      kernel.run();
      const QString problem = difference(outputOf(kernel, dag, 0), outputOf(naive, dag, 0),
                                         dag.outputs()[0]->output->type, 2e-4);
      QVERIFY2(problem.isEmpty(),
               qPrintable(problem + '\n' + QString::fromStdString(print(program.function))));
    }
  }

  void namesOfTargets() {
    QCOMPARE(targetWith("llvm", InstructionSet::Avx2), std::string("llvm:avx2"));
    QCOMPARE(targetWith("llvm:plain", InstructionSet::Sse42), std::string("llvm:plain:sse4.2"));
    QCOMPARE(targetWith("llvm:avx2", Lowering::PlainPacked), std::string("llvm:plain-packed:avx2"));
    QCOMPARE(targetWith("llvm:plain:avx2", InstructionSet::Native), std::string("llvm:plain"));
    QVERIFY_THROWS_EXCEPTION(UsageError, targetWith("cuda", InstructionSet::Avx2));
    QVERIFY_THROWS_EXCEPTION(UsageError, targetWith("cuda:sm_90", InstructionSet::Native));
    QVERIFY(instructionSetOf("llvm:plain:avx512") == InstructionSet::Avx512);
    QVERIFY(loweringOf("llvm:plain:avx512") == Lowering::Plain);
    QVERIFY(instructionSetOf("cuda:sm_90") == InstructionSet::Native);
    QVERIFY(!namesGpu("llvm:avx2"));
    QVERIFY(test::messageOf([] { targetNamed("llvm:avx3"); }).find("llvm:avx2") !=
            std::string::npos);
  }

  /// C28: what is stored for one is not found for another.
  void targetsAreApart() {
    std::set<std::string> ids;
    std::size_t targets = 0;
    for (const std::string& set : instructionSetNames()) {
      const std::string name = targetWith("llvm", instructionSetFromName(set));
      if (!canRun(backend("llvm").target(1), instructionSetFromName(set))) {
        QVERIFY(test::messageOf([&] { targetNamed(name, 1); }).find(set) != std::string::npos);
        continue;
      }
      const TargetFacts facts = targetNamed(name, 1);
      QCOMPARE(nameHere(facts), name);
      ids.insert(facts.id());
      ++targets;
    }
    QCOMPARE(ids.size(), targets);
  }

 private:
  static void rows() {
    QTest::addColumn<QString>("set");
    QTest::addColumn<QString>("text");
    if (!canRun(backend("llvm").target(1), InstructionSet::Sse42))
      QSKIP("no processor of this family");
    for (const char* const set : {"sse4.2", "avx2", "avx512"})
      for (const char* const text : kOperators)
        QTest::addRow("%s %s", set, text) << QString(set) << QString(text);
  }

  std::set<std::pair<QString, QString>> used_; // each set with the levels that its code needs
};

NW_TEST_APPLESS(InstructionSetKernels)

} // namespace nestwright::instruction_set_kernels_test

#include "instruction_set_kernels.moc"
