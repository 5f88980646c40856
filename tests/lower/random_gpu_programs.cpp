/// Random GPU programs over many small workloads compute what the DAG says, after every pass, and
/// no two threads race. A barrier that is taken out is missed.

#include "core/emulate/emulate.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "tests/lower/gpu_check.h"
#include "tests/lower/random_gpu_program.h"
#include "tests/lower/small_tasks.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::random_gpu_programs_test {

/// Nightly runs ask for more programs, and for others, through the environment.
std::uint64_t seed() {
  const int value = qEnvironmentVariableIntValue("NESTWRIGHT_RANDOM_SEED");
  return value > 0 ? static_cast<std::uint64_t>(value) : 20261123;
}
int programsPerWorkload() {
  const int value = qEnvironmentVariableIntValue("NESTWRIGHT_RANDOM_PROGRAMS");
  return value > 0 ? value : 12;
}

/// What the programs of a test were like.
struct Tally {
  std::map<std::string, int> kinds;

  void count(const LoopFunction& function) {
    std::set<std::string> seen;
    visit(function.body, [&](const Stmt& s) {
      if (s->kind == StmtKind::Barrier) seen.insert("barrier");
      if (s->kind == StmtKind::Shuffle) seen.insert("shuffle");
      if (s->kind == StmtKind::Allocate && s->scope == MemoryScope::Block) seen.insert("block");
      if (s->kind == StmtKind::Allocate && s->scope == MemoryScope::Register)
        seen.insert("register");
      if (s->kind == StmtKind::Store && !s->value->type.isScalar()) seen.insert("vector");
    });
    for (const std::string& kind : seen)
      ++kinds[kind];
  }
};

class RandomGpuPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithTheDag_data() {
    QTest::addColumn<QString>("text");
    addSmallTasks();
  }

  void agreeWithTheDag() {
    QFETCH(QString, text);
    const std::string source = text.toStdString();
    const ComputeDag dag = smallTask(source);
    const std::uint64_t usedSeed = seed();
    const int wanted = programsPerWorkload();
    Random valueRandom = Random::stream(usedSeed, source, 0);
    const Tensors inputs = randomInputs(dag, valueRandom);
    const Tensors expected = evaluate(dag, inputs);
    int checked = 0, refused = 0;
    for (int n = 0; checked < wanted; ++n) {
      QVERIFY2(n < 40 * wanted, "hardly any random program is legal");
      Random random = Random::stream(usedSeed, source, static_cast<std::uint64_t>(n));
      const State state = randomGpuProgram(dag, random);
      std::string problem;
      try {
        problem = gpuProblem(state, inputs, expected, testGpu());
      } catch (const IllegalSchedule& refusal) {
        ++refused;
        ++reasons_[refusal.what()];
        continue;
      } catch (const std::exception& error) {
        problem = error.what();
      }
      ++checked;
      if (problem.empty()) {
        LowerOptions options;
        options.gpu = testGpu();
        tally_.count(lower(state, options));
      } else {
        QFAIL(fmt::format("seed {} program {}: {}\n{}\n{}", usedSeed, n, problem, stepsText(state),
                          printLoopNest(state))
                  .c_str());
      }
    }
    qInfo("seed %llu: %d programs agree, %d were refused",
          static_cast<unsigned long long>(usedSeed), checked, refused);
  }

  void haveAllOfAGpu() {
    for (const auto& [reason, count] : reasons_)
      if (count > 4) qInfo("%d refused: %s", count, reason.c_str());
    for (const char* kind : {"barrier", "shuffle", "block", "register", "vector"}) {
      qInfo("%s: %d", kind, tally_.kinds[kind]);
      QVERIFY2(tally_.kinds[kind] >= 20, kind);
    }
  }

 private:
  Tally tally_;
  std::map<std::string, int> reasons_;
};

NW_TEST_APPLESS(RandomGpuPrograms)

} // namespace nestwright::random_gpu_programs_test

#include "random_gpu_programs.moc"
