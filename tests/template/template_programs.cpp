/// Programs of templates compute their tasks: the DAG that they replay on is the task's by layout
/// alone, and what they do with it is what it says, after every pass.

#include "core/lower/lower.h"
#include "core/support/error.h"
#include "core/tensor/check_bounds.h"
#include "core/tensor/evaluate.h"
#include "tests/lower/interpret.h"
#include "tests/lower/random_tensors.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"
#include "tests/template/template_tasks.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <map>

namespace nestwright::template_programs_test {

using nlohmann::json;

/// The values of every operator in the layouts of the program.
Tensors packed(const Tensors& values, const ComputeDag& task,
               const std::vector<PackedLayout>& layouts) {
  Tensors result;
  for (std::size_t i = 0; i < task.size(); ++i) {
    const std::string& name = task[i]->name();
    std::vector<double>& to = result[name];
    to.resize(static_cast<std::size_t>(layouts[i].packedElements()));
    layouts[i].pack(values.at(name).data(), to.data(), sizeof(double));
  }
  return result;
}

Tensors inputsOf(const ComputeDag& task, const Tensors& values) {
  Tensors inputs;
  for (const Op& op : task.inputs())
    inputs[op->name()] = values.at(op->name());
  return inputs;
}

/// What is wrong with the lowered program; illegal programs are counted instead.
std::string problemOf(const TemplateProgram& program, const Tensors& inputs,
                      const Tensors& expected, Lowering lowering, int& illegal) {
  LowerOptions options;
  options.lowering = lowering;
  try {
    const LoopFunction function = lower(State::replay(program.dag, program.steps), options);
    const std::string wrong = difference(expected, interpret(function, inputs));
    return wrong.empty() ? wrong : wrong + "\n" + print(function);
  } catch (const IllegalSchedule& error) {
    qInfo("illegal: %s", error.what());
    ++illegal;
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

class TemplatePrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computeTheirTasks_data() { test::addTemplateTasks(); }

  void computeTheirTasks() {
    QFETCH(QString, kind);
    QFETCH(QString, text);
    const ComputeDag task = test::templateTaskOf(kind, text);
    const TaskTemplate of = test::fittingTemplate(task, kind);
    const std::uint64_t seed = test::randomSeed(20261123);
    Random random = Random::stream(seed, QTest::currentDataTag(), 0);
    const Tensors values = evaluate(task, randomInputs(task, random));
    int illegal = 0;
    for (int n = 0; n < test::randomPrograms(5); ++n) {
      const auto index =
          static_cast<std::int64_t>(random.below(static_cast<std::size_t>(of.space.size())));
      const TemplateProgram program = templateProgram(task, of, of.space.at(index));
      const auto report = [&](const std::string& problem) {
        return fmt::format("seed {}, configuration {}: {}\n{}{}", seed, index, problem,
                           print(program.dag),
                           printLoopNest(State::replay(program.dag, program.steps)));
      };
      for (const PackedLayout& layout : program.layouts)
        validate(layout);
      checkBounds(program.dag);
      const Tensors expected = packed(values, task, program.layouts);
      const Tensors inputs = inputsOf(task, expected);
      std::string problem = difference(expected, evaluate(program.dag, inputs));
      QVERIFY2(problem.empty(), report("by layout alone: " + problem).c_str());
      for (const Lowering lowering : {Lowering::Plain, Lowering::PlainPacked, Lowering::Full}) {
        problem = problemOf(program, inputs, expected, lowering, illegal);
        QVERIFY2(problem.empty(), report(fmt::format("{}: {}", name(lowering), problem)).c_str());
      }
    }
    QCOMPARE(illegal, 0);
  }

  /// A record keeps the configuration alone.
  void comeOutTheSameAgain_data() { test::addTemplateTasks(); }

  void comeOutTheSameAgain() {
    QFETCH(QString, kind);
    QFETCH(QString, text);
    const ComputeDag task = test::templateTaskOf(kind, text);
    const TaskTemplate of = test::fittingTemplate(task, kind);
    const std::int64_t index = of.space.size() * 2 / 3;
    const TemplateConfig config{of.kind->name, of.version, of.space.at(index)};
    const TemplateConfig read = templateConfigFromJson(json::parse(toJson(config).dump()));
    QVERIFY(read == config);
    const TemplateProgram first = templateProgram(task, of, config.entities);
    const TemplateProgram again = templateProgram(parseDag(print(task)), read);
    QCOMPARE(programId(again.dag, again.steps), programId(first.dag, first.steps));
    // The DAG is one that may come from a file.
    QCOMPARE(print(parseDag(print(first.dag))), print(first.dag));
    QCOMPARE(programId(parseDag(print(first.dag)), stepsFromJson(toJson(first.steps))),
             programId(first.dag, first.steps));
    // The arguments are those of a log's task: the template's own task has the same space.
    const ComputeDag logged = templateTask(*of.kind, of.arguments);
    QCOMPARE(test::fittingTemplate(logged, kind).space.size(), of.space.size());
    QCOMPARE(test::fittingTemplate(logged, kind).arguments.list().dump(),
             of.arguments.list().dump());
  }
};

NW_TEST_APPLESS(TemplatePrograms)

} // namespace nestwright::template_programs_test

#include "template_programs.moc"
