/// \file Programs of the public implementation (tests/data/tvm-ansor-zen5): replaying their steps
/// must print its loop nests, line for line, and their steps must survive a round trip.

#include "core/schedule/bounds.h"
#include "tests/schedule/oracle_tasks.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <fstream>

using namespace nestwright;
using namespace nestwright::test;

namespace {

std::ifstream dataFile(const std::string& name) {
  std::ifstream file(std::string(NESTWRIGHT_TEST_DATA "/tvm-ansor-zen5/") + name);
  if (!file) qFatal("the fixture %s is missing", name.c_str());
  return file;
}

} // namespace

class ScheduleGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void printsTheLoopNest_data() {
    QTest::addColumn<std::string>("task");
    QTest::addColumn<std::string>("steps");
    QTest::addColumn<std::string>("loopNest");
    for (const std::string task : kOracleTasks) {
      int number = 0;
      for (const auto& program : nlohmann::json::parse(dataFile(task + ".oracle.json")))
        QTest::addRow("%s %d", task.c_str(), number++)
            << task << program["steps"].dump() << program["loop_nest"].get<std::string>();
    }
  }

  void printsTheLoopNest() {
    QFETCH(std::string, task);
    QFETCH(std::string, steps);
    QFETCH(std::string, loopNest);
    const Steps parsed = stepsFromJson(nlohmann::json::parse(steps));
    const State state = withBounds(State::replay(oracleDag(task), parsed));
    const QStringList actual = QString::fromStdString(printLoopNest(state)).split('\n');
    const QStringList expected = QString::fromStdString(loopNest).split('\n');
    for (int line = 0; line < std::min(actual.size(), expected.size()); ++line)
      QCOMPARE(actual[line], expected[line]);
    QCOMPARE(actual.size(), expected.size());
  }

  /// The worked example of the format's description: a fused ReLU, tiled at two levels.
  void printsTheFusedMatmul() {
    const ComputeDag matmul = matmulDag(512, 512, 512);
    const Op c = matmul[2];
    std::vector<Op> ops = matmul.ops();
    ops.push_back(compute("D", {512, 512},
                          [&](const auto& i) { return max(read(c, i), floatImm(0)); }, {"i", "j"}));
    const char* steps =
        "[[\"SP\", 2, 0, 512, [2, 4, 8], 1], [\"SP\", 2, 4, 512, [4, 1, 16], 1],"
        " [\"SP\", 2, 8, 512, [8], 1], [\"RE\", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]],"
        " [\"FSP\", 3, 0, 0, 2], [\"FSP\", 3, 3, 1, 2], [\"RE\", 3, [0, 3, 1, 4, 2, 5]],"
        " [\"CA\", 2, 3, 3], [\"FU\", 3, [0, 1, 2, 3]], [\"AN\", 3, 0, 3],"
        " [\"PR\", 2, 0, \"auto_unroll_max_step$64\"], [\"AN\", 2, 9, 2], [\"AN\", 3, 2, 2]]";
    const Steps parsed = stepsFromJson(nlohmann::json::parse(steps));
    const State state = withBounds(State::replay(ComputeDag(ops), parsed));
    QCOMPARE(QString::fromStdString(printLoopNest(state)),
             QStringLiteral("Placeholder: A, B\n"
                            "parallel i.0@j.0@i.1@j.1@ (0,512)\n"
                            "  C auto_unroll: 64\n"
                            "  for k.0 (0,64)\n"
                            "    for i.2 (0,4)\n"
                            "      for k.1 (0,8)\n"
                            "        for i.3 (0,8)\n"
                            "          vectorize j.3 (0,16)\n"
                            "            C = ...\n"
                            "  for i.2 (0,32)\n"
                            "    vectorize j.2 (0,16)\n"
                            "      D = ...\n"));
  }

  void replaysEveryRecord_data() {
    QTest::addColumn<std::string>("task");
    for (const char* task : kOracleTasks)
      QTest::newRow(task) << std::string(task);
  }

  void replaysEveryRecord() {
    QFETCH(std::string, task);
    const ComputeDag dag = oracleDag(task);
    std::ifstream file = dataFile(task + ".steps.txt");
    int count = 0;
    for (std::string line; std::getline(file, line); ++count) {
      const Steps steps = stepsFromJson(nlohmann::json::parse(line));
      QCOMPARE(recordText(toJson(steps)), line);
      const State state = withBounds(State::replay(dag, steps));
      QVERIFY(state.steps() == steps);
      QVERIFY(state.isConcrete());
    }
    QCOMPARE(count, 200);
  }
};

QTEST_APPLESS_MAIN(ScheduleGolden)
#include "schedule_golden.moc"
