#include "core/logs/line_parser.h"
#include "core/record/format/step_codec.h"
#include "core/support/random.h"
#include "tests/logs/mutated.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <cmath>
#include <fstream>

namespace nestwright::log_lines_test {

/// The line where nothing but the line may be read.
std::string padded(const std::string& line) {
  return line + std::string(kLinePadding, 'x');
}

LineKind parse(const std::string& line, LogBatch& batch, std::string& reason) {
  LineParser parser;
  const std::string bytes = padded(line);
  return parser.parse(std::string_view(bytes).substr(0, line.size()), batch, reason);
}

/// A good line with its parts as given.
std::string line(const std::string& task, const std::string& steps, const std::string& result,
                 const std::string& version = "v0.6") {
  // No raw string: moc would count its brackets as the code's.
  return "{\"i\": [" + task + ", [[], " + steps + "]], \"r\": " + result + ", \"v\": \"" + version +
         "\"}";
}

// Nor here: moc takes the backslashes in one for escapes.
const std::string kTask = "[\"[\\\"matmul\\\", 8, 8, 8]\", \"llvm -keys=cpu\", "
                          "[2, 64, 64, 0, 0, 0, 0, 0], \"\", 1, []]";
const std::string kSteps = R"([["SP", 2, 0, 8, [2], 1], ["AN", 2, 0, 3]])";
const std::string kResult = "[[0.25, 0.5], 0, 1.5, 1700000000]";

std::vector<std::string> linesOf(const std::string& name) {
  std::ifstream file(std::string(NESTWRIGHT_TEST_DATA "/logs/") + name);
  std::vector<std::string> lines;
  for (std::string text; std::getline(file, text);)
    lines.push_back(text);
  return lines;
}

class LogLines : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void wholeLineIsRead() {
    LogBatch batch;
    std::string reason;
    QCOMPARE(int(parse(line(kTask, kSteps, kResult), batch, reason)), int(LineKind::Record));
    QCOMPARE(batch.tasks.size(), std::size_t(1));
    QCOMPARE(batch.tasks[0].key, std::string(R"(["matmul", 8, 8, 8])"));
    QCOMPARE(batch.tasks[0].target, std::string("llvm -keys=cpu"));
    QCOMPARE(batch.tasks[0].hardware, (std::vector<std::int64_t>{2, 64, 64, 0, 0, 0, 0, 0}));
    const ImportedRecord& record = batch.records.at(0);
    QCOMPARE(record.seconds, 0.375);
    QCOMPARE(record.item.startedAt, std::int64_t(1'700'000'000'000'000));
    const Steps steps = decodeSteps(record.shape, record.item.values);
    QVERIFY(steps ==
            (Steps{SplitStep{2, 0, 8, {2}, true}, AnnotationStep{2, 0, Annotation::Parallel}}));
    MeasureResult result;
    decodeOutcome(record.item.outcome, result);
    QCOMPARE(result.seconds, (std::vector<double>{0.25, 0.5}));
    QCOMPARE(result.runSeconds, 1.5);
  }

  void everyStepIsReadAsTheSlowWayReadsIt() {
    int steps = 0;
    for (const char* name : {"conv_56_64_64_3.records.json", "tvm-gallery-conv2d.json",
                             "tvm-gallery-resnet-50-NHWC-B1-llvm.json"})
      for (const std::string& text : linesOf(name)) {
        if (text.empty() || text[0] == '#') continue;
        LogBatch batch;
        std::string reason;
        QCOMPARE(int(parse(text, batch, reason)), int(LineKind::Record));
        const Steps expected = stepsFromJson(nlohmann::json::parse(text)["i"][1][1]);
        QVERIFY(decodeSteps(batch.records[0].shape, batch.records[0].item.values) == expected);
        steps += int(expected.size());
      }
    QVERIFY(steps > 500);
  }

  void olderVersionsAreRead_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("version");
    QTest::addColumn<int>("hardware");
    QTest::newRow("v0.2") << R"(["k", "llvm"])"
                          << "v0.2" << 0;
    QTest::newRow("v0.3") << R"(["k", "llvm", [2, 64, 64, 0, 0, 0, 0, 0]])"
                          << "v0.3" << 8;
    QTest::newRow("v0.4") << R"(["k", "llvm", [2, 64, 64, 0, 0, 0, 0, 0], "c"])"
                          << "v0.4" << 8;
    QTest::newRow("v0.5") << R"(["k", "llvm", [2, 64, 64, 0, 0, 0, 0, 0], "", 2])"
                          << "v0.5" << 8;
    QTest::newRow("v0.6") << R"(["k", "llvm", [2, 64, 64, 0, 0, 0, 0, 0], "", 2, ["w"]])"
                          << "v0.6" << 8;
  }

