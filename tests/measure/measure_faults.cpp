/// Real worker processes whose compiler and kernels crash, hang, lie and eat memory: every
/// candidate ends in exactly one verdict with a reason, and nobody else's result suffers (C1-C4,
/// C16-C21).
#include "core/support/error.h"
#include "tests/measure/faulty_workers.h"
#include "tests/sanitizers/sanitized.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace nestwright::measure_faults_test {

using namespace nestwright::test;

struct Fault {
  const char* name;
  Verdict verdict;
  const char* text; // in the error
};

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all = {
      {"compile_throw", Verdict::CompileError, "first line of the text\nsecond line"},
      {"compile_throw_long", Verdict::CompileError, "[cut off here]"},
      {"compile_throw_bytes", Verdict::CompileError, "bad \uFFFD bytes"},
      {"compile_segfault", Verdict::CompileError, "crashed: segmentation fault (signal 11)"},
      {"compile_abort", Verdict::CompileError,
       "crashed: aborted (signal 6)\nIt printed:\nlast words"},
      {"compile_kill", Verdict::WorkerLost,
       "killed from outside while building: killed (signal 9)"},
      {"compile_exit", Verdict::WorkerLost, "ended while building: exit code 3"},
      {"compile_eat", Verdict::WorkerLost,
       "out of memory: the compiler needed more than the 256 MiB"},
      {"compile_sleep", Verdict::BuildTimeout, "the compiler did not end within 1.5 s"},
      {"compile_spin", Verdict::BuildTimeout, "the compiler did not end within 1.5 s"},
      {"compile_print", Verdict::Ok, ""},
      {"compile_read", Verdict::Ok, ""},
      {"load_throw", Verdict::LoadError, "first line of the text"},
      {"load_segfault", Verdict::LoadError, "segmentation fault (signal 11)"},
      {"load_misfit", Verdict::LoadError, "parameters of [68, 64] bytes"},
      {"run_throw", Verdict::RunError, "first line of the text"},
      {"run_throw_int", Verdict::RunError, "no exception"},
      {"run_segfault", Verdict::RunError, "the kernel crashed: segmentation fault (signal 11)"},
      {"run_abort", Verdict::RunError, "crashed: aborted (signal 6)\nIt printed:\nlast words"},
      {"run_fpe", Verdict::RunError, "floating point exception (signal 8)"},
      {"run_ill", Verdict::RunError, "illegal instruction (signal 4)"},
      {"run_overrun", Verdict::RunError, "segmentation fault (signal 11)"},
      {"run_write_input", Verdict::RunError, "segmentation fault (signal 11)"},
      {"run_kill", Verdict::WorkerLost, "killed from outside while running the kernel"},
      {"run_exit", Verdict::WorkerLost, "ended while running the kernel: exit code 3"},
      {"run_eat", Verdict::WorkerLost, "out of memory: the kernel needed more than the 256 MiB"},
      {"run_sleep", Verdict::RunTimeout, "the kernel did not end within 1.5 s"},
      {"run_spin", Verdict::RunTimeout, "the kernel did not end within 1.5 s"},
      {"run_print", Verdict::Ok, ""},
      {"run_read", Verdict::Ok, ""},
      {"run_workspace", Verdict::Ok, ""},
      {"run_wrong", Verdict::WrongAnswer, "differs from the naive program at [1]"},
      {"run_nan", Verdict::WrongAnswer, "differs from the naive program at [2]"},
      {"run_nothing", Verdict::WrongAnswer, "16 of 16 elements differ"},
  };
  // A sanitizer's allocator ends the process itself when there is no memory.
  static const std::vector<Fault> sanitized = [] {
    std::vector<Fault> some = all;
    std::erase_if(some, [](const Fault& f) { return std::string_view(f.name).ends_with("_eat"); });
    return some;
  }();
  return kSanitized ? sanitized : all;
}

