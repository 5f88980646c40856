/// \file Programs of the public implementation (tests/data/tvm-ansor-zen5): replaying their steps
/// must print its loop nests, line for line, and their steps must survive a round trip.

#include "core/schedule/bounds.h"
#include "tests/schedule/oracle_tasks.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <fstream>

namespace nestwright::schedule_golden_test {

using namespace nestwright::test;

std::ifstream dataFile(const std::string& name) {
  std::ifstream file(std::string(NESTWRIGHT_TEST_DATA "/tvm-ansor-zen5/") + name);
  if (!file) qFatal("the fixture %s is missing", name.c_str());
  return file;
}

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

  /// The other worked example, for a GPU: operands staged through memory that a block shares.
  void printsTheStagedMatmul() {
    const char* steps = "[[\"CHW\", 2, \"local\"], [\"SP\", 2, 0, 256, [1, 16, 2, 2], 1], "
                        "[\"SP\", 2, 5, 256, [2, 8, 1, 4], 1], [\"SP\", 2, 10, 256, [4, 2], 1], "
                        "[\"RE\", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], "
                        "[\"FSP\", 3, 0, 1, 3], [\"FSP\", 3, 4, 2, 3], "
                        "[\"RE\", 3, [0, 4, 1, 5, 2, 6, 3, 7]], [\"CA\", 2, 3, 5], "
                        "[\"CHR\", 1, \"shared\", [2]], [\"CA\", 2, 3, 6], "
                        "[\"CHR\", 0, \"shared\", [3]], [\"CA\", 1, 4, 6], [\"FU\", 5, [0, 1]], "
                        "[\"AN\", 5, 0, 5], [\"FU\", 5, [1, 2]], [\"AN\", 5, 1, 4], "
                        "[\"FU\", 5, [2, 3]], [\"AN\", 5, 2, 6], [\"FU\", 3, [0, 1]], "
                        "[\"SP\", 3, 0, 32, [4], 1], [\"AN\", 3, 1, 2], "
                        "[\"FFSP\", 3, 0, [2, 1], 1, 1], [\"AN\", 3, 1, 6], [\"FU\", 1, [0, 1]], "
                        "[\"SP\", 1, 0, 32, [2], 1], [\"AN\", 1, 1, 2], "
                        "[\"FFSP\", 1, 0, [2, 1], 1, 1], [\"AN\", 1, 1, 6], "
                        "[\"PR\", 4, 0, \"auto_unroll_max_step$512\"]]";
    const Steps parsed = stepsFromJson(nlohmann::json::parse(steps));
    const State state = withBounds(State::replay(matmulDag(256, 256, 256), parsed));
    QCOMPARE(QString::fromStdString(printLoopNest(state)),
             QStringLiteral("Placeholder: A, B\n"
                            "blockIdx.x i.0@j.0@ (0,16)\n"
                            "  vthread i.1@j.1@ (0,2)\n"
                            "    threadIdx.x i.2@j.2@ (0,128)\n"
                            "      C.local auto_unroll: 512\n"
                            "      for k.0 (0,32)\n"
                            "        threadIdx.x ax0@ax1@.0.1 (0,128)\n"
                            "          vectorize ax0@ax1@.1 (0,4)\n"
                            "            B.shared = ...\n"
                            "        for ax0@ax1@.0.0 (0,2)\n"
                            "          threadIdx.x ax0@ax1@.0.1 (0,128)\n"
                            "            vectorize ax0@ax1@.1 (0,2)\n"
                            "              A.shared = ...\n"
                            "        for k.1 (0,4)\n"
                            "          for i_c.3 (0,2)\n"
                            "            for k.2 (0,2)\n"
                            "              for i_c.4 (0,2)\n"
                            "                for j_c.4 (0,4)\n"
                            "                  C.local = ...\n"
                            "      for i.3 (0,4)\n"
                            "        for j.3 (0,4)\n"
                            "          C = ...\n"));
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

NW_TEST_APPLESS(ScheduleGolden)

} // namespace nestwright::schedule_golden_test

#include "schedule_golden.moc"
