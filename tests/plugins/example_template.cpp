/// \file Templates from plugins: how they are named and found, and what the example does.

#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/template/task_template.h"
#include "core/tensor/evaluate.h"
#include "tests/lower/interpret.h"
#include "tests/lower/random_tensors.h"
#include "tests/plugins/kernel_values.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"
#include "tests/template/template_tasks.h"

#include <QtTest>

namespace nestwright::example_template_test {

using test::messageOf;
using test::says;

const char* const kName = "dense_rows.example_template";

std::vector<std::string> fittingNames(const ComputeDag& task) {
  std::vector<std::string> names;
  for (const TaskTemplate& each : templatesFor(task).fitting)
    names.emplace_back(each.kind->name);
  return names;
}

/// A template that may be brought by a plugin called mine.
PluginTemplate sound(const char* name) {
  PluginTemplate result = *pluginTemplates().front();
  result.kind.name = name;
  return result;
}

class TestExampleTemplate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { useTemplatesOfPlugins(); }

  void itStandsBehindOurs() {
    const ComputeDag few = parseTaskSpec("matmul:m=4,n=8,k=8").dag;
    QCOMPARE(fittingNames(few),
             (std::vector<std::string>{"dense_nopack.x86", "dense_pack.x86", kName}));
    QCOMPARE(fittingNames(parseTaskSpec("conv2d:n=1,h=9,w=7,ci=6,co=8,k=3,s=1,p=1").dag),
             std::vector<std::string>{"conv2d_NCHWc.x86"});
    QCOMPARE(std::string(knownTemplates().back().name), std::string(kName));
    QVERIFY(isExecutable(knownTemplate(kName)));
    const TaskTemplate of = templateNamed(few, kName);
    QCOMPARE(of.space.size(), 3 * 4 * 3);
    QCOMPARE(of.space.knobs()[1].name, std::string("tile_x"));
  }

  /// Without the plugin a record, a log or a session that needs it says so.
  void whatIsMissingIsNamed() {
    const ComputeDag task = parseTaskSpec("matmul:m=4,n=8,k=8").dag;
    const TaskTemplate of = templateNamed(task, kName);
    const TemplateConfig config{kName, of.version, of.space.at(7)};
    const TemplateProgram program = templateProgram(task, config);
    setTemplateSource(nullptr);
    QVERIFY(findTemplate(kName) == nullptr);
    QCOMPARE(fittingNames(task).size(), std::size_t(2));
    const auto make = [&] { (void)templateProgram(task, config); };
    QVERIFY(says(messageOf(make), "the plugin example_template brings it"));
    // What was found before stays what it was.
    QCOMPARE(std::string(of.kind->name), std::string(kName));
    useTemplatesOfPlugins();
    const TemplateProgram again = templateProgram(task, config);
    QCOMPARE(programId(again.dag, again.steps), programId(program.dag, program.steps));
  }

  void namesSayWhichPluginIsNeeded() {
    const PluginTemplate one = sound("rows.mine");
    QCOMPARE(problemOf({one, sound("columns.mine")}, "mine"), std::string());
    for (const char* name : {"rows", "rows.x86", "rows.other", ".mine", "mine", ""})
      QVERIFY2(says(problemOf({sound(name)}, "mine"), "has to end with \".mine\""), name);
    QVERIFY(says(problemOf({one, one}, "mine"), "two templates \"rows.mine\""));
    PluginTemplate lame = one;
    lame.programs.schedule = nullptr;
    QVERIFY(says(problemOf({lame}, "mine"), "lacks"));
    // A plugin's name that is a machine's kind would take the place of ours.
    QVERIFY(!problemOf({sound("rows.x86")}, "x86").empty());
  }

  void programsComputeTheirTasks_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("rows and columns") << "matmul:m=15,n=14,k=9";
    QTest::newRow("fused") << QString(test::kTemplateGelu);
    QTest::newRow("half, fused") << "matmul:m=8,n=18,k=6,bias=1,relu=1,bf16=1";
    QTest::newRow("as in a log") << R"([["TENSOR",[8,12],"float32"],["TENSOR",[20,12],"float32"],)"
                                    R"(null,"float32"])";
    QTest::newRow("operands that are computed") << "A = PLACEHOLDER [6, 8]\n"
                                                   "E(i, j) = exp(A[i, j])\n"
                                                   "B = PLACEHOLDER [8, 10]\n"
                                                   "C(i, j) += (E[i, k]*B[k, j])\n";
  }
  void programsComputeTheirTasks() {
    QFETCH(QString, text);
    const ComputeDag task = test::templateTaskOf(kName, text);
    const TaskTemplate of = templateNamed(task, kName);
    Random random = Random::stream(test::randomSeed(20261125), QTest::currentDataTag(), 0);
    const Tensors inputs = randomInputs(task, random);
    const Tensors values = evaluate(task, inputs);
    for (int n = 0; n < test::randomPrograms(4); ++n) {
      const auto index =
          static_cast<std::int64_t>(random.below(static_cast<std::size_t>(of.space.size())));
      const TemplateProgram program = templateProgram(task, of, of.space.at(index));
      Tensors expected;
      for (std::size_t i = 0; i < task.size(); ++i) {
        TensorValues& packed = expected[task[i]->name()];
        packed.resize(static_cast<std::size_t>(program.layouts[i].packedElements()));
        program.layouts[i].pack(values.at(task[i]->name()).data(), packed.data(), sizeof(double));
      }
      std::vector<TensorValues> given;
      Tensors named;
      for (const Op& op : task.inputs()) {
        given.push_back(expected.at(op->name()));
        named[op->name()] = given.back();
      }
      const State state = State::replay(program.dag, program.steps);
      const std::string nest = printLoopNest(state);
      for (const Lowering lowering : {Lowering::Full, Lowering::Plain}) {
        TargetFacts target = backend("llvm").target(1);
        target.lowering = lowering;
        const LoopFunction function = lower(state, lowerOptionsFor(target));
        const std::string problem = difference(expected, interpret(function, named));
        QVERIFY2(problem.empty(), (problem + "\n" + nest).c_str());
        const test::RunnableKernel kernel(function, 1, compileOptionsFor(target));
        test::setInputs(kernel, program.dag, given);
        kernel.run();
        const Op output = task.outputs()[0];
        const QString wrong =
            test::difference(test::outputOf(kernel, program.dag, 0), expected.at(output->name()),
                             output->output->type, 2e-4);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong + '\n' + QString::fromStdString(nest)));
      }
    }
  }

  void weightsStayAsTheyAre() {
    const ComputeDag task = parseTaskSpec("matmul:m=4,n=8,k=8").dag;
    const TaskTemplate of = templateNamed(task, kName);
    const TemplateProgram program = templateProgram(task, of, of.space.at(of.space.size() - 1));
    for (const Op& input : task.inputs())
      for (const Op& same : program.dag.inputs())
        if (same->name() == input->name()) QCOMPARE(same->output->shape, input->output->shape);
  }
};

NW_TEST_APPLESS(TestExampleTemplate)

} // namespace nestwright::example_template_test

#include "example_template.moc"