/// The short time-outs are for the faults that are ended by them alone.
MeasureOptions optionsFor(const Fault& fault) {
  MeasureOptions options = quickOptions();
  if (fault.verdict == Verdict::BuildTimeout) options.buildTimeoutSeconds = kShort;
  if (fault.verdict == Verdict::RunTimeout) options.runTimeoutSeconds = kShort;
  return options;
}

/// Empty, or what is wrong with the result.
QString complaint(const MeasureResult& result, const Fault& fault) {
  const QString got =
      QString("%1: %2").arg(name(result.verdict), QString::fromStdString(result.error).left(2000));
  if (result.verdict != fault.verdict) return "verdict is " + got;
  if (!QString::fromStdString(result.error).contains(fault.text)) return "text is " + got;
  if (result.error.size() > (64 << 10)) return "the error text is too long";
  const bool ok = result.verdict == Verdict::Ok;
  if (result.error.empty() != ok) return "a reason belongs to a failure, and only there: " + got;
  if (result.checked != ok) return "checked is wrong: " + got;
  if (ok && result.seconds.size() != 3) return "not every repeat is kept";
  if (std::isinf(result.latency()) == ok) return "median is wrong";
  return {};
}

class MeasureFaultsTest : public FaultyWorkers {
  Q_OBJECT

  /// The process id that a sleeping or spinning kernel left, once it has.
  int waitForSleeper() const {
    for (;;) {
      const std::vector<std::string> lines = linesOf(file("asleep"));
      if (!lines.empty() && !lines.front().empty()) return std::stoi(lines.front());
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

 private Q_SLOTS:
  void everyFault_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < faults().size(); ++i)
      QTest::newRow(faults()[i].name) << static_cast<int>(i);
  }
  void everyFault() {
    QFETCH(int, index);
    const Fault& fault = faults()[index];
    Measurer measurer(optionsFor(fault), faultyWorker());
    const Clock::time_point start = Clock::now();
    const std::vector<MeasureResult> results =
        measureAll(measurer, {request("fine", 0), request(fault.name, 1), request("fine", 2)});
    const double seconds = secondsSince(start);
    QCOMPARE(results.size(), std::size_t{3});
    const QString wrong = complaint(results[1], fault);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    for (int neighbour : {0, 2}) {
      const QString harm = complaint(results[neighbour], {"fine", Verdict::Ok, ""});
      QVERIFY2(harm.isEmpty(), qPrintable(harm));
    }
    if (fault.verdict == Verdict::BuildTimeout || fault.verdict == Verdict::RunTimeout)
      QVERIFY(seconds >= kShort); // no earlier than the user said
    const QString after = complaint(measureOne(measurer, request("fine")), {"", Verdict::Ok, ""});
    QVERIFY2(after.isEmpty(), qPrintable(after));
  }

  /// Whoever works beside the building has ended before anything is timed.
  void whatGoesOnBesideEndsBeforeTiming() {
    Measurer measurer(quickOptions(), faultyWorker());
    int calls = 0;
    bool built = false, timed = false;
    BesideMeasuring beside;
    beside.beforeTiming = [&] {
      ++calls;
      built = QFile::exists(file("compiled"));
      timed = QFile::exists(file("ran"));
    };
    std::vector<Verdict> verdicts;
    measurer.measure(
        {request("run_note", 0), request("compile_fine", 1)},
        [&](const MeasureResult& result) { verdicts.push_back(result.verdict); }, nullptr, beside);
    QCOMPARE(verdicts, (std::vector{Verdict::Ok, Verdict::Ok}));
    QCOMPARE(calls, 1);
    QVERIFY(built && !timed);
    QVERIFY(QFile::exists(file("ran")));
  }

