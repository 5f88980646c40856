/// Verdicts, results, frames and tensor comparison: all of measuring that needs no process.
#include "core/measure/elements.h"
#include "core/measure/measure.h"
#include "core/measure/protocol.h"
#include "core/measure/sampled_answer.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/text_limit.h"
#include "core/tensor/text.h"
#include "core/worker/frame.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace nestwright::measure_values_test {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<std::uint8_t> bytesOf(const std::vector<float>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Difference compareFloats(const std::vector<float>& actual, const std::vector<float>& expected) {
  return compareElements(bytesOf(actual), bytesOf(expected), kFloat32, {1e-3, 1e-4});
}

class MeasureValuesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void verdictNamesAndNumbers_data() {
    QTest::addColumn<int>("verdict");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("recordError");
    const auto row = [](Verdict verdict, const char* text, int error) {
      QTest::newRow(text) << static_cast<int>(verdict) << QString(text) << error;
    };
    row(Verdict::Ok, "ok", 0);
    row(Verdict::Illegal, "illegal", 1);
    row(Verdict::CompileError, "compile error", 2);
    row(Verdict::LoadError, "load error", 3);
    row(Verdict::RunError, "run error", 4);
    row(Verdict::WrongAnswer, "wrong answer", 5);
    row(Verdict::BuildTimeout, "build timeout", 6);
    row(Verdict::RunTimeout, "run timeout", 7);
    row(Verdict::WorkerLost, "worker lost", 8);
    row(Verdict::Cancelled, "cancelled", 8);
    row(Verdict::NotRecorded, "not recorded", 8);
  }
  void verdictNamesAndNumbers() {
    QFETCH(int, verdict);
    QFETCH(QString, text);
    QFETCH(int, recordError);
    const auto value = static_cast<Verdict>(verdict);
    QCOMPARE(QString(name(value)), text);
    QCOMPARE(verdictFromName(text.toStdString()), value);
    QCOMPARE(recordErrorNumber(value), recordError);
  }
  void layoutsTravelWithTheArtifact() {
    KernelArtifact artifact;
    artifact.entry = "kernel";
    artifact.inputCount = 2;
    artifact.parameterBytes = {4, 100, 4};
    artifact.layouts = {std::nullopt,
                        PackedLayout{{5, 4}, {"k", "j"}, {{1, 2, 2}, {0, 5, 1}, {1, 2, 1}}}};
    const KernelArtifact arrived = builtAnswer(builtFrame(artifact, 1)).artifact;
    QCOMPARE(arrived.layouts.size(), std::size_t(2));
    QVERIFY(!arrived.layouts[0]);
    QVERIFY(arrived.layouts[1] == artifact.layouts[1]);
    QCOMPARE(toString(*arrived.layouts[1]), std::string("2j5k2j"));
    artifact.layouts[1]->parts.pop_back();
    QVERIFY_EXCEPTION_THROWN(builtAnswer(builtFrame(artifact, 1)), BadFrame);
  }
  void launchesTravelWithTheArtifact() {
    KernelArtifact artifact;
    artifact.inputCount = 1;
    artifact.parameterBytes = {256, 256};
    artifact.workspaceBytes = 1024;
    artifact.architecture = "sm_90";
    artifact.compiler = "NVRTC 13.0";
    KernelLaunch launch{"nw_C", {132, 2, 1}, {256, 1, 1}, 65536, {{0, 0}, {-1, 512}, {1, 0}}, {}};
    launch.resources = {127, 16, 8, 32, 2048, 1, {2, 16, 64, OccupancyLimit::Registers}};
    artifact.launches = {launch, launch};
    const KernelArtifact arrived = builtAnswer(builtFrame(artifact, 1)).artifact;
    QVERIFY(arrived.launches == artifact.launches);
    QCOMPARE(arrived.architecture, std::string("sm_90"));
    QCOMPARE(arrived.compiler, std::string("NVRTC 13.0"));
    // What no artifact can have is refused.
    artifact.launches[1].arguments[0].parameter = 2;
    QVERIFY_EXCEPTION_THROWN(builtAnswer(builtFrame(artifact, 1)), BadFrame);
    artifact.launches[1] = launch;
    artifact.launches[1].arguments[1].workspaceOffset = 4096;
    QVERIFY_EXCEPTION_THROWN(builtAnswer(builtFrame(artifact, 1)), BadFrame);
    artifact.launches[1] = launch;
    artifact.launches[1].block[0] = 0;
    QVERIFY_EXCEPTION_THROWN(builtAnswer(builtFrame(artifact, 1)), BadFrame);
  }
  void unknownVerdict() { QVERIFY_EXCEPTION_THROWN(verdictFromName("slow"), InputError); }

  void medianAndSpread() {
    MeasureResult result;
    QVERIFY(std::isinf(result.latency()));
    result.seconds = {3, 1, 2};
    QCOMPARE(result.latency(), 2.0);
    QCOMPARE(result.spread(), 1.0);
    result.seconds = {4, 1, 2, 3};
    QCOMPARE(result.latency(), 2.5);
    // An unmeasured program is never "slow": it has no time at all (C21).
    result.verdict = Verdict::RunTimeout;
    QVERIFY(std::isinf(result.latency()));
    QCOMPARE(result.spread(), 0.0);
  }

  void sentences_data() {
    QTest::addColumn<int>("verdict");
    QTest::addColumn<int>("step");
    QTest::addColumn<QString>("error");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("ok") << int(Verdict::Ok) << -1 << ""
                        << "ok";
    QTest::newRow("illegal") << int(Verdict::Illegal) << 4 << "stage 9 does not exist\nmore"
                             << "illegal at step 4: stage 9 does not exist";
    QTest::newRow("crash") << int(Verdict::RunError) << -1
                           << "the kernel crashed: segmentation fault (signal 11)"
                           << "run error: the kernel crashed: segmentation fault (signal 11)";
  }
  void sentences() {
    QFETCH(int, verdict);
    QFETCH(int, step);
    QFETCH(QString, error);
    QFETCH(QString, sentence);
    MeasureResult result;
    result.verdict = static_cast<Verdict>(verdict);
    result.failingStep = step;
    result.error = error.toStdString();
    QCOMPARE(QString::fromStdString(oneSentence(result)), sentence);
  }

  /// C30: a made-up /sys and /proc; what is not there, or cannot be, is absent.
  void machineStates() {
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    const auto write = [&](const std::string& file, const std::string& text) {
      std::filesystem::create_directories((root / file).parent_path());
      std::ofstream(root / file) << text;
    };
    QCOMPARE(readMachineState(3, root), MachineState{});
    write("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 1500.5\n\nprocessor\t: 3\ncpu MHz\t\t: "
                          "2449.998\n");
    QCOMPARE(*readMachineState(3, root).clockHertz, 2449.998e6);
    QVERIFY(!readMachineState(7, root).clockHertz);
    write("sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "3187500\n");
    QCOMPARE(*readMachineState(3, root).clockHertz, 3187.5e6);
    write("sys/class/thermal/thermal_zone0/type", "acpitz\n");
    write("sys/class/thermal/thermal_zone0/temp", "20000\n");
    QVERIFY(!readMachineState(3, root).celsius);
    write("sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n");
    write("sys/class/thermal/thermal_zone1/temp", "61500\n");
    QCOMPARE(*readMachineState(3, root).celsius, 61.5);
    write("sys/class/hwmon/hwmon2/name", "k10temp\n");
    write("sys/class/hwmon/hwmon2/temp1_input", "58250\n");
    QCOMPARE(*readMachineState(3, root).celsius, 58.25);
    write("sys/class/hwmon/hwmon2/temp1_input", "9999999\n");
    QVERIFY(!readMachineState(3, root).celsius);
    write("sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "<unknown>\n");
    QCOMPARE(*readMachineState(3, root).clockHertz, 2449.998e6);
    QCOMPARE(inWords(MachineState{3.187e9, 61.4}), std::string("3.19 GHz, 61 °C"));
    QCOMPARE(inWords(MachineState{}), std::string());
    QCOMPARE(inWords(MachineState{1.98e9, 54.0, 310.0, "power cap", 1e-4, 0.052}),
             std::string("1.98 GHz, 54 °C, 310 W, slowed by power cap; 5 % slower than at the "
                         "start"));
    MachineState shifted;
    shifted.anchorShift = -0.02;
    QVERIFY(!shifted.hasShifted());
    shifted.anchorShift = -0.04;
    QCOMPARE(inWords(shifted), std::string("4 % faster than at the start"));
  }

  void optionsThroughJson() {
    MeasureOptions options;
    options.threads = 3;
    options.flushCache = true;
    options.buildTimeoutSeconds = 1.5;
    const nlohmann::json json = toJson(options);
    QCOMPARE(toJson(measureOptionsFromJson(json)).dump(), json.dump());
    QCOMPARE(measureOptionsFromJson(nlohmann::json::object()).repeats, MeasureOptions{}.repeats);
    QVERIFY_EXCEPTION_THROWN(measureOptionsFromJson({{"repeats", "many"}}), InputError);
  }

  void launchFromALine_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("empty") << "" << QStringList{};
    QTest::newRow("blanks") << " \t " << QStringList{};
    QTest::newRow("words") << "ssh  host nestwright worker "
                           << QStringList{"ssh", "host", "nestwright", "worker"};
    QTest::newRow("quotes") << "'my folder/nestwright' \"worker\""
                            << QStringList{"my folder/nestwright", "worker"};
    QTest::newRow("within a word") << "a'b c'd" << QStringList{"ab cd"};
    QTest::newRow("empty word") << "a ''" << QStringList{"a", ""};
    QTest::newRow("backslash") << "a\\ b \"\\\"\" '\\'" << QStringList{"a b", "\"", "\\"};
    QTest::newRow("nothing is expanded") << "$HOME `id` *" << QStringList{"$HOME", "`id`", "*"};
  }
  void launchFromALine() {
    QFETCH(QString, line);
    QFETCH(QStringList, words);
    QStringList got;
    for (const std::string& word : workerLaunchFromText(line.toStdString()).command)
      got.append(QString::fromStdString(word));
    QCOMPARE(got, words);
  }
  void anOpenQuoteIsRefused() {
    QVERIFY_EXCEPTION_THROWN(workerLaunchFromText("ssh 'host"), UsageError);
    QVERIFY_EXCEPTION_THROWN(workerLaunchFromText("ssh \"host"), UsageError);
  }

  void framesByteByByte() {
    const Frame first{{{"type", "hello"}, {"text", "ü\n"}}, {}};
    const Frame second{{{"type", "built"}}, {0, 255, 78, 87, 70}};
    const std::string bytes = encode(first) + encode(second);
    FrameReader reader(kRequestLimits);
    std::vector<Frame> received;
    for (const char byte : bytes) {
      reader.append({&byte, 1});
      while (std::optional<Frame> frame = reader.next())
        received.push_back(*frame);
    }
    QCOMPARE(received.size(), std::size_t{2});
    QCOMPARE(received[0].header.dump(), first.header.dump());
    QCOMPARE(received[1].header.dump(), second.header.dump());
    QCOMPARE(received[1].payload, second.payload);
  }
  void noFrames_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("banner") << QByteArray("Welcome to host");
    QTest::newRow("one letter") << QByteArray("X");
    QTest::newRow("absurd length") << QByteArray("NWF1\xff\xff\xff\xff\0\0\0\0\0\0\0\0", 16);
    QTest::newRow("no JSON") << QByteArray("NWF1\1\0\0\0\0\0\0\0\0\0\0\0{", 17);
    QTest::newRow("no object") << QByteArray("NWF1\1\0\0\0\0\0\0\0\0\0\0\0"
                                             "1",
                                             17);
  }
  void noFrames() {
    QFETCH(QByteArray, bytes);
    FrameReader reader(kRequestLimits);
    reader.append({bytes.data(), static_cast<std::size_t>(bytes.size())});
    QVERIFY_EXCEPTION_THROWN(reader.next(), BadFrame);
  }
  /// An exception without a text is a failure like others, and no lie of the worker's.
  void failuresWithoutAReasonAreFailures() {
    const WorkFailure failure = failureIn(failedFrame(Verdict::RunError, "", -1, 0));
    QCOMPARE(failure.verdict, Verdict::RunError);
    QCOMPARE(failure.error, std::string("no reason was given"));
  }
  /// A worker that did not understand the request knows no number, and what was wrong with it.
  void failuresWithoutANumberSayWhy() {
    try {
      requireAnswerTo(3, failedFrame(Verdict::WorkerLost, "request 1 comes after 2", -1, 0));
      QFAIL("this answers nothing");
    } catch (const BadFrame& e) {
      QVERIFY2(QByteArray(e.what()).contains("request 1 comes after 2"), e.what());
    }
  }
  void foreignBytesInHeader() {
    const Frame frame{{{"error", "bad \xff byte"}}, {}};
    FrameReader reader(kRequestLimits);
    reader.append(encode(frame));
    QCOMPARE(reader.next()->header["error"].get<std::string>(), std::string("bad \uFFFD byte"));
  }

  void longTextsAreBounded() {
    QCOMPARE(boundedText("short"), std::string("short"));
    std::string text;
    while (text.size() < 3 * kMaxErrorBytes)
      text += "ü";
    const std::string bounded = boundedText(text);
    QVERIFY(bounded.size() <= kMaxErrorBytes);
    QVERIFY(bounded.size() > kMaxErrorBytes - 32);
    QVERIFY(QString::fromStdString(bounded).endsWith("\n[cut off here]"));
    QVERIFY(!QString::fromStdString(bounded).contains(QChar::ReplacementCharacter));
  }

  void comparison() {
    QCOMPARE(compareFloats({1, 2}, {1, 2}).elements, std::int64_t{0});
    QCOMPARE(compareFloats({1.0005f, 2}, {1, 2}).elements, std::int64_t{0});
    const Difference one = compareFloats({1, 2.01f, 3}, {1, 2, 3});
    QCOMPARE(one.elements, std::int64_t{1});
    QCOMPARE(one.worst, std::int64_t{1});
    QVERIFY(one.maxRelativeError > 1e-3);
    QCOMPARE(compareFloats({kNan}, {kNan}).elements, std::int64_t{0});
    QCOMPARE(compareFloats({kNan}, {1}).elements, std::int64_t{1});
    QVERIFY(std::isinf(compareFloats({kNan}, {1}).maxRelativeError));
    QCOMPARE(compareFloats({1}, {kNan}).elements, std::int64_t{1});
    QCOMPARE(compareFloats({INFINITY}, {INFINITY}).elements, std::int64_t{0});
    QCOMPARE(compareFloats({1}, {INFINITY}).elements, std::int64_t{1});
    // The absolute tolerance grows with the tensor's size: 0.005 is rounding beside 100.
    QCOMPARE(compareFloats({0.005f, 100}, {0, 100}).elements, std::int64_t{0});
    QCOMPARE(compareFloats({0.005f, 1}, {0, 1}).elements, std::int64_t{1});
  }
  /// Elements that are not finite say nothing of a tensor's size, and nothing finite is near them.
  void infinitiesAllowNothing() {
    const double expected[] = {1, kInfinity};
    const AnswerComparison comparison(2, [&](std::size_t i) { return expected[i]; }, {1e-3, 1e-4});
    QVERIFY(comparison.allows(1.001, 1) && !comparison.allows(1.01, 1));
    QVERIFY(comparison.allows(kInfinity, kInfinity) && !comparison.allows(1, kInfinity));
    QVERIFY(!comparison.allows(kInfinity, 1) && !comparison.allows(-kInfinity, kInfinity));
    // So it is where elements are compared with the definition.
    const ComputeDag dag = parseDag("A = PLACEHOLDER [2]\nB = PLACEHOLDER [2]\n"
                                    "C(i) = (A[i]/B[i])\n");
    const std::vector<std::vector<std::uint8_t>> inputs{bytesOf({1, 1}), bytesOf({0, 1})};
    QCOMPARE(sampleError(dag, inputs, {bytesOf({INFINITY, 1})}, {}), std::string());
    QVERIFY(!sampleError(dag, inputs, {bytesOf({3, 1})}, {}).empty());
    QVERIFY(!sampleError(dag, inputs, {bytesOf({INFINITY, 1.1f})}, {}).empty());
  }
  void differenceInWords() {
    const Difference difference = compareFloats({1, 2, 3, 4, 5.5f, 6}, {1, 2, 3, 4, 5, 6});
    const QString words = QString::fromStdString(inWords(difference, "C", {2, 3}, {1e-3, 1e-4}));
    QVERIFY2(
        words.startsWith("output C differs from the naive program at [1, 1]: 5.5 instead of 5 "),
        qPrintable(words));
    QVERIFY2(words.endsWith("1 of 6 elements differ"), qPrintable(words));
  }

  /// One rounding of the last digit is none of the program's faults.
  void halvesAreAskedForTheirDigitsOnly() {
    const Tolerance wanted{1e-3, 1e-4};
    QCOMPARE(toleranceFor(kFloat32, wanted).relative, 1e-3);
    QCOMPARE(toleranceFor(kInt8, wanted).absolute, 1e-4);
    QCOMPARE(toleranceFor(kFloat16, wanted).relative, 1e-3);
    QCOMPARE(toleranceFor(kFloat16, wanted).absolute, 0x1p-10);
    QCOMPARE(toleranceFor(kBFloat16, wanted).relative, 0x1p-7);
    QCOMPARE(toleranceFor(kBFloat16, {0.1, 0.2}).absolute, 0.2);
    for (const DataType type : {kFloat16, kBFloat16})
      for (std::uint16_t bits = 0x3c00; bits < 0x3f80; ++bits) {
        const auto bytes = [](std::uint16_t element) {
          return std::vector<std::uint8_t>{static_cast<std::uint8_t>(element & 255),
                                           static_cast<std::uint8_t>(element >> 8)};
        };
        const auto far = static_cast<std::uint16_t>(bits + 6);
        const auto next = static_cast<std::uint16_t>(bits + 1);
        const Tolerance allowed = toleranceFor(type, wanted);
        QCOMPARE(compareElements(bytes(next), bytes(bits), type, allowed).elements, 0);
        if (type == kFloat16) // beside 1, the scale of what is compared
          QCOMPARE(compareElements(bytes(far), bytes(bits), type, allowed).elements, 1);
      }
  }

  void randomInputs_data() {
    QTest::addColumn<QString>("type");
    for (const char* type :
         {"float32", "float64", "float16", "bfloat16", "int32", "int64", "int8", "uint8", "bool"})
      QTest::newRow(type) << QString(type);
  }
  void randomInputs() {
    QFETCH(QString, type);
    const DataType dtype = parseDataType(type.toStdString());
    std::vector<std::uint8_t> first(64 * 8), again(64 * 8), other(64 * 8);
    fillRandom(first, dtype, 1, 0);
    fillRandom(again, dtype, 1, 0);
    fillRandom(other, dtype, 1, 1);
    QCOMPARE(first, again);
    QVERIFY(first != other);
    // Against zero with an absolute tolerance of 9, everything in range agrees.
    const std::vector<std::uint8_t> zero(first.size());
    QCOMPARE(compareElements(first, zero, dtype, {1e-3, dtype.isFloat() ? 1.001 : 8.0}).elements,
             std::int64_t{0});
    QVERIFY(compareElements(first, zero, dtype, {1e-3, 0.01}).elements > 16);
  }
};

NW_TEST_APPLESS(MeasureValuesTest)

} // namespace nestwright::measure_values_test

#include "measure_values.moc"
