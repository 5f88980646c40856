/// Measuring programs of a GPU, with a worker whose GPU is made up.

#include "tests/measure/faulty_workers.h"
#include "tests/support/device_outcome.h"
#include "tests/support/made_up_gpu.h"
#include "tests/support/test_program.h"

namespace nestwright::measure_gpu_test {

using namespace nestwright::test;

class MeasureGpu : public FaultyWorkers {
  Q_OBJECT
 private Q_SLOTS:
  void goodProgramIsMeasured();
  void deviceFaultsAreVerdicts_data();
  void deviceFaultsAreVerdicts();
  void programsAreTimedWhileOthersAreBuilt();
  void laterProgramsAreBuiltWhileOthersAreTimed();
  void whatIsNotBuiltYetGoesOn();
  void whatFailsAheadIsBuiltAgain();
  void aStopEndsWhatIsBuiltAhead();
  void racesAndWrittenInputsAreWrongAnswers_data();
  void racesAndWrittenInputsAreWrongAnswers();
  void nobodyIsBlamedForAnothersInputs();
  void cachesOfTheDeviceAreFlushed();
  void tensorsTakeTurnsWhereCachesAreToBeCold();
  void missingDeviceIsSaid_data();
  void missingDeviceIsSaid();
  void aDeviceThatGoesIsNoProgramsFault();
  void aKernelThatDoesNotEndIsNamed();
  void theNaiveProgramIsCheckedToo();
  void answersAreCheckedWithoutACompilerForTheProcessor();
  void anAnchorTellsThatTheDeviceHasChanged();
  void programsThatWouldRunForMinutesAreRefused();
};

void MeasureGpu::goodProgramIsMeasured() {
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  const MeasureResult result = measureOne(measurer, request("fine"));
  QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
  QVERIFY(result.checked);
  QCOMPARE(result.kernels.size(), std::size_t{1}); // as its compiler said
  QVERIFY(!result.kernels.front().entry.empty());
  QCOMPARE(result.machine.clockHertz, std::optional(1.5e9)); // of the device
  QCOMPARE(result.machine.celsius, std::optional(60.0));
  QCOMPARE(result.machine.watts, std::optional(310.0));
  QCOMPARE(result.machine.slowedBy, std::string("power cap, sync boost"));
  MeasureRequest naive = request("fine");
  naive.naive = true;
  QCOMPARE(measureOne(measurer, naive).verdict, Verdict::Ok);
}

void MeasureGpu::deviceFaultsAreVerdicts_data() {
  QTest::addColumn<int>("verdict");
  const auto add = [](const char* fault, Verdict verdict) { QTest::newRow(fault) << int(verdict); };
  add("compile_spills", Verdict::Illegal);
  add("load_image", Verdict::LoadError);
  add("load_memory", Verdict::LoadError);
  add("load_resources", Verdict::Illegal);
  add("run_resources", Verdict::Illegal);
  add("run_memory", Verdict::RunError);
  add("run_bounds", Verdict::RunError);
  add("run_address", Verdict::RunError);
  add("run_time", Verdict::RunTimeout);
  add("run_invalid", Verdict::RunError);
  add("run_other", Verdict::RunError);
  add("run_segfault", Verdict::RunError);
}

/// One record each, and the candidates around it are as they should be (C19).
void MeasureGpu::deviceFaultsAreVerdicts() {
  QFETCH(int, verdict);
  const std::string fault = QTest::currentDataTag();
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  const std::vector<MeasureResult> results =
      measureAll(measurer, {request("fine", 0), request(fault, 1), request("fine", 2)});
  QCOMPARE(results.size(), std::size_t(3));
  QCOMPARE(results[1].verdict, Verdict(verdict));
  QVERIFY(!results[1].error.empty());
  for (const std::size_t neighbour : {0, 2})
    QVERIFY2(results[neighbour].verdict == Verdict::Ok, results[neighbour].error.c_str());
}

/// The second of two that are built is built only when the first has run.
void MeasureGpu::programsAreTimedWhileOthersAreBuilt() {
  MeasureOptions options = quickOptions();
  Measurer measurer(options, faultyWorker(), madeUpGpuTarget());
  const std::vector<MeasureResult> results =
      measureAll(measurer, {request("run_note", 0), request("compile_after_a_run", 1)});
  for (const MeasureResult& result : results)
    QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
  QCOMPARE(measurer.buildPhaseSeconds(), 0.0);
}

namespace {

/// That these are measured later.
BesideMeasuring later(std::vector<MeasureRequest> requests) {
  BesideMeasuring beside;
  beside.nextBuilds = [requests = std::move(requests)]() mutable {
    return std::exchange(requests, {});
  };
  return beside;
}

std::vector<Verdict> verdictsBeside(Measurer& measurer, const std::vector<MeasureRequest>& requests,
                                    const BesideMeasuring& beside,
                                    const std::atomic<bool>* stop = nullptr) {
  std::vector<Verdict> verdicts;
  measurer.measure(
      requests, [&](const MeasureResult& result) { verdicts.push_back(result.verdict); }, stop,
      beside);
  return verdicts;
}

} // namespace

/// The kernel waits until the program is built that is measured next; that is built only once.
void MeasureGpu::laterProgramsAreBuiltWhileOthersAreTimed() {
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  const MeasureRequest next = request("compile_fine");
  QCOMPARE(verdictsBeside(measurer, {request("run_after_a_compile")}, later({next})),
           std::vector{Verdict::Ok});
  const MeasureResult result = measureOne(measurer, next);
  QVERIFY2(result.verdict == Verdict::Ok && result.checked, result.error.c_str());
  QVERIFY(result.buildSeconds > 0 && result.startedAt > 0);
  QCOMPARE(linesOf(file("compiled")).size(), std::size_t(1));
  QCOMPARE(measureOne(measurer, next).verdict, Verdict::Ok); // it was for one measurement
  QCOMPARE(linesOf(file("compiled")).size(), std::size_t(2));
}

/// Nobody waits for it, other programs pass it, and who asks for it gets it when it is ready.
void MeasureGpu::whatIsNotBuiltYetGoesOn() {
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  const MeasureRequest slow = request("compile_when_told");
  QCOMPARE(verdictsBeside(measurer, {request("fine")}, later({slow})), std::vector{Verdict::Ok});
  QCOMPARE(measureOne(measurer, request("fine")).verdict, Verdict::Ok);
  QVERIFY(!QFile::exists(file("compiled")));
  std::vector<Verdict> verdicts;
  measurer.measure({slow, request("fine")}, [&](const MeasureResult& result) {
    verdicts.push_back(result.verdict);
    std::ofstream(file("told").toStdString()) << "now";
  });
  QCOMPARE(verdicts, (std::vector{Verdict::Ok, Verdict::Ok}));
  QCOMPARE(linesOf(file("compiled")).size(), std::size_t(1));
}

void MeasureGpu::whatFailsAheadIsBuiltAgain() {
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  const MeasureRequest fatal = request("compile_segfault"), once = request("compile_kill_once");
  QCOMPARE(verdictsBeside(measurer, {request("run_slow")}, later({fatal, once})),
           std::vector{Verdict::Ok});
  QCOMPARE(measureOne(measurer, once).verdict, Verdict::Ok);
  QCOMPARE(measureOne(measurer, fatal).verdict, Verdict::CompileError);
  QCOMPARE(measureOne(measurer, request("fine")).verdict, Verdict::Ok);
}

void MeasureGpu::aStopEndsWhatIsBuiltAhead() {
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  const MeasureRequest endless = request("compile_sleep");
  std::atomic<bool> stop{false};
  QCOMPARE(verdictsBeside(measurer, {request("fine")}, later({endless}), &stop),
           std::vector{Verdict::Ok});
  QTRY_VERIFY(QFile::exists(file("asleep")));
  stop = true;
  QCOMPARE(verdictsBeside(measurer, {endless}, {}, &stop), std::vector{Verdict::Cancelled});
  stop = false;
  for (const std::string& pid : linesOf(file("asleep")))
    QVERIFY(!isAlive(std::stoi(pid)));
  QCOMPARE(measureOne(measurer, request("fine")).verdict, Verdict::Ok);
}

void MeasureGpu::racesAndWrittenInputsAreWrongAnswers_data() {
  QTest::addColumn<QString>("text");
  QTest::newRow("run_unsteady") << "is another one when the kernel runs again";
  QTest::newRow("run_write_input") << "has changed its input A";
  QTest::newRow("run_wrong") << "differs from the naive program";
}

void MeasureGpu::racesAndWrittenInputsAreWrongAnswers() {
  QFETCH(QString, text);
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  const MeasureResult result = measureOne(measurer, request(QTest::currentDataTag()));
  QCOMPARE(result.verdict, Verdict::WrongAnswer);
  QVERIFY2(QString::fromStdString(result.error).contains(text), result.error.c_str());
}

/// Of the one that did it nobody has looked at the answer; that ends no process.
void MeasureGpu::nobodyIsBlamedForAnothersInputs() {
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  MeasureRequest first = request("run_write_input_first");
  first.check = false;
  QCOMPARE(measureOne(measurer, first).verdict, Verdict::Ok);
  const MeasureResult second = measureOne(measurer, request("run_write_input_first"));
  QVERIFY2(second.verdict == Verdict::Ok && second.checked, second.error.c_str());
}

void MeasureGpu::cachesOfTheDeviceAreFlushed() {
  MeasureOptions options = quickOptions();
  options.flushCache = true;
  Measurer measurer(options, faultyWorker(), madeUpGpuTarget());
  QCOMPARE(measureOne(measurer, request("fine")).verdict, Verdict::Ok);
  QCOMPARE(linesOf(file("flushed")).size(), std::size_t(options.repeats));
}

void MeasureGpu::missingDeviceIsSaid_data() {
  QTest::addColumn<QString>("text");
  QTest::newRow("none") << "there is no device";
  QTest::newRow("full") << "others have all of its memory";
  QTest::newRow("unknown") << "there is no device of this name";
}

/// Nothing is announced of the program: whoever asked cannot measure here.
void MeasureGpu::missingDeviceIsSaid() {
  QFETCH(QString, text);
  MeasureOptions options = quickOptions();
  options.device = QTest::currentDataTag();
  Measurer measurer(options, faultyWorker(), madeUpGpuTarget());
  std::vector<MeasureResult> results;
  const DeviceOutcome outcome = outcomeOf([&] {
    measurer.measure({request("fine", 0), request("fine", 1)},
                     [&](const MeasureResult& result) { results.push_back(result); });
  });
  QCOMPARE(outcome.fault, std::optional(DeviceFault::Absent));
  QVERIFY2(QString::fromStdString(outcome.text).contains(text), outcome.text.c_str());
  QVERIFY(results.empty());
}

/// In the middle of a batch: what was measured before stays, and a later batch begins anew.
void MeasureGpu::aDeviceThatGoesIsNoProgramsFault() {
  for (const char* when : {"load_absent", "run_absent"}) {
    MeasureOptions options = quickOptions();
    options.builders = 1; // so that the order is kept
    Measurer measurer(options, faultyWorker(), madeUpGpuTarget());
    std::vector<MeasureResult> results;
    const DeviceOutcome outcome = outcomeOf([&] {
      measurer.measure({request("fine", 0), request(when, 1), request("fine", 2)},
                       [&](const MeasureResult& result) { results.push_back(result); });
    });
    QCOMPARE(outcome.fault, std::optional(DeviceFault::Absent));
    QCOMPARE(results.size(), std::size_t{1});
    QCOMPARE(results[0].verdict, Verdict::Ok);
    QCOMPARE(measureOne(measurer, request("fine")).verdict, Verdict::Ok);
  }
}

/// The worker's own deadline comes first, and its answer has the kernel's name.
void MeasureGpu::aKernelThatDoesNotEndIsNamed() {
  MeasureOptions options = quickOptions();
  options.runTimeoutSeconds = kShort;
  Measurer measurer(options, faultyWorker(), madeUpGpuTarget());
  const MeasureResult result = measureOne(measurer, request("run_endless"));
  QCOMPARE(result.verdict, Verdict::RunTimeout);
  QVERIFY2(result.error.find("did not finish run_endless") != std::string::npos,
           result.error.c_str());
}

/// Tensors of 8 MiB in a cache of 50: a dozen copies are enough, and each repeat has many runs.
void MeasureGpu::tensorsTakeTurnsWhereCachesAreToBeCold() {
  MeasureOptions options = quickOptions();
  options.flushCache = true;
  Measurer measurer(options, faultyWorker(), madeUpGpuTarget());
  MeasureRequest large = request("fine");
  large.dag = doublingTask("fine", 1 << 20);
  const MeasureResult result = measureOne(measurer, large);
  QVERIFY2(result.verdict == Verdict::Ok && result.checked, result.error.c_str());
  const std::vector<std::string> rotated = linesOf(file("rotated"));
  QVERIFY(!rotated.empty());
  const int sets = std::stoi(rotated.front());
  QVERIFY(sets > 2 && (sets - 1) * 8ll << 20 >= 2 * gpuPreset({9, 0}).l2Bytes);
  QVERIFY(linesOf(file("flushed")).empty());
}

/// Its compiler and its device are others than the processor's.
void MeasureGpu::theNaiveProgramIsCheckedToo() {
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  MeasureRequest naive = request("naive_wrong");
  naive.naive = true;
  const MeasureResult result = measureOne(measurer, naive);
  QCOMPARE(result.verdict, Verdict::WrongAnswer);
  naive = request("fine");
  naive.naive = true;
  QVERIFY(measureOne(measurer, naive).checked);
}

/// As on a machine elsewhere, where LLVM is not installed: the device's naive program is the
/// reference, once elements of it are what the definition gives.
void MeasureGpu::answersAreCheckedWithoutACompilerForTheProcessor() {
  QFile none(file("nestwright_llvm.so"));
  QVERIFY(none.open(QIODevice::WriteOnly));
  none.close();
  qputenv("NESTWRIGHT_PLUGIN_PATH", QFileInfo(none).path().toUtf8());
  {
    Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
    QVERIFY(measureOne(measurer, request("fine")).checked);
    QCOMPARE(linesOf(file("naive")), std::vector<std::string>{"fine"});
    QCOMPARE(measureOne(measurer, request("run_wrong")).verdict, Verdict::WrongAnswer);
    const MeasureResult result = measureOne(measurer, request("naive_wrong"));
    QVERIFY(!result.checked);
    QVERIFY2(QString::fromStdString(result.uncheckedReason).contains("by its definition"),
             result.uncheckedReason.c_str());
    MeasureRequest naive = request("naive_wrong");
    naive.naive = true;
    QVERIFY(!measureOne(measurer, naive).checked);
  }
  qunsetenv("NESTWRIGHT_PLUGIN_PATH");
}

/// C33. It is timed with the first program, and with every twentieth after that.
void MeasureGpu::anAnchorTellsThatTheDeviceHasChanged() {
  MeasureOptions options = quickOptions();
  options.builders = 1; // so that the twentieth to run is the last
  Measurer measurer(options, faultyWorker(), madeUpGpuTarget());
  const MeasureResult first = measureOne(measurer, request("fine"));
  QVERIFY(first.machine.anchorSeconds);
  QCOMPARE(first.machine.anchorShift, std::optional(0.0));
  QFile throttled(file("throttled"));
  QVERIFY(throttled.open(QIODevice::WriteOnly));
  std::vector<MeasureRequest> requests;
  for (std::uint64_t id = 0; id < 20; ++id)
    requests.push_back(request("fine", id));
  const std::vector<MeasureResult> results = measureAll(measurer, requests);
  QCOMPARE(results.front().machine.anchorSeconds, first.machine.anchorSeconds);
  const MachineState& last = results.back().machine;
  QVERIFY(last.hasShifted() && *last.anchorSeconds > 3e-3);
  QVERIFY2(QString::fromStdString(inWords(last)).contains("slower than at the start"),
           inWords(last).c_str());
}

/// One block for 2^37 operations: nothing could stop it once it runs.
void MeasureGpu::programsThatWouldRunForMinutesAreRefused() {
  const Op a = placeholder("A", {1 << 20}), b = placeholder("B", {1 << 17});
  const Op c = reduce("fine", Reducer::Sum, {1}, {{"k", 1 << 20}, {"l", 1 << 17}},
                      [&](const std::vector<Expr>&, const std::vector<Expr>& k) {
                        return read(a, {k[0]}) * read(b, {k[1]});
                      });
  MeasureRequest request;
  request.dag = print(ComputeDag({a, b, c}));
  request.naive = true;
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  const MeasureResult result = measureOne(measurer, request);
  QCOMPARE(result.verdict, Verdict::Illegal);
  QVERIFY2(QString::fromStdString(result.error).contains("would run for 275 s or so"),
           result.error.c_str());
}

NW_TEST_GUILESS(MeasureGpu)

} // namespace nestwright::measure_gpu_test

#include "measure_gpu.moc"