  /// Faults of all kinds in one batch, in random order, between good candidates.
  void mixedFaults() {
    const unsigned seed = 20261120;
    qInfo("seed %u", seed);
    std::vector<Fault> mix;
    for (const Fault& fault : faults()) {
      mix.push_back(fault);
      mix.push_back({"fine", Verdict::Ok, ""});
    }
    std::shuffle(mix.begin(), mix.end(), std::mt19937(seed));
    MeasureOptions options = quickOptions();
    options.buildTimeoutSeconds = options.runTimeoutSeconds = kShort;
    std::vector<MeasureRequest> requests;
    for (std::size_t i = 0; i < mix.size(); ++i)
      requests.push_back(request(mix[i].name, i));
    Measurer measurer(options, faultyWorker());
    const std::vector<MeasureResult> results = measureAll(measurer, requests);
    QCOMPARE(results.size(), requests.size());
    for (std::size_t i = 0; i < mix.size(); ++i) {
      QCOMPARE(results[i].id, static_cast<std::uint64_t>(i));
      const QString wrong = complaint(results[i], mix[i]);
      QVERIFY2(wrong.isEmpty(), qPrintable(QString("%1: %2").arg(mix[i].name, wrong)));
    }
  }

  void illegalStepIsNamed() {
    MeasureRequest illegal = request("fine");
    illegal.steps = {SplitStep{1, 0, 16, {4}, true}, SplitStep{9, 0, 16, {4}, true}};
    Measurer measurer(quickOptions(), faultyWorker());
    const MeasureResult result = measureOne(measurer, illegal);
    QCOMPARE(result.verdict, Verdict::Illegal);
    QCOMPARE(result.failingStep, 1);
    QVERIFY(!result.error.empty());
    // The steps before it are legal (C3).
    illegal.steps.pop_back();
    QCOMPARE(measureOne(measurer, illegal).verdict, Verdict::Ok);
  }
  void sketchIsIllegal() {
    MeasureRequest sketch = request("fine");
    sketch.steps = {SplitStep{1, 0, 16, {std::nullopt}, true}};
    Measurer measurer(quickOptions(), faultyWorker());
    const MeasureResult result = measureOne(measurer, sketch);
    QCOMPARE(result.verdict, Verdict::Illegal);
    QVERIFY(result.error.find("undecided") != std::string::npos);
  }
  void brokenDagText() {
    MeasureRequest broken = request("fine");
    broken.dag = "A = PLACEHOLDER [";
    Measurer measurer(quickOptions(), faultyWorker());
    const MeasureResult result = measureOne(measurer, broken);
    QCOMPARE(result.verdict, Verdict::CompileError);
    QVERIFY(!result.error.empty());
  }

