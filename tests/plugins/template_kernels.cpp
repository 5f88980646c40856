/// \file Programs of templates, compiled: random configurations of each executable template give
/// what the naive program of the task gives, in both lowerings. No program may be illegal. Set
/// NESTWRIGHT_RANDOM_PROGRAMS=200 for the whole check, NESTWRIGHT_RANDOM_SEED for others.

#include "core/lower/lower.h"
#include "core/target/lowering.h"
#include "tests/lower/random_tensors.h"
#include "tests/plugins/kernel_values.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"
#include "tests/template/template_tasks.h"

#include <QtTest>

#include <array>
#include <set>
#include <utility>

namespace nestwright::template_kernels_test {

using test::RunnableKernel;

/// A task, its inputs and the answers of its naive program, as the task's tensors lie.
class NaiveAnswers {
 public:
  NaiveAnswers(const ComputeDag& task, Random& random) : task_(task) {
    const Tensors inputs = randomInputs(task, random);
    for (const Op& op : task.inputs())
      inputs_.push_back(inputs.at(op->name()));
    const RunnableKernel naive(lowerNaive(task), 1, test::compiledAs(false));
    test::setInputs(naive, task, inputs_);
    naive.run();
    for (std::size_t n = 0; n < task.outputs().size(); ++n)
      outputs_.push_back(test::outputOf(naive, task, n));
  }

  /// What is wrong with the answers of a program; nothing where they are the same.
  QString problemOf(const TemplateProgram& program, const RunnableKernel& kernel) const {
    std::vector<TensorValues> inputs;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      inputs.push_back(packed(inputs_[i], program, task_.inputs()[i]));
    test::setInputs(kernel, program.dag, inputs);
    kernel.run();
    for (std::size_t n = 0; n < outputs_.size(); ++n) {
      const Op output = task_.outputs()[n];
      const QString problem =
          test::difference(test::outputOf(kernel, program.dag, n),
                           packed(outputs_[n], program, output), output->output->type, 2e-4);
      if (!problem.isEmpty()) return problem;
    }
    return {};
  }

 private:
  /// The values of an operator of the task where the program has them.
  TensorValues packed(const TensorValues& given, const TemplateProgram& program,
                      const Op& op) const {
    std::size_t place = 0;
    while (task_[place] != op)
      ++place;
    const PackedLayout& layout = program.layouts[place];
    TensorValues values(static_cast<std::size_t>(layout.packedElements()));
    layout.pack(given.data(), values.data(), sizeof(double));
    return values;
  }

  const ComputeDag& task_;
  std::vector<TensorValues> inputs_, outputs_;
};

class TemplateKernels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithNaiveProgram_data() { test::addTemplateTasks(); }

  void agreeWithNaiveProgram() {
    QFETCH(QString, kind);
    QFETCH(QString, text);
    const ComputeDag task = test::templateTaskOf(kind, text);
    const TaskTemplate of = test::fittingTemplate(task, kind);
    const std::uint64_t seed = test::randomSeed(20261124);
    Random random = Random::stream(seed, QTest::currentDataTag(), 0);
    const NaiveAnswers naive(task, random);
    std::array<TargetFacts, 2> targets{backend("llvm").target(2), backend("llvm").target(2)};
    targets[1].lowering = Lowering::Plain;
    for (int n = 0; n < test::randomPrograms(3); ++n) {
      const auto index =
          static_cast<std::int64_t>(random.below(static_cast<std::size_t>(of.space.size())));
      const TemplateProgram program = templateProgram(task, of, of.space.at(index));
      const State state = State::replay(program.dag, program.steps);
      const int threads = 1 + n % 2;
      for (const TargetFacts& target : targets) {
        LowerOptions options = lowerOptionsFor(target);
        if (n % 4 < 2) options.minParallelWork = 0; // these tasks are small
        QString problem;
        try {
          const RunnableKernel kernel(lower(state, options), threads, compileOptionsFor(target));
          problem = naive.problemOf(program, kernel);
        } catch (const IllegalSchedule& error) {
          problem = QString("illegal: %1").arg(error.what());
        }
        QVERIFY2(problem.isEmpty(),
                 qPrintable(QString("seed %1, configuration %2, %3, %4 threads: %5\n%6")
                                .arg(seed)
                                .arg(index)
                                .arg(name(target.lowering))
                                .arg(threads)
                                .arg(problem, QString::fromStdString(printLoopNest(state)))));
        ++compared_;
      }
    }
    kinds_.insert(kind);
  }

  void enoughProgramsWereCompared() {
    qInfo("%d programs compared, of %zu templates", compared_, kinds_.size());
    std::set<QString> executable;
    for (const TemplateKind& known : knownTemplates())
      if (isExecutable(known) && known.machine == TemplateMachine::Cpu)
        executable.insert(known.name);
    QCOMPARE(kinds_, executable);
  }

 private:
  int compared_ = 0;
  std::set<QString> kinds_;
};

NW_TEST_APPLESS(TemplateKernels)

} // namespace nestwright::template_kernels_test

#include "template_kernels.moc"
