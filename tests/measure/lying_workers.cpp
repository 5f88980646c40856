/// Workers that answer what cannot be: each lie costs its candidate, with a reason, and its worker;
/// the neighbours and the session around them notice nothing (C1, C10, C45).
#include "core/measure/protocol.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "tests/measure/faulty_workers.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <functional>

namespace nestwright::lying_workers_test {

using namespace nestwright::test;

struct Lie {
  const char* name;
  const char* text; // in the error
};

const std::vector<Lie>& lies() {
  static const std::vector<Lie> all = {
      {"run_zero", "\"seconds\" contains 0.0, which cannot be a time"},
      {"run_negative", "contains -0.001, which cannot be a time"},
      {"run_one_negative", "contains -0.001, which cannot be a time"},
      {"run_empty", "\"seconds\" must be 1 to 3 times, not array with 0 entries"},
      {"run_missing", "\"seconds\" is missing"},
      {"run_text", "\"seconds\" must be 1 to 3 times, not \"fast\""},
      {"run_texts", "contains \"1e-3\", which cannot be a time"},
      {"run_infinite", "expected a frame"},
      {"run_nan", "expected a frame"},
      {"run_null", "contains null, which cannot be a time"},
      {"run_four", "\"seconds\" must be 1 to 3 times, not array with 4 entries"},
      {"run_millions", "at most 1048672 and 0 can be meant"},
      {"run_no_runs", "\"runs_per_repeat\" must be a whole number from 1"},
      {"run_many_runs", "\"runs_per_repeat\" must be a whole number from 1"},
      {"run_warmups", "\"warmups\" must be a whole number from 0"},
      {"run_stopped", "why it stopped is told of micro-batches, and of nothing else"},
      {"run_kernel_time", "\"kernel_seconds\" must be a number that is not negative"},
      {"run_failed_well", "it failed with the verdict \"ok\""},
      {"run_cancelled", "it failed with the verdict \"cancelled\""},
      {"run_slow", "'slow' is no verdict"},
      {"run_no_reason", "it failed without a reason"},
      {"run_list_reason", "\"error\" must be a text"},
      {"run_step", "\"failing_step\" must be a whole number from -1"},
      {"run_long_reason", "at most 1048672 and 0 can be meant"},
      {"run_resident", "\"resident_bytes\" must be a whole number from 0"},
      {"run_resident_negative", "\"resident_bytes\" must be a whole number from 0"},
      {"run_resident_missing", "\"resident_bytes\" is missing"},
      {"run_type", "\"type\" must be a text, not 7"},
      {"run_other_type", "\"ran\" was expected, it said \"built\""},
      {"run_no_type", "\"type\" is missing"},
      {"run_no_number", "\"request\" is missing"},
      {"run_number_text", "\"request\" must be a whole number from 1"},
      {"run_other_number", "it answers request"},
      {"run_twice", "it says more than one answer"},
      {"load_twice", "it says more than one answer"},
      {"run_payload", "a payload of 4294967296 bytes"},
      {"run_header", "a frame with a header of 4294967295"},
      {"run_endless", ""}, // how much of it arrives at once is chance
      {"run_banner", "expected a frame of the worker protocol, got 'Segmentation fault"},
      {"run_list", "expected a frame"},
      {"run_deep", "expected a frame"},
      {"load_ran", "\"loaded\" was expected, it said \"ran\""},
      {"build_time", "\"seconds\" must be a number that is not negative"},
      {"build_no_artifact", "\"artifact\" is missing"},
      {"build_list", "\"entry\" is missing"},
      {"build_entry", "\"entry\" must be a text"},
      {"build_workspace", "\"workspace_bytes\" must be a whole number from 0"},
      {"build_large_workspace", "\"thread_workspace_bytes\" must be a whole number from 0"},
      {"build_parameters", "\"parameter_bytes\" must be a whole number from 0"},
      {"build_inputs", "more inputs or layouts than parameters"},
      {"build_layouts", "\"shape\" is missing"},
      {"build_layout_part", "\"parts\" must be a whole number from 0 to 0, not 9"},
      {"build_code", "at most 1048576 and 67108864 can be meant"},
      {"check_agrees", "\"agrees\" must be true or false"},
      {"check_error", "\"max_relative_error\" must be a number that is not negative"},
      {"check_contradiction", "says what differs just when something does"},
      {"check_ran", "\"checked\" was expected, it said \"ran\""},
  };
  return all;
}

WorkerLaunch lyingWorker() {
  return {{LYING_WORKER}};
}

/// Empty, or what is wrong with an honest worker's result.
QString complaint(const MeasureResult& result) {
  if (result.verdict != Verdict::Ok || result.seconds.size() != 3 || !result.checked)
    return QString("%1: %2").arg(name(result.verdict), QString::fromStdString(result.error));
  return {};
}

std::int64_t peakBytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  return 0;
}

