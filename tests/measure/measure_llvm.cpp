/// Real programs, compiled by LLVM, through real workers.
#include "core/measure/count_program.h"
#include "core/measure/measure.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <chrono>
#include <cmath>
#include <fstream>

namespace nestwright::measure_llvm_test {

WorkerLaunch plainWorker() {
  return {{PLAIN_WORKER}};
}

MeasureOptions workerOptions() {
  MeasureOptions options;
  options.threads = 1;
  return options;
}

std::string matmulText(std::int64_t size) {
  const Op a = placeholder("A", {size, size}), b = placeholder("B", {size, size});
  return print(ComputeDag({a, b,
                           reduce("C", Reducer::Sum, {size, size}, {{"k", size}},
                                  [&](const std::vector<Expr>& i, const std::vector<Expr>& k) {
                                    return read(a, {i[0], k[0]}) * read(b, {k[0], i[1]});
                                  },
                                  {"i", "j"})}));
}

/// i, j in tiles of rows x columns, j vectorised, the outer loop parallel.
Steps tiledMatmul(std::int64_t size, std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  return {SplitStep{2, 0, size, {rows}, true},        SplitStep{2, 2, size, {columns}, true},
          SplitStep{2, 4, size, {depth}, true},       ReorderStep{2, {0, 2, 4, 5, 1, 3}},
          AnnotationStep{2, 0, Annotation::Parallel}, AnnotationStep{2, 5, Annotation::Vectorize}};
}

std::vector<MeasureResult> measureAll(Measurer& measurer,
                                      const std::vector<MeasureRequest>& requests) {
  std::vector<MeasureResult> results(requests.size());
  measurer.measure(requests, [&](const MeasureResult& result) { results[result.id] = result; });
  return results;
}

std::int64_t residentBytesOf(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * 4096;
}

class MeasureLlvmTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tunedMatmul_data() {
    QTest::addColumn<int>("threads");
    QTest::newRow("one thread") << 1;
    QTest::newRow("two threads") << 2;
  }
  void tunedMatmul() {
    QFETCH(int, threads);
    MeasureOptions options = workerOptions();
    options.threads = threads;
    Measurer measurer(options, plainWorker());
    MeasureRequest tuned;
    tuned.dag = matmulText(256);
    tuned.steps = tiledMatmul(256, 4, 16, 8);
    tuned.check = true;
    MeasureRequest naive = tuned;
    naive.id = 1;
    naive.naive = true;
    const std::vector<MeasureResult> results = measureAll(measurer, {tuned, naive});
    for (const MeasureResult& result : results) {
      QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
      QVERIFY(result.checked);
      QVERIFY(std::isfinite(result.latency()) && result.latency() > 0);
    }
    QVERIFY(results[0].maxRelativeError < 1e-3);
    qInfo("tuned %.3f ms (spread %.1f %%), naive %.3f ms, build %.1f ms",
          results[0].latency() * 1e3, results[0].spread() * 100, results[1].latency() * 1e3,
          results[0].buildSeconds * 1e3);
  }

  /// A kernel's second thread was there before the counting began, and is counted: the processor
  /// time of both is what one of them takes alone.
  void countedOnAllThreads() {
    MeasureRequest request;
    request.dag = matmulText(256);
    request.steps = tiledMatmul(256, 4, 16, 8);
    std::vector<double> processorSeconds;
    for (const int threads : {1, 2}) {
      MeasureOptions options = workerOptions();
      options.threads = threads;
      const ProgramCounts counts = countProgram(options, request, plainWorker());
      qInfo("%s", inWords(counts).c_str());
      QVERIFY(counts.threads >= threads);
      QVERIFY(counts.runs > 1 && counts.seconds > 0);
      QCOMPARE(counts.leastBytes, 3.0 * 256 * 256 * 4);
      for (const CounterReading& reading : counts.counters)
        QVERIFY2(reading.perRun || !reading.whyNot.empty(), name(reading.counter));
      const CounterReading* clock = counts.find(Counter::TaskClock);
      if (!clock) QSKIP("this system does not count processor time");
      processorSeconds.push_back(*clock->perRun * 1e-9);
      QVERIFY(processorSeconds.back() < 1.05 * threads * counts.seconds);
    }
    QVERIFY2(
        processorSeconds[1] > 0.75 * processorSeconds[0],
        qPrintable(QStringLiteral("%1 of %2 s").arg(processorSeconds[1]).arg(processorSeconds[0])));
  }

  void severalOutputsAndIntegers() {
    const Op a = placeholder("A", {37}, kInt32);
    const Op doubled = compute(
        "D", {37}, [&](const std::vector<Expr>& i) { return read(a, {i[0]}) * intImm(2, kInt32); });
    const Op squared = compute(
        "S", {37}, [&](const std::vector<Expr>& i) { return read(a, {i[0]}) * read(a, {i[0]}); });
    Measurer measurer(workerOptions(), plainWorker());
    MeasureRequest request;
    request.dag = print(ComputeDag({a, doubled, squared}));
    request.check = true;
    const MeasureResult result = measureAll(measurer, {request})[0];
    QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
    QVERIFY(result.checked);
    QCOMPARE(result.maxRelativeError, 0.0);
  }

  /// Linked kernels leave the worker's memory when they are replaced.
  void memoryStaysBounded() {
    MeasureOptions options = workerOptions();
    options.minRepeatSeconds = 1e-6;
    options.jobsPerWorker = 1000000;
    Measurer measurer(options, plainWorker());
    MeasureRequest request;
    request.dag = matmulText(64);
    request.steps = tiledMatmul(64, 4, 16, 8);
    std::vector<std::int64_t> resident;
    for (int round = 0; round < 4; ++round) {
      std::vector<MeasureRequest> requests(50, request);
      measurer.measure(requests, [](const MeasureResult&) {});
      std::int64_t sum = 0;
      for (int pid : measurer.workerPids())
        sum += residentBytesOf(pid);
      resident.push_back(sum);
      qInfo("%.1f MiB", sum / 1048576.0);
    }
    QVERIFY(resident.back() < resident[1] * 11 / 10);
  }

  void overheadOfABatch() {
    MeasureOptions options = workerOptions();
    Measurer measurer(options, plainWorker());
    std::vector<MeasureRequest> requests;
    for (const int rows : {1, 2, 4, 8})
      for (const int columns : {8, 16, 32, 64})
        for (const int depth : {4, 8, 16, 32}) {
          MeasureRequest request;
          request.id = requests.size();
          request.dag = matmulText(256);
          request.steps = tiledMatmul(256, rows, columns, depth);
          request.check = true;
          requests.push_back(request);
        }
    const auto start = std::chrono::steady_clock::now();
    const std::vector<MeasureResult> results = measureAll(measurer, requests);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    double kernelSeconds = 0, buildSeconds = 0;
    for (const MeasureResult& result : results) {
      QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
      QVERIFY(result.checked);
      kernelSeconds += result.runSeconds;
      buildSeconds += result.buildSeconds;
    }
    qInfo("%zu trials: wall %.2f s, kernels %.2f s, builds %.2f s; overhead %.1f ms a trial",
          results.size(), wall.count(), kernelSeconds, buildSeconds,
          (wall.count() - kernelSeconds) / static_cast<double>(results.size()) * 1e3);
  }
};

NW_TEST_GUILESS(MeasureLlvmTest)

} // namespace nestwright::measure_llvm_test

#include "measure_llvm.moc"
