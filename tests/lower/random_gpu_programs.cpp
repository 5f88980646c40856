/// Random GPU programs over many small workloads compute what the DAG says, after every pass, and
/// no two threads race. A barrier that is taken out is missed.

#include "core/emulate/emulate.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "tests/lower/gpu_check.h"
#include "tests/lower/random_gpu_program.h"
#include "tests/lower/small_tasks.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <map>
#include <set>

namespace nestwright::random_gpu_programs_test {

/// What the programs of a test were like.
struct Tally {
  std::map<std::string, int> kinds;

  void count(const LoopFunction& function) {
    std::set<std::string> seen;
    visit(function.body, [&](const Stmt& s) {
      if (s->kind == StmtKind::Barrier) seen.insert("barrier");
      if (s->kind == StmtKind::Shuffle) seen.insert("shuffle");
      if (s->kind == StmtKind::Wait) seen.insert("pipeline");
      if (s->kind == StmtKind::For && s->pipelineStages > 1) seen.insert("tiles at once");
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
    const std::uint64_t usedSeed = test::randomSeed(20261123);
    const int wanted = test::randomPrograms(8);
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
        // Some for a device without asynchronous copies.
        problem = gpuProblem(state, inputs, expected,
                             n % 8 == 0 ? Looks::AfterEveryPass : Looks::AfterTheLast,
                             n % 4 == 1 ? GpuArchitecture{7, 5} : GpuArchitecture{9, 0});
      } catch (const IllegalSchedule&) {
        ++refused;
        continue;
      } catch (const std::exception& error) {
        problem = error.what();
      }
      ++checked;
      if (problem.empty()) {
        LowerOptions options;
        options.gpu = testGpu();
        const LoopFunction function = lower(state, options);
        tally_.count(function);
        missOneBarrier(function, inputs, random);
        waitForTooLittle(function, inputs);
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
    for (const char* kind :
         {"barrier", "shuffle", "block", "register", "vector", "pipeline", "tiles at once"}) {
      qInfo("%s: %d", kind, tally_.kinds[kind]);
      QVERIFY2(tally_.kinds[kind] >= 20, kind);
    }
  }

  void missEveryCopy() {
    qInfo("%d of %d waits for too little were caught", unfinished_, waits_);
    QVERIFY(waits_ >= 20);
    QCOMPARE(unfinished_, waits_);
  }

  void missEveryBarrier() {
    qInfo("%d of %d missed barriers were caught", caught_, missed_);
    for (const std::string& text : uncaught_)
      qInfo("not caught: %s", text.c_str());
    QVERIFY(missed_ >= 100);
    QCOMPARE(caught_, missed_);
  }

 private:
  /// Takes a barrier out of the program and looks whether the emulator notices.
  void missOneBarrier(const LoopFunction& function, const Tensors& inputs, Random& random) {
    int barriers = 0;
    visit(function.body, [&](const Stmt& s) { barriers += s->kind == StmtKind::Barrier; });
    if (barriers == 0) return;
    int at = static_cast<int>(random.below(static_cast<std::uint64_t>(barriers)));
    const std::function<Stmt(const Stmt&)> without = [&](const Stmt& s) -> Stmt {
      if (s->kind == StmtKind::Barrier && at-- == 0) return makeSequence({});
      return mapChildren(s, without, nullptr);
    };
    LoopFunction missing = function;
    missing.body = without(function.body);
    ++missed_;
    const Emulation run = emulate(missing, inputs);
    if (run.error && run.error->fault == EmulationFault::BlockRace)
      ++caught_;
    else
      uncaught_.push_back(print(function));
  }

  /// Leaves one group more under way than a pipeline can.
  void waitForTooLittle(const LoopFunction& function, const Tensors& inputs) {
    bool waits = false;
    const std::function<Stmt(const Stmt&)> shorter = [&](const Stmt& s) -> Stmt {
      if (s->kind != StmtKind::Wait) return mapChildren(s, shorter, nullptr);
      waits = true;
      return makeWait(s->pending + 1);
    };
    LoopFunction wrong = function;
    wrong.body = shorter(function.body);
    if (!waits) return;
    ++waits_;
    const Emulation run = emulate(wrong, inputs);
    unfinished_ += run.error && run.error->fault == EmulationFault::UnfinishedCopy;
  }

  int missed_ = 0, caught_ = 0, waits_ = 0, unfinished_ = 0;
  std::vector<std::string> uncaught_;
  Tally tally_;
};

NW_TEST_APPLESS(RandomGpuPrograms)

} // namespace nestwright::random_gpu_programs_test

#include "random_gpu_programs.moc"
