/// Random programs over many small workloads compute what the DAG says, after every pass.

#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/support/error.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/lower/interpret.h"
#include "tests/lower/random_program.h"
#include "tests/lower/random_tensors.h"
#include "tests/lower/small_tasks.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <iostream>

namespace nestwright::random_programs_test {

class RandomPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithTheDag_data() {
    QTest::addColumn<QString>("text");
    addSmallTasks();
    addDotTasks();
  }

  void agreeWithTheDag() {
    QFETCH(QString, text);
    std::string source = text.toStdString();
    ComputeDag dag = smallTask(source);
    const std::uint64_t usedSeed = test::randomSeed(20260731);
    const int wanted = test::randomPrograms(10);
    int checked = 0, refused = 0;
    for (int n = 0; checked < wanted; ++n) {
      QVERIFY2(n < 40 * wanted, "hardly any random program is legal");
      Random random = Random::stream(usedSeed, source, static_cast<std::uint64_t>(n));
      Tensors inputs = randomInputs(dag, random);
      State state = randomProgram(dag, random);
      std::string problem, lastPass, listing;
      auto check = [&](const std::string& pass, const LoopFunction& function) {
        if (!problem.empty()) return;
        lastPass = pass;
        listing = print(function);
        try {
          problem = difference(evaluate(dag, inputs), interpret(function, inputs));
        } catch (const std::runtime_error& error) {
          problem = error.what();
        }
      };
      try {
        LowerOptions options;
        options.vectorBytes = n % 3 == 0 ? 64 : n % 3 == 1 ? 16 : 32;
        options.vectorRegisters = n % 2 == 0 ? 32 : 16;
        options.dotProducts = {n % 3 != 1, n % 3 != 1, n % 3 == 1};
        options.minParallelWork = n % 5 == 0 ? 1e4 : 0;
        options.lowering = n % 4 != 3   ? Lowering::Full
                           : n % 8 == 3 ? Lowering::Plain
                                        : Lowering::PlainPacked;
        options.onPass = check;
        lower(state, options);
      } catch (const IllegalSchedule&) {
        ++refused;
        continue;
      }
      ++checked;
      for (const Step& step : state.steps())
        ++stepsSeen_[tag(step)];
      if (!problem.empty())
        QFAIL(fmt::format("seed {} program {}: after {}: {}\n{}\n{}\n{}", usedSeed, n, lastPass,
                          problem, stepsText(state), printLoopNest(state), listing)
                  .c_str());
    }
    qInfo("seed %llu: %d programs agree, %d were refused",
          static_cast<unsigned long long>(usedSeed), checked, refused);
  }

  void haveStepsOfEveryKind() {
    for (const char* kind :
         {"AN", "FU", "PR", "RE", "SP", "FSP", "FFSP", "SA", "CA", "CI", "CHR", "CHW", "RF"}) {
      qInfo("%s: %d", kind, stepsSeen_[kind]);
      QVERIFY2(stepsSeen_[kind] >= 5, kind);
    }
  }

 private:
  std::map<std::string, int> stepsSeen_;
};

NW_TEST_APPLESS(RandomPrograms)

} // namespace nestwright::random_programs_test

#include "random_programs.moc"