/// One of each answer, as a worker gives it.
std::vector<Frame> answers() {
  KernelArtifact artifact;
  artifact.entry = "kernel";
  artifact.inputCount = 1;
  artifact.parameterBytes = {80, 4};
  artifact.layouts = {PackedLayout{{5, 4}, {"k", "j"}, {{1, 2, 2}, {0, 5, 1}, {1, 2, 1}}}};
  artifact.code = {1, 2, 3};
  Timing timing;
  timing.seconds = {1e-3, 2e-3, 3e-3};
  CheckOutcome differs;
  differs.error = "differs";
  differs.maxRelativeError = 1.5;
  std::vector<Frame> all = {builtFrame(artifact, 0.25), loadedFrame(), ranFrame(timing),
                            checkedFrame(differs), failedFrame(Verdict::Illegal, "why", 3, 0.5)};
  for (Frame& frame : all) {
    setRequestNumber(frame, 17);
    frame.header["resident_bytes"] = 4096;
  }
  return all;
}

/// Reads it as the answer to each kind of request; false when it was refused.
bool isTaken(const Frame& frame) {
  try {
    requireAnswerTo(17, frame);
    if (isFailed(frame)) {
      const WorkFailure failure = failureIn(frame);
      return failure.verdict != Verdict::Ok && !failure.error.empty();
    }
    if (typeOf(frame) == "built") return builtAnswer(Frame(frame)).seconds >= 0;
    if (typeOf(frame) == "loaded") return true;
    if (typeOf(frame) == "ran") {
      const Timing timing = ranTiming(frame, 3);
      return !timing.seconds.empty() && std::ranges::all_of(timing.seconds, [](double s) {
        return s > 0 && std::isfinite(s);
      });
    }
    return checkedOutcome(frame).maxRelativeError >= 0;
  } catch (const BadFrame&) {
    return false;
  }
}

class LyingWorkersTest : public FaultyWorkers {
  Q_OBJECT

