/// \file The worker as it is, on a driver that fails on order: one record for each fault, the next
/// candidate as ever, nothing left over (handbook/cuda.md 7.1).

#include "core/measure/measure.h"
#include "core/measure/worker_target.h"
#include "core/tensor/text.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/device_outcome.h"
#include "tests/support/test_program.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <fstream>

namespace nestwright::cuda_worker_test {

MeasureRequest doubling(bool check) {
  MeasureRequest request;
  request.dag = "A = PLACEHOLDER [256]\nB(i) = (A[i]*2f)\n";
  request.steps = {FuseStep{1, {0}}, SplitStep{1, 0, 256, {64}, true},
                   AnnotationStep{1, 0, Annotation::BlockX},
                   AnnotationStep{1, 1, Annotation::ThreadX}};
  request.check = check;
  return request;
}

bool isAlive(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name = text.rfind(')');
  return name != std::string::npos && text.size() > name + 2 && text[name + 2] != 'Z';
}

class CudaWorker : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("NESTWRIGHT_NVML", NESTWRIGHT_MADE_UP_DRIVER);
    qputenv("NESTWRIGHT_NVRTC", NESTWRIGHT_MADE_UP_NVRTC);
    qputenv("NESTWRIGHT_CUBIN_CACHE", (folder_.path() + "/cubins").toUtf8());
    qputenv("MADE_UP_FAULTS", faults().toUtf8());
    const TargetFacts target = measuredTarget("cuda", {}, launch_);
    MeasureOptions options;
    options.builders = 1;
    options.runTimeoutSeconds = 300;
    measurer_ = std::make_unique<Measurer>(options, launch_, target);
    (void)measure(false); // what has to be compiled is in the cache from now on
    options.runTimeoutSeconds = 3;
    measurer_ = std::make_unique<Measurer>(options, launch_, target);
  }

  void aGoodProgramIsMeasuredAndCompared() {
    const MeasureResult result = measure(true);
    QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
    QVERIFY2(result.checked, result.uncheckedReason.c_str());
    QVERIFY(std::abs(result.latency() - 0.03) < 1e-6); // by the device's clock
    QCOMPARE(result.machine.watts, std::optional(310.0));
    QCOMPARE(result.machine.slowedBy, std::string("power cap"));
    QVERIFY(result.machine.anchorSeconds);
    QCOMPARE(result.machine.anchorShift, std::optional(0.0));
  }

  void eachFaultIsOneRecord_data() {
    QTest::addColumn<QString>("function");
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("verdict");
    const auto row = [](const char* function, int code, Verdict verdict) {
      QTest::addRow("%s %d", function, code) << QString(function) << code << int(verdict);
    };
    row("cuLaunchKernel", 1, Verdict::RunError);
    row("cuMemAlloc_v2", 2, Verdict::LoadError);
    for (const int code : {200, 209, 218, 222})
      row("cuModuleLoadDataEx", code, Verdict::LoadError);
    row("cuModuleGetFunction", 500, Verdict::LoadError);
    row("cuLaunchKernel", 701, Verdict::Illegal);
    for (const int code : {214, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719})
      row("cuEventQuery", code, Verdict::RunError);
    row("cuEventQuery", 600, Verdict::RunTimeout); // a kernel that does not end
    row("cuEventElapsedTime", 999, Verdict::RunError);
  }
  void eachFaultIsOneRecord() {
    QFETCH(QString, function);
    QFETCH(int, code);
    QFETCH(int, verdict);
    if (measurer_->workerPids().size() < 2) (void)measure(false); // a builder and a runner
    const std::vector<int> workers = measurer_->workerPids();
    std::ofstream(faults().toStdString()) << function.toStdString() << " " << code << "\n";
    const MeasureResult result = measure(false);
    QVERIFY2(result.verdict == Verdict(verdict), result.error.c_str());
    QVERIFY(!result.error.empty() && result.seconds.empty());
    // A kernel that does not end has no error of the driver's, but its name.
    const std::string word = code == 600 ? "finish nw_B" : std::to_string(code);
    QVERIFY2(result.error.find(word) != std::string::npos, result.error.c_str());
    QVERIFY(!QFile::exists(faults())); // it was this fault
    const MeasureResult after = measure(false);
    QVERIFY2(after.verdict == Verdict::Ok, after.error.c_str());
    // Whoever met the fault is gone, with all that it had on the device.
    int alive = 0;
    for (const int pid : workers)
      alive += isAlive(pid) ? 1 : 0;
    QCOMPARE(alive, static_cast<int>(workers.size()) - 1);
  }

  /// Of a device in exclusive mode, once it is free again.
  void aDeviceThatOthersHaveIsTold() {
    measurer_ = std::make_unique<Measurer>(measurer_->options(), launch_,
                                           measuredTarget("cuda", {}, launch_));
    std::ofstream(faults().toStdString()) << "cuDevicePrimaryCtxRetain 46\n";
    const test::DeviceOutcome outcome = test::outcomeOf([&] { (void)measure(false); });
    QCOMPARE(outcome.fault, std::optional(DeviceFault::Absent)); // and no program is judged
    QVERIFY2(outcome.text.find("CUDA_ERROR_DEVICE_UNAVAILABLE") != std::string::npos &&
                 outcome.text.find("another process") != std::string::npos,
             outcome.text.c_str());
    QCOMPARE(measure(false).verdict, Verdict::Ok);
  }

  /// Those that packaging/gpu sends to a device, on the one that is made up.
  void hostileKernelsCostOnlyThemselves() {
    QProcess process;
    process.start(NESTWRIGHT_BUILD "/tests/bench/bench_cuda",
                  {"--program", programPath(), "--json", folder_.filePath("hostile.json"),
                   "hostile", "--times", "1", "--seconds", "1"});
    QVERIFY(process.waitForFinished(120'000));
    const QByteArray output = process.readAllStandardOutput() + process.readAllStandardError();
    QVERIFY2(process.exitCode() == 0, output.constData());
    QVERIFY2(output.contains("5 of 5 hostile kernels"), output.constData());
    std::ifstream file(folder_.filePath("hostile.json").toStdString());
    const nlohmann::json report = nlohmann::json::parse(file);
    QCOMPARE(report.at("kernels").size(), std::size_t{5});
    QCOMPARE(report.at("kernels").at(3).at("verdict"), "run timeout");
    QCOMPARE(report.at("device"), "NVIDIA Made-Up 90");
  }

  void aBenchmarkWithoutADeviceSaysSo() {
    qputenv("NESTWRIGHT_CUDA_DRIVER", "/no/such/libcuda.so.1");
    QProcess process;
    process.start(NESTWRIGHT_BUILD "/tests/bench/bench_cuda", {"table", "--trials", "1"});
    QVERIFY(process.waitForFinished(120'000));
    QCOMPARE(process.exitCode(), 3);
    QVERIFY(process.readAllStandardError().contains("no CUDA device can be used here"));
    qputenv("NESTWRIGHT_CUDA_DRIVER", NESTWRIGHT_MADE_UP_DRIVER);
  }

  /// The verbs, with a driver and a compiler and no GPU.
  void theCommandLineTunes() {
    const QString database = folder_.filePath("a.nwdb");
    const ProgramResult tuned = run({"tune", "matmul:m=8,n=8,k=8", "--target", "cuda", "--trials",
                                     "3", "--policy", "random", "--db", database});
    QVERIFY2(tuned.exitCode == 0, tuned.errors.constData());
    const ProgramResult listed = run({"query", "--db", database, "--json"});
    QVERIFY2(listed.output.contains("\"slowed_by\": \"power cap\""), listed.output.constData());
    // What its kernels took is kept with each, and each form of its code is shown.
    const ProgramResult shown = run({"show", "1", "--db", database, "--json"});
    const nlohmann::json kernels = shown.json().at("kernels");
    QVERIFY2(kernels.at(0).at("registers").get<int>() > 0, kernels.dump().c_str());
    QVERIFY2(run({"show", "1", "--db", database}).output.contains(" registers, no spills, "),
             shown.output.constData());
    const ProgramResult text = run({"show", "1", "--db", database, "--code", "cuda"});
    QVERIFY2(text.output.contains("__global__"), text.errors.constData());
    QCOMPARE(run({"show", "1", "--db", database, "--code", "llvm"}).exitCode, 2);
  }

  /// Nothing is recorded, and the session goes on once the device is free.
  void aSessionPausesWhileItsDeviceIsTaken() {
    const QString database = folder_.filePath("taken.nwdb");
    const QStringList tune{"tune", "matmul:m=8,n=8,k=8", "--target", "cuda", "--trials",
                           "3",    "--policy",           "random",   "--db", database};
    std::ofstream(faults().toStdString()) << "cuDevicePrimaryCtxRetain 802\n";
    const ProgramResult refused = run(tune);
    QCOMPARE(refused.exitCode, 3);
    QVERIFY2(refused.errors.contains("nothing can be measured now") &&
                 refused.errors.contains("802"),
             refused.errors.constData());
    QVERIFY(!QFile::exists(faults())); // it was this fault
    const auto records = [&] {
      return run({"query", "--db", database, "--json"}).json().at("records").size();
    };
    QCOMPARE(records(), std::size_t{0});
    const ProgramResult resumed = run(tune + QStringList{"--resume"});
    QVERIFY2(resumed.exitCode == 0, resumed.errors.constData());
    QCOMPARE(records(), std::size_t{3});
  }

 private:
  QString faults() const { return folder_.filePath("faults"); }
  MeasureResult measure(bool check) {
    MeasureResult result;
    measurer_->measure({doubling(check)}, [&](const MeasureResult& one) { result = one; });
    return result;
  }

  const QTemporaryDir folder_;
  const WorkerLaunch launch_{{NESTWRIGHT_BINARIES "/nestwright", "worker"}};
  std::unique_ptr<Measurer> measurer_;
};

NW_TEST_GUILESS(CudaWorker)

} // namespace nestwright::cuda_worker_test

#include "cuda_worker.moc"
