/// Measuring programs of a GPU, with a worker whose GPU is made up.

#include "tests/measure/faulty_workers.h"
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
  void racesAndWrittenInputsAreWrongAnswers_data();
  void racesAndWrittenInputsAreWrongAnswers();
  void cachesOfTheDeviceAreFlushed();
  void missingDeviceIsSaid();
};

void MeasureGpu::goodProgramIsMeasured() {
  Measurer measurer(quickOptions(), faultyWorker(), madeUpGpuTarget());
  const MeasureResult result = measureOne(measurer, request("fine"));
  QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
  QVERIFY(result.checked);
  QCOMPARE(result.machine.clockHertz, std::optional(1.5e9)); // of the device
  QCOMPARE(result.machine.celsius, std::optional(60.0));
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

void MeasureGpu::cachesOfTheDeviceAreFlushed() {
  MeasureOptions options = quickOptions();
  options.flushCache = true;
  Measurer measurer(options, faultyWorker(), madeUpGpuTarget());
  QCOMPARE(measureOne(measurer, request("fine")).verdict, Verdict::Ok);
  QCOMPARE(linesOf(file("flushed")).size(), std::size_t(options.repeats));
}

void MeasureGpu::missingDeviceIsSaid() {
  MeasureOptions options = quickOptions();
  options.device = "none";
  Measurer measurer(options, faultyWorker(), madeUpGpuTarget());
  const MeasureResult result = measureOne(measurer, request("fine"));
  QCOMPARE(result.verdict, Verdict::LoadError);
  QVERIFY(result.error.find("there is no device") != std::string::npos);
}

NW_TEST_GUILESS(MeasureGpu)

} // namespace nestwright::measure_gpu_test

#include "measure_gpu.moc"
