/// What is known of a GPU: by its architecture, from the target text of public records, and in
/// stored files.

#include "core/support/error.h"
#include "core/target/target_json.h"
#include "core/target/target_text.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::gpu_targets_test {

TargetFacts preset(int major, int minor) {
  return cudaTarget(gpuPreset({major, minor}));
}

class GpuTargets : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void architectureNames_data();
  void architectureNames();
  void presetsHaveADevicesSizes();
  void unknownArchitecturesHaveTheUsualLimits();
  void peaksAreTheDatasheets_data();
  void peaksAreTheDatasheets();
  void recordsSayThePublicWords();
  void textsAreRead();
  void textsOfCpusHaveNoGpu();
  void hardwareNumbersAreRead();
  void devicesAreToldApart();
  void factsAreStored();
  void factsOfCpusAreStoredAsBefore();
};

void GpuTargets::architectureNames_data() {
  QTest::addColumn<int>("major");
  QTest::addColumn<int>("minor");
  QTest::newRow("sm_90") << 9 << 0;
  QTest::newRow("sm_90a") << 9 << 0;
  QTest::newRow("sm_120") << 12 << 0;
  QTest::newRow("sm_37") << 3 << 7;
  for (const char* wrong : {"", "sm_", "sm_9", "90", "sm_90x", "sm_90aa", "compute_90", "sm_-90"})
    QTest::newRow(wrong) << 0 << 0;
}

void GpuTargets::architectureNames() {
  QFETCH(int, major);
  QFETCH(int, minor);
  const auto architecture = architectureFromName(QTest::currentDataTag());
  QCOMPARE(architecture.has_value(), major > 0);
  QCOMPARE(architecture.value_or(GpuArchitecture{}), (GpuArchitecture{major, minor}));
}

void GpuTargets::presetsHaveADevicesSizes() {
  const std::vector<GpuArchitecture> presets = presetArchitectures();
  for (const GpuArchitecture wanted : {GpuArchitecture{8, 0}, {8, 9}, {9, 0}})
    QVERIFY(std::ranges::find(presets, wanted) != presets.end());
  for (const GpuArchitecture architecture : presets) {
    const GpuFacts gpu = gpuPreset(architecture);
    QVERIFY(gpu.multiprocessors > 0 && gpu.l2Bytes > 0 && gpu.memoryBytes > 0);
    QVERIFY(gpu.peakFlops() > 0 && gpu.peakMemoryBytes() > 0);
    QVERIFY(gpu.sharedBytesPerBlockOptIn + gpu.sharedBytesReserved <=
            gpu.sharedBytesPerMultiprocessor);
    QCOMPARE(architectureFromName(architecture.name()), std::optional(architecture));
  }
}

