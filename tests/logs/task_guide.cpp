#include "core/logs/task_guide.h"

#include "core/logs/dag_text.h"
#include "core/schedule/bounds.h"
#include "core/schedule/state.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

namespace nestwright::task_guide_test {

const std::string kOracles = NESTWRIGHT_TEST_DATA "/tvm-ansor-zen5/";

nlohmann::json readJson(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

std::string keyOf(const std::string& task) {
  return readJson(kOracles + "tasks.json").at(task).at("workload_key");
}

ImportedTask taskOf(const std::string& key) {
  return {
      key, "llvm -keys=cpu -mcpu=core-avx2 -model=e5-2673", {8, 64, 64, 0, 0, 0, 0, 0}, "", "{}"};
}

/// A loop nest without the names of tensors and loops.
std::string nameless(const std::string& loopNest) {
  return namelessDag(loopNest);
}

class TaskGuideTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tasksAreKnownByShapesAndSteps_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("name");
    QTest::newRow("matmul_512") << "matmul_512"
                                << "MatMul 512x512->512";
    QTest::newRow("dense") << "dense_128x768x3072"
                           << "MatMul 128x768->3072";
    QTest::newRow("batch") << "bmm_12_128_128_64"
                           << "BatchMatMul 12x128x64->128";
    QTest::newRow("conv 3x3") << "conv_56_64_64_3"
                              << "Conv 3x3 64->64 on 56x56 + Bias + Relu";
    QTest::newRow("conv 1x1") << "conv_56_64_256_1"
                              << "Conv 1x1 64->256 on 56x56 + Bias + Relu";
  }

  /// The loop nests of programs that TVM printed come out but for names.
  void tasksAreKnownByShapesAndSteps() {
    QFETCH(QString, task);
    QFETCH(QString, name);
    TaskGuide guide({}, false);
    int programs = 0;
    for (const auto& oracle : readJson(kOracles + task.toStdString() + ".oracle.json")) {
      const Steps steps = stepsFromJson(oracle.at("steps"));
      const TaskKnowledge known =
          guide.describe(taskOf(keyOf(task.toStdString())), "a.json", steps);
      QCOMPARE(QString::fromStdString(known.name), name);
      QCOMPARE(known.flops,
               readJson(kOracles + "tasks.json").at(task.toStdString()).at("flop").get<double>());
      const State state = withBounds(State::replay(parseDag(known.dag), steps));
      QCOMPARE(nameless(printLoopNest(state)), nameless(oracle.at("loop_nest")));
      ++programs;
    }
    QVERIFY(programs > 3);
  }

  /// The only task of TVM's ResNet-50 log that is no convolution and no product.
  void aMaxPoolingIsKnownByItsSteps() {
    std::ifstream log(NESTWRIGHT_TEST_DATA "/logs/tvm-gallery-resnet-50-NHWC-B1-llvm.json");
    const std::string key = R"(["a5612fdeb9db4d579a75ec225ea4c06a", 1, 112, 112, 64, 1, 1, 1, 64, )"
                            R"(1, 56, 56, 64])";
    int programs = 0;
    for (std::string line; std::getline(log, line);) {
      if (line.empty() || line[0] != '{') continue;
      const nlohmann::json record = nlohmann::json::parse(line);
      if (record.at("i").at(0).at(0) != key) continue;
      TaskGuide guide({}, false);
      const TaskKnowledge known =
          guide.describe(taskOf(key), "a.json", stepsFromJson(record.at("i").at(1).at(1)));
      QCOMPARE(QString::fromStdString(known.name),
               QStringLiteral("MaxPool 3x3/2 on 112x112x64 + Bias + Relu"));
      const ComputeDag dag = parseDag(known.dag);
      QCOMPARE(dag.size(), std::size_t(6));
      ++programs;
    }
    QVERIFY(programs > 0);
  }

  void textsThatTvmPrintedAreCompletedFromTheKey() {
    const nlohmann::json tasks = readJson(kOracles + "tasks.json");
    for (const auto& item : tasks.items()) {
      std::string reason;
      const auto dag =
          dagOfText(item.value().at("compute_dag"), item.value().at("workload_key"), reason);
      QVERIFY2(dag, reason.c_str());
      QCOMPARE(flops(*dag), item.value().at("flop").get<double>());
    }
    std::string reason;
    QVERIFY(!dagOfText(tasks.at("conv_56_64_64_3").at("compute_dag"), R"(["other", 3])", reason));
    QVERIFY(reason.find("extent") != std::string::npos);
  }

