/// How real worker processes time and check kernels: in batches, alone, against one reference.

#include "tests/measure/faulty_workers.h"
#include "tests/support/test_program.h"

#include <set>

namespace nestwright::measure_timing_test {

using namespace nestwright::test;

class MeasureTimingTest : public FaultyWorkers {
  Q_OBJECT

 private Q_SLOTS:
  void buildersWorkTogetherAndTheRunnerAlone() {
    Measurer measurer(quickOptions(), faultyWorker());
    // Each of the two compilations ends only once both are under way; a kernel that runs while
    // somebody compiles fails.
    const std::vector<MeasureResult> results = measureAll(
        measurer, {request("fine", 0), request("rendezvous_a", 1), request("rendezvous_b", 2)});
    for (const MeasureResult& result : results)
      QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
  }

  /// What an earlier kernel left in the outputs is no answer of a later one that does nothing.
  void leftoversAreNoAnswer() {
    Measurer measurer(quickOptions(), faultyWorker());
    const std::vector<MeasureResult> results =
        measureAll(measurer, {request("run_first_only", 0), request("run_first_only", 1)});
    QCOMPARE(results[0].verdict, Verdict::Ok);
    QCOMPARE(results[1].verdict, Verdict::WrongAnswer);
  }

  void checkOnlyBelow() {
    Measurer measurer(quickOptions(), faultyWorker());
    MeasureRequest wrong = request("run_wrong");
    wrong.checkBelowSeconds = 1e-12;
    const MeasureResult unchecked = measureOne(measurer, wrong);
    QCOMPARE(unchecked.verdict, Verdict::Ok);
    QVERIFY(!unchecked.checked);
    wrong.checkBelowSeconds = 100;
    QCOMPARE(measureOne(measurer, wrong).verdict, Verdict::WrongAnswer);
  }

  void referenceIsComputedOnce() {
    Measurer measurer(quickOptions(), faultyWorker());
    std::vector<MeasureRequest> requests;
    for (std::uint64_t id = 0; id < 20; ++id)
      requests.push_back(request(id % 2 ? "odd" : "even", id));
    for (const MeasureResult& result : measureAll(measurer, requests))
      QVERIFY(result.checked);
    QCOMPARE(linesOf(file("naive")).size(), std::size_t{2});
  }

  void referenceThatFails_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("reason");
    QTest::newRow("hangs") << "naive_sleep"
                           << "the naive program did not end within 0.3 s";
    QTest::newRow("crashes") << "naive_segfault"
                             << "the naive program crashed: segmentation fault (signal 11)";
  }

  void referenceThatFails() {
    QFETCH(QString, fault);
    QFETCH(QString, reason);
    MeasureOptions options = quickOptions();
    options.referenceTimeoutSeconds = 0.3;
    Measurer measurer(options, faultyWorker());
    const MeasureResult result = measureOne(measurer, request(fault.toStdString()));
    QCOMPARE(result.verdict, Verdict::Ok);
    QVERIFY(!result.checked);
    QCOMPARE(QString::fromStdString(result.uncheckedReason), reason);
    QCOMPARE(measureOne(measurer, request("fine")).verdict, Verdict::Ok);
  }

  void naiveIsMeasuredAndBecomesTheReference() {
    Measurer measurer(quickOptions(), faultyWorker());
    MeasureRequest naive = request("fine", 0);
    naive.naive = true;
    const std::vector<MeasureResult> results = measureAll(measurer, {naive, request("fine", 1)});
    QCOMPARE(results[0].verdict, Verdict::Ok);
    QVERIFY(results[0].checked);
    QVERIFY(results[1].checked);
    QCOMPARE(linesOf(file("naive")).size(), std::size_t{1});
  }