  void killedFromOutside() {
    Measurer measurer(quickOptions(), faultyWorker());
    std::thread killer([this] { ::kill(waitForSleeper(), SIGKILL); });
    const std::vector<MeasureResult> results =
        measureAll(measurer, {request("run_sleep", 0), request("fine", 1)});
    killer.join();
    QCOMPARE(results[0].verdict, Verdict::WorkerLost);
    QVERIFY(results[0].error.find("killed (signal 9)") != std::string::npos);
    QCOMPARE(results[1].verdict, Verdict::Ok);
  }
  /// A worker that dies in its idle time takes no candidate with it.
  void killedWhileIdle() {
    Measurer measurer(quickOptions(), faultyWorker());
    QCOMPARE(measureOne(measurer, request("fine")).verdict, Verdict::Ok);
    const std::vector<int> pids = measurer.workerPids();
    QVERIFY(!pids.empty());
    for (int pid : pids)
      ::kill(pid, SIGKILL);
    for (int pid : pids)
      QTRY_VERIFY(!isAlive(pid));
    const std::vector<MeasureResult> results =
        measureAll(measurer, {request("fine", 0), request("fine", 1), request("fine", 2)});
    QCOMPARE(results.size(), std::size_t{3});
    for (const MeasureResult& result : results)
      QCOMPARE(result.verdict, Verdict::Ok);
  }
  /// Workers end with their master, even one that is killed, and in mid-kernel.
  void workerEndsWithItsMaster() {
    QProcess master;
    master.start(FAULTY_WORKER, {"master"});
    QVERIFY(master.waitForStarted());
    const int worker = waitForSleeper();
    QVERIFY(isAlive(worker));
    master.kill();
    QVERIFY(master.waitForFinished());
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(worker), 30000);
  }
  void noWorkerOutlivesTheMeasurer() {
    std::vector<int> pids;
    {
      Measurer measurer(quickOptions(), faultyWorker());
      QCOMPARE(measureOne(measurer, request("fine")).verdict, Verdict::Ok);
      pids = measurer.workerPids();
    }
    for (int pid : pids)
      QVERIFY(!isAlive(pid));
  }

  void stopped_data() {
    QTest::addColumn<QString>("fault");
    QTest::newRow("in a build") << "compile_sleep";
    QTest::newRow("in a run") << "run_spin";
    QTest::newRow("in the naive program") << "naive_sleep";
  }
  void stopped() {
    QFETCH(QString, fault);
    Measurer measurer(quickOptions(), faultyWorker());
    std::atomic<bool> stop = false;
    Clock::time_point stopTime;
    std::thread stopper([&] {
      waitForSleeper();
      stopTime = Clock::now();
      stop = true;
    });
    std::vector<MeasureRequest> requests;
    for (std::uint64_t id = 0; id < 300; ++id)
      requests.push_back(request(id == 0 ? fault.toStdString() : "fine", id));
    const std::vector<MeasureResult> results = measureAll(measurer, requests, &stop);
    stopper.join();
    const double reaction = secondsSince(stopTime);
    qInfo("reaction to stop: %.1f ms", reaction * 1e3);
    QVERIFY(reaction < kLong / 10); // the promise is a second; time must not decide a test
    QCOMPARE(results.size(), requests.size());
    QCOMPARE(results[0].verdict, Verdict::Cancelled);
    QCOMPARE(results[299].verdict, Verdict::Cancelled);
    for (const MeasureResult& result : results)
      QVERIFY(result.verdict == Verdict::Cancelled || result.verdict == Verdict::Ok);
    QCOMPARE(measureOne(measurer, request("fine")).verdict, Verdict::Ok);
  }

  void workersAreReplaced() {
    MeasureOptions options = quickOptions();
    options.jobsPerWorker = 10;
    Measurer measurer(options, faultyWorker());
    std::set<int> pids;
    for (std::uint64_t id = 0; id < 40; ++id) {
      QCOMPARE(measureOne(measurer, request("fine", id)).verdict, Verdict::Ok);
      for (int pid : measurer.workerPids())
        pids.insert(pid);
    }
    QVERIFY2(pids.size() >= 6, qPrintable(QString::number(pids.size())));
  }
  /// Tasks of 8 MiB, over and over in one worker: it holds a few of them, not all.
  void memoryStaysBounded() {
    if (kSanitized) QSKIP("a sanitizer keeps what was freed");
    MeasureOptions options = quickOptions();
    options.jobsPerWorker = 100000;
    Measurer measurer(options, faultyWorker());
    std::int64_t largest = 0;
    for (std::int64_t i = 0; i < 150; ++i) {
      MeasureRequest big = request("fine", i);
      big.dag = doublingTask("fine", (1 << 20) + i);
      QCOMPARE(measureOne(measurer, big).verdict, Verdict::Ok);
      for (int pid : measurer.workerPids())
        largest = std::max(largest, residentBytesOf(pid));
    }
    qInfo("largest worker: %.0f MiB", largest / 1048576.0);
    QVERIFY(largest > 0 && largest < 400 << 20);
  }

  /// What the process and its workers hold after 10,000 candidates is what they held after 1,000
  /// (C18), within a tenth.
  void memoryAfterManyJobs() {
    if (kSanitized) QSKIP("a sanitizer keeps what was freed");
    MeasureOptions options = quickOptions();
    options.minRepeatSeconds = 1e-6;
    options.jobsPerWorker = 1000000;
    Measurer measurer(options, faultyWorker());
    const auto resident = [&] {
      std::int64_t sum = residentBytesOf(QCoreApplication::applicationPid());
      for (int pid : measurer.workerPids())
        sum += residentBytesOf(pid);
      return sum;
    };
    std::int64_t early = 0;
    const std::vector<MeasureRequest> requests(1000, request("fine"));
    for (int thousand = 0; thousand < 10; ++thousand) {
      std::size_t ok = 0;
      measurer.measure(requests,
                       [&](const MeasureResult& result) { ok += result.verdict == Verdict::Ok; });
      QCOMPARE(ok, requests.size());
      if (thousand == 0) early = resident();
    }
    qInfo("%.1f MiB after 1,000 candidates, %.1f MiB after 10,000", early / 1048576.0,
          resident() / 1048576.0);
    QVERIFY(early > 0 && resident() < early * 11 / 10);
  }

  /// As through ssh or srun: what we start is not what works.
  void throughAShell_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<int>("verdict");
    QTest::newRow("fine") << "fine" << int(Verdict::Ok);
    QTest::newRow("crash") << "run_segfault" << int(Verdict::RunError);
    QTest::newRow("exit") << "run_exit" << int(Verdict::WorkerLost);
    QTest::newRow("hang") << "run_spin" << int(Verdict::RunTimeout);
  }
  void throughAShell() {
    QFETCH(QString, fault);
    QFETCH(int, verdict);
    MeasureOptions options = quickOptions();
    options.runTimeoutSeconds = kShort;
    Measurer measurer(options, {{"/bin/sh", "-c", FAULTY_WORKER "; exit $?"}});
    const std::vector<MeasureResult> results =
        measureAll(measurer, {request(fault.toStdString(), 0), request("fine", 1)});
    QVERIFY2(results[0].verdict == static_cast<Verdict>(verdict), results[0].error.c_str());
    QCOMPARE(results[1].verdict, Verdict::Ok);
    if (fault == "run_spin") QTRY_VERIFY_WITH_TIMEOUT(!isAlive(waitForSleeper()), 30000);
  }
  /// Foreign bytes on its input end a worker with a reason, not with a crash.
  void garbageToTheWorker() {
    QProcess worker;
    worker.start(FAULTY_WORKER, {});
    QVERIFY(worker.waitForStarted());
    worker.write("hello?\n");
    worker.closeWriteChannel();
    QVERIFY(worker.waitForFinished());
    QCOMPARE(worker.exitStatus(), QProcess::NormalExit);
    QCOMPARE(worker.exitCode(), 1);
    QVERIFY(worker.readAllStandardOutput().contains("expected a frame of the worker protocol"));
  }

  void workerThatCannotWork_data() {
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QString>("text");
    QTest::newRow("missing") << QStringList{"/nonexistent/worker"} << "cannot start the worker";
    QTest::newRow("ends") << QStringList{"/bin/sh", "-c", "echo no license >&2; exit 7"}
                          << "it ended with exit code 7\nno license";
    QTest::newRow("banner") << QStringList{"/bin/echo", "Welcome"} << "Welcome";
  }
  void workerThatCannotWork() {
    QFETCH(QStringList, command);
    QFETCH(QString, text);
    WorkerLaunch launch;
    for (const QString& word : command)
      launch.command.push_back(word.toStdString());
    Measurer measurer(quickOptions(), launch);
    try {
      measureOne(measurer, request("fine"));
      QFAIL("a worker that cannot work must be told");
    } catch (const SystemError& e) {
      QVERIFY2(QString(e.what()).contains(text), e.what());
    }
  }
  void badOptionsAreRefused() {
    MeasureOptions options = quickOptions();
    options.repeats = 0;
    QVERIFY_EXCEPTION_THROWN(Measurer(options, faultyWorker()), InputError);
  }
  /// A stored session may ask for any number of them.
  void noMoreBuildersThanJobs() {
    MeasureOptions options = quickOptions();
    options.builders = std::numeric_limits<int>::max();
    Measurer measurer(options, faultyWorker());
    const std::vector<MeasureResult> results = measureAll(measurer, {request("good")});
    QCOMPARE(results.at(0).verdict, Verdict::Ok);
    QVERIFY(measurer.workerPids().size() <= 2);
  }
};

NW_TEST_GUILESS(MeasureFaultsTest)

} // namespace nestwright::measure_faults_test

#include "measure_faults.moc"