 private Q_SLOTS:
  void everyLie_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < lies().size(); ++i)
      QTest::newRow(lies()[i].name) << static_cast<int>(i);
  }
  void everyLie() {
    QFETCH(int, index);
    const Lie& lie = lies()[static_cast<std::size_t>(index)];
    Measurer measurer(quickOptions(), lyingWorker());
    const std::vector<MeasureResult> results =
        measureAll(measurer, {request("fine", 0), request(lie.name, 1), request("fine", 2)});
    QCOMPARE(results.size(), std::size_t{3});
    const MeasureResult& result = results[1];
    QVERIFY2(result.verdict == Verdict::WorkerLost, qPrintable(complaint(result)));
    QVERIFY(std::isinf(result.latency()) && !result.checked);
    QVERIFY2(QString::fromStdString(result.error).contains(lie.text), result.error.c_str());
    QVERIFY2(QString::fromStdString(result.error).startsWith("the worker's answer while "),
             result.error.c_str());
    for (const int neighbour : {0, 2})
      QVERIFY2(complaint(results[static_cast<std::size_t>(neighbour)]).isEmpty(),
               qPrintable(complaint(results[static_cast<std::size_t>(neighbour)])));
    // From its first lie on the worker tells nothing else: it must be gone.
    const QString after = complaint(measureOne(measurer, request("fine")));
    QVERIFY2(after.isEmpty(), qPrintable(after));
  }
  /// Gigabytes are announced and streamed; little of that is ever held.
  void noLieTakesMuchMemory() {
    const std::int64_t before = peakBytes();
    Measurer measurer(quickOptions(), lyingWorker());
    for (const char* lie :
         {"run_payload", "run_header", "run_endless", "run_long_reason", "run_millions"})
      QCOMPARE(measureOne(measurer, request(lie)).verdict, Verdict::WorkerLost);
    QVERIFY(before > 0);
    QVERIFY2(peakBytes() - before < 64 << 20, qPrintable(QString::number(peakBytes() - before)));
  }

  void firstWords_data() {
    QTest::addColumn<QString>("lie");
    QTest::addColumn<QString>("text");
    QTest::newRow("type") << "type"
                          << "\"type\" must be a text, not 5";
    QTest::newRow("greeting") << "greeting"
                              << "\"hello\" was expected, it said \"good morning\"";
    QTest::newRow("protocol") << "protocol"
                              << "\"protocol\" must be a whole number from 1";
    QTest::newRow("no protocol") << "no_protocol"
                                 << "\"protocol\" is missing";
    QTest::newRow("error") << "error"
                           << "\"error\" must be a text, not 42";
    QTest::newRow("payload") << "payload"
                             << "a frame with a header of 2 and a payload of 1 byte,";
  }
  /// Another worker is started; when none makes sense, there is a sentence that says so.
  void firstWords() {
    QFETCH(QString, lie);
    QFETCH(QString, text);
    WorkerLaunch launch{{LYING_WORKER, lie.toStdString()}};
    Measurer measurer(quickOptions(), launch);
    QVERIFY(complaint(measureOne(measurer, request("fine"))).isEmpty());
    launch.command.emplace_back("always");
    Measurer hopeless(quickOptions(), launch);
    try {
      measureOne(hopeless, request("fine"));
      QFAIL("a worker that never says hello cannot be used");
    } catch (const SystemError& e) {
      QVERIFY2(QString(e.what()).contains("its first answer makes no sense: " + text), e.what());
    }
  }

  /// Whatever bytes a broken worker or line makes of an answer, it is a value that can be, or
  /// refused.
  void mutatedAnswers() {
    constexpr std::uint64_t kSeed = 20261122;
    Random random(kSeed);
    const std::vector<Frame> all = answers();
    for (const Frame& frame : all)
      QVERIFY2(isTaken(frame), frame.header.dump().c_str());
    int taken = 0;
    for (int i = 0; i < 10000; ++i) {
      std::string bytes = encode(all[random.below(all.size())]);
      for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
        const std::size_t at = random.below(bytes.size());
        switch (random.below(4)) {
        case 0:
          bytes[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          bytes.erase(at, 1 + random.below(8));
          break;
        case 2:
          bytes.insert(at, bytes.substr(random.below(bytes.size()), 1 + random.below(8)));
          break;
        default:
          bytes[at] = "0123456789-[]{}\",:e.ntf"[random.below(23)];
        }
        if (bytes.empty()) bytes = "N";
      }
      FrameReader reader(kBuiltAnswer);
      reader.append(bytes);
      try {
        if (const std::optional<Frame> frame = reader.next()) taken += isTaken(*frame);
      } catch (const BadFrame&) {
        continue;
      }
    }
    QVERIFY(taken > 0 && taken < 10000); // digits of a time may change
  }
  /// Its own mutated requests are nothing that a worker dies of either.
  void requestsWithoutNumbersEndTheWorker() {
    BuildWork work;
    work.dag = doublingTask("fine");
    QProcess worker;
    worker.start(FAULTY_WORKER, {});
    QVERIFY(worker.waitForStarted());
    worker.write(QByteArray::fromStdString(encode(toFrame(work))));
    QVERIFY(worker.waitForFinished());
    QCOMPARE(worker.exitCode(), 1);
    QVERIFY(worker.readAllStandardOutput().contains("\\\"request\\\" is missing"));
  }
};

NW_TEST_GUILESS(LyingWorkersTest)

} // namespace nestwright::lying_workers_test

#include "lying_workers.moc"
