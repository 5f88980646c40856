/// Networks measured in a process of their own whose GPU fails: one sample is lost, the next one is
/// normal (C19).

#include "core/execute/network_measurer.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::gpu_network_faults_test {

const std::string kNetwork = NESTWRIGHT_TEST_DATA "/onnx/torch_encoder.onnx";

class GpuNetworkFaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    qputenv("NESTWRIGHT_TEST_FOLDER", folder_->path().toUtf8());
  }

  void aNetworkIsMeasuredOnItsGpu() {
    NetworkMeasurer measurer(optionsFor("fine"));
    const NetworkResult result = measurer.measure(request(), &stop_);
    QVERIFY2(result.verdict == Verdict::Ok, result.error.c_str());
    QVERIFY(result.seconds.at(0).at(0).at(0) > 0);
  }

  void aFaultCostsOneSample_data() {
    QTest::addColumn<int>("verdict");
    const auto row = [](const char* fault, Verdict verdict) {
      QTest::newRow(fault) << static_cast<int>(verdict);
    };
    row("memory", Verdict::RunError);
    row("address", Verdict::RunError);
    row("time", Verdict::RunTimeout);
    row("other", Verdict::RunError);
  }
  void aFaultCostsOneSample() {
    QFETCH(int, verdict);
    NetworkMeasurer measurer(optionsFor(QTest::currentDataTag()));
    const NetworkResult failed = measurer.measure(request(), &stop_);
    QVERIFY2(failed.verdict == Verdict(verdict), failed.error.c_str());
    QVERIFY(!failed.error.empty() && failed.error.find('\n') == std::string::npos);
    const NetworkResult next = measurer.measure(request(), &stop_);
    QVERIFY2(next.verdict == Verdict::Ok, next.error.c_str());
  }

  void aMissingDeviceIsSaid() {
    NetworkMeasureOptions options = optionsFor("fine");
    options.device = "none";
    NetworkMeasurer measurer(options);
    try {
      (void)measurer.measure(request(), &stop_);
      QFAIL("measured");
    } catch (const DeviceError& error) { // so that a recombination pauses
      QCOMPARE(error.fault(), DeviceFault::Absent);
      QVERIFY2(QString(error.what()).contains("there is no device"), error.what());
    }
  }

 private:
  /// What happens in the worker's first process, after three kernels.
  static NetworkMeasureOptions optionsFor(const std::string& fault) {
    NetworkMeasureOptions options;
    options.network = kNetwork;
    options.target = "cuda";
    options.latency = {0, 1, 0.1};
    options.workerCommand = {GPU_NETWORK_WORKER, fault, "3"};
    return options;
  }
  static NetworkRequest request() { return {{NetworkPrograms{}}}; } // all of it without records

  std::unique_ptr<QTemporaryDir> folder_;
  std::atomic<bool> stop_ = false;
};

NW_TEST_GUILESS(GpuNetworkFaults)

} // namespace nestwright::gpu_network_faults_test

#include "gpu_network_faults.moc"