  void olderVersionsAreRead() {
    QFETCH(QString, task);
    QFETCH(QString, version);
    QFETCH(int, hardware);
    LogBatch batch;
    std::string reason;
    const LineKind kind =
        parse(line(task.toStdString(), kSteps, kResult, version.toStdString()), batch, reason);
    QVERIFY2(kind == LineKind::Record, reason.c_str());
    QCOMPARE(int(batch.tasks[0].hardware.size()), hardware);
  }

  void commentsAreNoRecords() {
    LogBatch batch;
    std::string reason;
    for (const char* text : {"", "   ", "\t\r", "# a comment", "  # another"})
      QCOMPARE(int(parse(text, batch, reason)), int(LineKind::Comment));
    QVERIFY(batch.records.empty());
  }

  void brokenLinesSayWhy_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* name, const std::string& text, const char* word) {
      QTest::newRow(name) << QString::fromStdString(text) << word;
    };
    row("no JSON", "hello", "no JSON");
    row("half", line(kTask, kSteps, kResult).substr(0, 100), "no JSON");
    row("a list", "[1, 2]", "no JSON object");
    row("deep", std::string(5000, '['), "no JSON");
    row("no result", R"({"i": [)" + kTask + R"(, [[], []]]})", "no \"r\"");
    row("unknown key", R"({"i": [], "r": [], "x": 1})", "\"x\" is unknown");
    row("newer version", line(kTask, kSteps, kResult, "v0.7"), "v0.7");
    row("short task", line("[\"k\"]", kSteps, kResult), "2 to 6 items");
    row("seven items", line(R"(["k", "t", [], "", 1, [], 0])", kSteps, kResult), "2 to 6 items");
    row("hardware", line(R"(["k", "t", [1, 2]])", kSteps, kResult), "eight integers");
    row("empty target", line(R"(["k", ""])", kSteps, kResult), "target is empty");
    row("unknown lowering", line(R"(["k", "llvm -keys=cpu -lowering=best"])", kSteps, kResult),
        "\"best\" is no lowering");
    row("unknown step", line(kTask, R"([["XX", 1]])", kResult), "\"XX\" is no step");
    row("step too short", line(kTask, R"([["CI"]])", kResult), "begins with a tag");
    row("negative size", line(kTask, R"([["SP", 2, 0, 8, [-2], 1]])", kResult), "-2");
    row("not measured", line(kTask, kSteps, "[[0.0], 0, 0, 0]"), "not measured");
    row("no time", line(kTask, kSteps, "[[], 0, 0, 0]"), "no time");
    row("failed but fine", line(kTask, kSteps, "[[1e+10], 0, 0, 0]"), "cannot be a time");
    row("negative time", line(kTask, kSteps, "[[-1], 0, 0, 0]"), "cannot be a time");
    row("error number", line(kTask, kSteps, "[[1], 9, 0, 0]"), "error number 9");
    row("negative day", line(kTask, kSteps, "[[1], 0, 0, -5]"), "time of day");
    row("autotvm", R"({"input": ["llvm", "t"], "config": {}, "result": [[1], 0, 1, 1]})", "input");
    row("autotvm key", R"({"input": [], "speed": 1})", "\"speed\" is unknown");
  }

  void brokenLinesSayWhy() {
    QFETCH(QString, text);
    QFETCH(QString, word);
    LogBatch batch;
    std::string reason;
    QCOMPARE(int(parse(text.toStdString(), batch, reason)), int(LineKind::Broken));
    QVERIFY2(QString::fromStdString(reason).contains(word), reason.c_str());
    QVERIFY(batch.records.empty());
  }

  void failuresHaveNoTime() {
    LogBatch batch;
    std::string reason;
    QVERIFY(parse(line(kTask, kSteps, "[[1e+10], 7, 1.5, 1]"), batch, reason) == LineKind::Record);
    QCOMPARE(int(batch.records[0].verdict), int(Verdict::RunTimeout));
    QVERIFY(std::isinf(batch.records[0].seconds));
  }

  void sameMeasurementHasTheSameIdentity() {
    LogBatch batch;
    std::string reason;
    const std::string texts[] = {line(kTask, kSteps, kResult),
                                 " " + line(kTask, kSteps, "[[2.5e-1,0.5],0,1.50,1700000000]") +
                                     " ",
                                 line(kTask, kSteps, "[[0.25, 0.5], 0, 1.5, 1700000001]"),
                                 line(kTask, R"([["SP", 2, 0, 8, [4], 1]])", kResult)};
    for (const std::string& text : texts)
      QVERIFY(parse(text, batch, reason) == LineKind::Record);
    QCOMPARE(batch.records[1].identity, batch.records[0].identity);
    QVERIFY(batch.records[2].identity != batch.records[0].identity);
    QVERIFY(batch.records[3].identity != batch.records[0].identity);
    QCOMPARE(batch.tasks.size(), std::size_t(1));
  }

  void outcomesOfAnyNumbersComeBack() {
    constexpr std::uint64_t kSeed = 3;
    qInfo("seed %d", int(kSeed));
    Random random(kSeed);
    for (int i = 0; i < 3000; ++i) {
      std::vector<double> seconds(random.below(10));
      for (double& value : seconds) {
        value = std::pow(10.0, -9 + 12 * random.unit());
        if (i % 3 != 0) value = std::stod(fmt::format("{:.{}g}", value, 1 + i % 9));
      }
      const double all = i % 7 == 0 ? 0 : random.unit();
      MeasureResult result;
      decodeOutcome(encodeOutcome(seconds, all), result);
      QCOMPARE(result.seconds, seconds);
      QCOMPARE(result.runSeconds, all);
    }
  }

  void blocksComeBack() {
    ImportedBlock block;
    block.origins = {"{}", R"({"layout_rewrite":2})"};
    for (int i = 0; i < 300; ++i)
      block.items.push_back({fmt::format("values {}", i * i),
                             i % 2 == 0,
                             encodeOutcome({1e-3 * (i + 1)}, 1.5),
                             1'700'000'000'000'000 + i * (i % 3 == 0 ? 1'000'000 : 17),
                             i % 2,
                             {i % 5 == 0, i % 7 - 3}});
    const std::string bytes = encodeBlock(block);
    const ImportedBlock back = decodeBlock(bytes);
    QCOMPARE(back.origins, block.origins);
    QVERIFY(back.items == block.items);
    for (std::size_t cut = 0; cut < bytes.size(); cut += 7)
      QVERIFY_THROWS_EXCEPTION(InputError, decodeBlock(bytes.substr(0, cut)));
  }

  /// What a double tells beyond the microsecond, near today and far from it.
  void startsComeBackToTheLastDigit() {
    constexpr std::uint64_t kSeed = 5;
    qInfo("seed %d", int(kSeed));
    Random random(kSeed);
    for (int i = 0; i < 3000; ++i) {
      const double seconds = i % 4 == 0 ? 1e4 * random.unit() : 1.6e9 + 3e8 * random.unit();
      const auto rounded = std::int64_t(std::llround(seconds * 1e6));
      const std::int64_t ulps = startUlps(seconds, rounded);
      QCOMPARE(exactStart(rounded, {false, ulps}), seconds);
      if (i % 4 != 0) QVERIFY(std::abs(ulps) <= 3); // a byte in a block
    }
  }

  /// Whatever a line is, it becomes a record that can be stored and read, or a reason.
  void mutatedLinesAreReadOrReported() {
    constexpr std::uint64_t kSeed = 11;
    constexpr int kLines = 10'000;
    qInfo("seed %d", int(kSeed));
    Random random(kSeed);
    std::vector<std::string> good;
    for (const char* name : {"matmul_512.records.json", "bmm_12_128_128_64.records.json",
                             "tvm-gallery-resnet-50-NHWC-B1-llvm.json", "tophub-llvm-v0.04.log"})
      for (const std::string& text : linesOf(name))
        if (!text.empty() && text[0] != '#') good.push_back(text);
    LineParser parser;
    int kinds[3] = {};
    for (int i = 0; i < kLines; ++i) {
      const std::string bytes = padded(mutated(random.pick(good), random));
      const std::string_view view = std::string_view(bytes).substr(0, bytes.size() - kLinePadding);
      LogBatch batch;
      std::string reason;
      const LineKind kind = parser.parse(view, batch, reason);
      ++kinds[int(kind)];
      QCOMPARE(batch.records.size(), std::size_t(kind == LineKind::Record ? 1 : 0));
      QCOMPARE(!reason.empty(), kind == LineKind::Broken);
      if (kind != LineKind::Record) continue;
      const ImportedRecord& record = batch.records[0];
      MeasureResult result;
      decodeOutcome(record.item.outcome, result);
      if (!record.item.isConfig) decodeSteps(record.shape, record.item.values);
      QVERIFY(record.verdict != Verdict::Ok ||
              (record.seconds > 0 && std::isfinite(record.seconds)));
    }
    qInfo("%d records, %d comments, %d broken", kinds[0], kinds[1], kinds[2]);
    QVERIFY(kinds[0] > kLines / 20 && kinds[2] > kLines / 2);
  }
};

NW_TEST_GUILESS(LogLines)

} // namespace nestwright::log_lines_test

#include "log_lines.moc"