  /// Extents that only the condition of a padding tells, where the key knows what is padded.
  void paddedTextsAreCompleted_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("rows");
    QTest::newRow("depthwise") << R"(["dw", 1, 112, 112, 32, 3, 1, 1])" << 1 << 112;
    QTest::newRow("with a stride") << R"(["dw", 1, 112, 112, 32, 3, 2, 1])" << 2 << 56;
    QTest::newRow("another task") << R"(["dw", 1, 56, 56, 32, 3, 1, 1])" << 1 << 0;
  }
  void paddedTextsAreCompleted() {
    QFETCH(QString, key);
    QFETCH(int, stride);
    QFETCH(int, rows);
    const auto at = [&](const char* axis) {
      return stride == 1 ? std::string(axis) : fmt::format("({}*{})", axis, stride);
    };
    const std::string text = fmt::format(
        "placeholder = PLACEHOLDER [1, 112, 112, 32]\n"
        "PaddedInput(i0, i1, i2, i3) = tir.if_then_else(((((i1 >= 1) && (i1 < 113)) && (i2 >= 1)) "
        "&& (i2 < 113)), placeholder[i0, (i1 - 1), (i2 - 1), i3], 0f)\n"
        "weight = PLACEHOLDER [3, 3, 32, 1]\n"
        "DepthwiseConv2d(b, i, j, c) += (PaddedInput[b, ({} + di), ({} + dj), c]*weight[di, dj, c, "
        "0])\n",
        at("i"), at("j"));
    std::string reason;
    const auto dag = dagOfText(text, key.toStdString(), reason);
    QCOMPARE(dag.has_value(), rows > 0);
    if (!dag) {
      QVERIFY(reason.find("extent is unknown") != std::string::npos);
      return;
    }
    QCOMPARE(flops(*dag), 2.0 * rows * rows * 32 * 9);
  }

  void definitionsComeFromFiles() {
    QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("odd.dag")).toStdString();
    std::ofstream(path) << "A = PLACEHOLDER [6, 5]\nB(i) += A[i, k]\n";
    TaskGuide guide({path, kOracles + "tasks.json"}, false);
    const Steps steps{SplitStep{1, 0, 6, {2}, true}, AnnotationStep{1, 0, Annotation::Parallel}};
    const TaskKnowledge known = guide.describe(taskOf(R"(["odd", 1])"), "a.json", steps);
    QCOMPARE(known.name, std::string("odd"));
    QCOMPARE(known.flops, 30.0);
    QVERIFY(guide.problems().empty());
  }

  void otherStepsDoNotFit() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [6, 5]\nB(i) += A[i, k]\n");
    const AnnotationStep parallel{1, 0, Annotation::Parallel};
    QVERIFY(fits(dag, {SplitStep{1, 0, 6, {2}, true}, parallel}));
    QVERIFY(!fits(dag, {SplitStep{1, 0, 8, {2}, true}, parallel})); // another extent
    QVERIFY(!fits(dag, {SplitStep{2, 0, 6, {2}, true}, parallel})); // another stage
    QVERIFY(!fits(dag, {}));                                        // nothing is scheduled
  }

  void nobodyIsHurtByKeys_data() {
    QTest::addColumn<QString>("key");
    for (const char* key :
         {"", "[]", "{}", "no JSON", "[1]", R"(["conv2d"])",
          R"(["conv2d_nhwc", 1, 7, 7, 8, 8, 3, 3, 0, 1])",
          R"(["conv2d", 0, 0, 0, 0, 0, 0, 0, 0, 0])", R"(["matmul", 0, 0, 0])",
          R"(["batch_matmul", 0, 1, 1, 1])", R"(["matmul", -1, 4, 4])",
          R"(["conv2d_nhwc", 1, 7, 7, 8, 8, 99, 99, 1, 0])", R"(["x", 99999999999999])",
          R"(["h", 1, 7, 7, 8, 3, 3, 8, 8, 5, 1, 7, 7, 8])", R"(["x", [[[[[[[[1]]]]]]]])"})
      QTest::newRow(key) << key;
  }

  void nobodyIsHurtByKeys() {
    QFETCH(QString, key);
    TaskGuide guide({}, false);
    const TaskKnowledge known = guide.describe(taskOf(key.toStdString()), "a.json",
                                               {AnnotationStep{1, 0, Annotation::Parallel}});
    QVERIFY(known.dag.empty());
  }

  /// It says what it is, so why it is not known is said, too.
  void templatesThatComputeNothingAreToldOnce() {
    TaskGuide guide({}, false);
    // Two kernels a channel have a space, and no program.
    const ImportedTask task =
        taskOf(R"(["depthwise_conv2d_NCHWc.x86",[["TENSOR",[1,8,6,6],"float32"],)"
               R"(["TENSOR",[8,2,3,3],"float32"],[1,1],[1,1,1,1],[1,1]],{}])");
    for (int time = 0; time < 2; ++time)
      QVERIFY(guide.describe(task, "a.json", {}).dag.empty());
    QCOMPARE(guide.problems().size(), std::size_t(1));
    const PassedOver problem = guide.problems().front();
    QCOMPARE(problem.path, std::string("a.json"));
    const QString reason = QString::fromStdString(problem.reason);
    QVERIFY2(reason.contains("depthwise_conv2d_NCHWc.x86 1x8x6x6"), qPrintable(reason));
    QVERIFY2(reason.contains("with 2 kernels a channel has no program"), qPrintable(reason));
  }

  void targetsAreReadFromText() {
    TaskGuide guide({}, false);
    const TaskKnowledge known = guide.describe(taskOf(R"(["x"])"), "a.json", {});
    const nlohmann::json facts = nlohmann::json::parse(known.facts);
    QCOMPARE(facts.at("model"), "e5-2673");
    QCOMPARE(facts.at("cpu"), "core-avx2");
    QCOMPARE(facts.at("cores"), 8);
    ImportedTask plain = taskOf(R"(["x"])");
    plain.target = "llvm";
    const TaskKnowledge placed =
        guide.describe(plain, "/data/measure_records/graviton2/([x],llvm).json", {});
    QCOMPARE(nlohmann::json::parse(placed.facts).at("model"), "graviton2");
  }
};

NW_TEST_GUILESS(TaskGuideTest)

} // namespace nestwright::task_guide_test

#include "task_guide.moc"