  void fastKernelsRunInBatches() {
    MeasureOptions options = quickOptions();
    options.minRepeatSeconds = 0.005;
    options.maxTotalSeconds = kLong; // a busy machine gives no fewer of them
    options.repeats = 5;
    Measurer measurer(options, faultyWorker());
    // How many runs a repeat takes follows from the first ones, which a busy machine may hold up.
    constexpr int kTries = 10;
    bool tookTheirTime = false;
    for (int i = 0; i < kTries && !tookTheirTime; ++i) {
      const MeasureResult result = measureOne(measurer, request("fine"));
      QCOMPARE(result.seconds.size(), std::size_t{5});
      QVERIFY(result.runsPerRepeat > 1);
      tookTheirTime = result.runsPerRepeat > 100 && result.runSeconds >= 5 * 0.9 * 0.005 &&
                      result.latency() < 1e-4; // the spread is in tests/bench/bench_timing
    }
    QVERIFY(tookTheirTime);
  }

  void slowKernelsGetFewerRepeats() {
    MeasureOptions options = quickOptions();
    options.repeats = 100;
    options.maxTotalSeconds = 0.2;
    options.minRepeatSeconds = 0.001;
    Measurer measurer(options, faultyWorker());
    const MeasureResult several = measureOne(measurer, request("run_slow"));
    QVERIFY(several.seconds.size() > 1 && several.seconds.size() <= 7);
    QCOMPARE(several.runsPerRepeat, 1);
    QCOMPARE(several.warmups, 1);
    // Its first run is longer than all repeats may be: it is the only one.
    const MeasureResult single = measureOne(measurer, request("run_second"));
    QCOMPARE(single.seconds.size(), std::size_t{1});
    QCOMPARE(single.warmups, 0);
    QVERIFY(single.latency() >= 0.3);
  }

  void flushedCache() {
    MeasureOptions options = quickOptions();
    options.flushCache = true;
    Measurer measurer(options, faultyWorker());
    const MeasureResult result = measureOne(measurer, request("fine"));
    QCOMPARE(result.verdict, Verdict::Ok);
    QVERIFY(result.cacheFlushed);
    QCOMPARE(result.runsPerRepeat, 1);
    QCOMPARE(result.seconds.size(), std::size_t{3});
  }

  /// Programs that are timed in turns are built once each, and run in the order of the turns.
  void turnsShareABuild() {
    Measurer measurer(quickOptions(), faultyWorker());
    std::vector<MeasureRequest> requests;
    for (std::uint64_t id = 0; id < 6; ++id) {
      requests.push_back(request(id % 2 == 0 ? "fine" : "good", id));
      requests.back().repeats = 1;
    }
    std::vector<std::uint64_t> order;
    measurer.measure(requests, [&](const MeasureResult& result) {
      order.push_back(result.id);
      QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
      QCOMPARE(result.seconds.size(), std::size_t{1});
      QCOMPARE(result.buildSeconds > 0, result.id < 2);
    });
    QCOMPARE(order, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5}));
    // What cannot be built has none of its turns.
    for (MeasureRequest& turn : requests)
      if (turn.id % 2 == 1) turn.dag = doublingTask("compile_throw");
    int failed = 0;
    measurer.measure(requests, [&](const MeasureResult& result) {
      QCOMPARE(result.verdict == Verdict::Ok, result.id % 2 == 0);
      failed += result.verdict == Verdict::CompileError;
    });
    QCOMPARE(failed, 3);
  }

  /// What a quick job costs beside its kernel is done once for all of them: the workers are started
  /// and the reference is computed once. Its time is in tests/bench/trial_overhead.
  void quickJobsShareWorkersAndReference() {
    Measurer measurer(quickOptions(), faultyWorker());
    std::vector<MeasureRequest> requests;
    for (std::uint64_t id = 0; id < 200; ++id)
      requests.push_back(request("fine", id));
    std::set<int> workers;
    std::vector<MeasureResult> results;
    measurer.measure(requests, [&](const MeasureResult& result) {
      results.push_back(result);
      for (const int pid : measurer.workerPids())
        workers.insert(pid);
    });
    QCOMPARE(results.size(), requests.size());
    for (const MeasureResult& result : results)
      QVERIFY2(result.verdict == Verdict::Ok && result.checked, result.error.c_str());
    QCOMPARE(workers.size(), std::size_t(2 + 1)); // builders, and who runs
    QCOMPARE(linesOf(file("naive")).size(), std::size_t{1});
  }
};

NW_TEST_GUILESS(MeasureTimingTest)

} // namespace nestwright::measure_timing_test

#include "measure_timing.moc"