void GpuTargets::unknownArchitecturesHaveTheUsualLimits() {
  const GpuFacts gpu = gpuPreset({99, 0});
  QCOMPARE(gpu.threadsPerBlock, 1024);
  QCOMPARE(gpu.sharedBytesPerBlockOptIn, 49'152);
  QCOMPARE(gpu.multiprocessors, 0);
  QCOMPARE(gpu.peakFlops(), 0.0);
}

void GpuTargets::peaksAreTheDatasheets_data() {
  QTest::addColumn<int>("major");
  QTest::addColumn<int>("minor");
  QTest::addColumn<double>("fp32"); // TFLOP/s
  QTest::addColumn<double>("half");
  QTest::addColumn<double>("memory"); // TB/s
  QTest::newRow("A100 80 GB") << 8 << 0 << 19.5 << 312.0 << 2.04;
  QTest::newRow("RTX 4090") << 8 << 9 << 82.6 << 330.0 << 1.008;
  QTest::newRow("H100 SXM") << 9 << 0 << 66.9 << 1071.0 << 3.35;
}

void GpuTargets::peaksAreTheDatasheets() {
  QFETCH(int, major);
  QFETCH(int, minor);
  QFETCH(double, fp32);
  QFETCH(double, half);
  QFETCH(double, memory);
  const GpuFacts gpu = gpuPreset({major, minor});
  QVERIFY(std::abs(gpu.peakFlops() / 1e12 / fp32 - 1) < 0.01);
  QVERIFY(std::abs(gpu.peakHalfFlops() / 1e12 / half - 1) < 0.01);
  QVERIFY(std::abs(gpu.peakMemoryBytes() / 1e12 / memory - 1) < 0.01);
  const TargetFacts facts = cudaTarget(gpu);
  QVERIFY(std::abs(facts.peakFlops() / gpu.peakFlops() - 1) < 1e-9);
}

/// handbook/ansor.md 5.3 and 10.
void GpuTargets::recordsSayThePublicWords() {
  const TargetFacts facts = preset(8, 0);
  QCOMPARE(facts.text(), std::string("cuda -keys=cuda,gpu -arch=sm_80 -max_num_threads=1024 "
                                     "-thread_warp_size=32"));
  QCOMPARE(facts.recordHardware(),
           (std::vector<std::int64_t>{-1, 16, 64, 49152, 2147483647, 1024, 8, 32}));
}

void GpuTargets::textsAreRead() {
  const TargetFacts gallery =
      targetFromText("cuda -keys=cuda,gpu -max_num_threads=1024 -thread_warp_size=32", {});
  QVERIFY(gallery.gpu.has_value());
  QCOMPARE(gallery.backend, std::string("cuda"));
  QCOMPARE(gallery.gpu->architecture, GpuArchitecture{});
  QCOMPARE(gallery.text(),
           std::string("cuda -keys=cuda,gpu -max_num_threads=1024 -thread_warp_size=32"));
  const TargetFacts t4 = targetFromText("cuda -keys=cuda,gpu -arch=sm_75 -max_num_threads=1024 "
                                        "-max_threads_per_block=512 -model=t4 "
                                        "-max_shared_memory_per_block=65536 -thread_warp_size=32",
                                        {});
  QCOMPARE(t4.gpu->architecture, (GpuArchitecture{7, 5}));
  QCOMPARE(t4.modelName, std::string("t4"));
  QCOMPARE(t4.gpu->threadsPerMultiprocessor, 1024); // as all of that architecture
  QCOMPARE(t4.gpu->sharedBytesPerBlock, 65'536);
  QCOMPARE(t4.peakFlops(), 0.0); // of an unknown device
  QCOMPARE(targetFromText("cuda -keys=cuda,gpu -model=unknown", {}).modelName, std::string());
  QVERIFY(targetFromText("rocm -keys=rocm,gpu", {}).gpu.has_value());
  QVERIFY(targetFromText("cuda", {}).gpu.has_value());
}

void GpuTargets::textsOfCpusHaveNoGpu() {
  for (const char* text : {"llvm -keys=cpu -mcpu=core-avx2 -model=e5-2673", "llvm", "", "c -keys="})
    QVERIFY2(!targetFromText(text, {}).gpu, text);
}

void GpuTargets::hardwareNumbersAreRead() {
  const TargetFacts facts =
      targetFromText("cuda -keys=cuda,gpu", {-1, 16, 128, 65536, 2147483647, 512, 16, 64});
  QCOMPARE(facts.cacheLineBytes, 128);
  QCOMPARE(facts.gpu->sharedBytesPerBlock, 65'536);
  QCOMPARE(facts.gpu->threadsPerBlock, 512);
  QCOMPARE(facts.gpu->warpThreads, 64);
  QCOMPARE(facts.recordHardware(),
           (std::vector<std::int64_t>{-1, 16, 128, 65536, 2147483647, 512, 16, 64}));
}

void GpuTargets::devicesAreToldApart() {
  const TargetFacts sm90 = preset(9, 0);
  QVERIFY(sm90.id() != preset(8, 0).id());
  GpuFacts named = gpuPreset({9, 0});
  named.name = "NVIDIA H100 PCIe";
  QVERIFY(sm90.id() != cudaTarget(named).id());
  GpuFacts larger = named;
  larger.memoryBytes *= 2;
  QVERIFY(cudaTarget(named).id() != cudaTarget(larger).id());
  GpuFacts updated = named;
  updated.driverVersion = 13'000, updated.clockKilohertz /= 2;
  updated.memoryBytes -= 200 << 20; // that the newer driver keeps for itself
  QCOMPARE(cudaTarget(named).id(), cudaTarget(updated).id());
  QVERIFY(sm90.id().starts_with("cuda-sm_90-132sm-"));
}

void GpuTargets::factsAreStored() {
  GpuFacts gpu = gpuPreset({8, 9});
  gpu.name = "NVIDIA L4";
  gpu.driverVersion = 12'040;
  const TargetFacts facts = cudaTarget(gpu);
  const TargetFacts read = targetFactsFromJson(toJson(facts));
  QCOMPARE(read.gpu, facts.gpu);
  QCOMPARE(read.id(), facts.id());
  nlohmann::json broken = toJson(facts);
  broken["gpu"].erase("warp_threads");
  QVERIFY_THROWS_EXCEPTION(InputError, targetFactsFromJson(broken));
  broken["gpu"]["warp_threads"] = 0; // would be divided by
  QVERIFY_THROWS_EXCEPTION(InputError, targetFactsFromJson(broken));
}

void GpuTargets::factsOfCpusAreStoredAsBefore() {
  const nlohmann::json stored = toJson(TargetFacts());
  QVERIFY(!stored.contains("gpu"));
  QVERIFY(!targetFactsFromJson(stored).gpu);
}

NW_TEST_GUILESS(GpuTargets)

} // namespace nestwright::gpu_targets_test

#include "gpu_targets.moc"
