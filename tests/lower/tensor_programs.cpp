/// Programs that use tensor cores compute what the DAG says, race nowhere, and miss every barrier
/// that is taken out.

#include "core/emulate/emulate.h"
#include "core/lower/lower.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "tests/lower/gpu_check.h"
#include "tests/lower/small_tasks.h"
#include "tests/lower/tensor_samples.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::tensor_programs_test {

std::string wrong(const ComputeDag& dag, const Tensors& expected, const Tensors& actual) {
  const double digit = lastDigit(dag);
  for (const auto& [name, values] : actual)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!(std::fabs(values[i] - expected.at(name)[i]) <=
            digit * (1 + std::fabs(expected.at(name)[i]))))
        return fmt::format("{}[flat {}] is {} instead of {}", name, i, values[i],
                           expected.at(name)[i]);
  return {};
}

int count(const LoopFunction& function, StmtKind kind) {
  int found = 0;
  visit(function.body, [&](const Stmt& s) { found += s->kind == kind; });
  return found;
}

class TensorPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithTheDag_data() { addTensorTasks(); }
  void agreeWithTheDag() {
    QFETCH(QString, text);
    const std::string task = text.toStdString();
    const ComputeDag dag = parseTaskSpec(task).dag;
    Random values = Random::stream(test::randomSeed(20261124), task, 1'000'000);
    const Tensors inputs = randomInputs(dag, values);
    const Tensors expected = evaluate(dag, inputs);
    LowerOptions options;
    options.gpu = testGpu();
    const bool enough = forTensorPrograms(
        task, test::randomSeed(20261124), test::randomPrograms(6),
        [&](const State& state, std::uint64_t n) {
          QVERIFY(State::replay(dag, state.steps()).steps() == state.steps());
          std::string problem, lastPass;
          options.onPass = [&](const std::string& pass, const LoopFunction& function) {
            const bool looks = pass == "tensorize" || pass == "narrow_indices";
            if (!problem.empty() || !looks) return;
            EmulationOptions checks;
            checks.races = checks.registers = pass != "tensorize";
            const Emulation run = emulate(function, inputs, checks);
            problem = run.error ? fmt::format("{}: {} in {}", name(run.error->fault),
                                              run.error->what, run.error->lineText)
                                : wrong(dag, expected, run.outputs);
            if (!problem.empty()) problem = pass + ": " + problem + "\n" + print(function);
          };
          const LoopFunction function = lower(state, options);
          QVERIFY(count(function, StmtKind::Mma) > 0);
          if (!problem.empty())
            QFAIL(fmt::format("seed {} program {}: after {}\n{}", test::randomSeed(20261124), n,
                              problem, stepsText(state))
                      .c_str());
          missOneBarrier(function, inputs, n);
        });
    QVERIFY2(enough, "hardly any program is legal");
  }

  void missEveryBarrier() {
    qInfo("%d of %d missed barriers were caught", caught_, missed_);
    QVERIFY(missed_ >= 20);
    QCOMPARE(caught_, missed_);
  }

 private:
  void missOneBarrier(const LoopFunction& function, const Tensors& inputs, std::uint64_t n) {
    const int barriers = count(function, StmtKind::Barrier);
    if (barriers == 0) return;
    int at = static_cast<int>(n) % barriers;
    const std::function<Stmt(const Stmt&)> without = [&](const Stmt& s) -> Stmt {
      if (s->kind == StmtKind::Barrier && at-- == 0) return makeSequence({});
      return mapChildren(s, without, nullptr);
    };
    LoopFunction missing = function;
    missing.body = without(function.body);
    ++missed_;
    const Emulation run = emulate(missing, inputs);
    caught_ += run.error && run.error->fault == EmulationFault::BlockRace;
  }

  int missed_ = 0, caught_ = 0;
};

NW_TEST_APPLESS(TensorPrograms)

} // namespace nestwright::tensor_programs_test

#include "tensor_programs.moc"
