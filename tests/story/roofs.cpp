/// What bounds the programs of a target.

#include "core/story/roofline.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::roofs_test {

class RoofsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aProcessorHasOneAndMeasuresItsMemory() {
    TargetFacts target;
    target.cores = 4, target.peakFlopsPerCore = 1e11;
    const Roofs roofs = roofsOf(target);
    QVERIFY(!roofs.isGpu);
    QCOMPARE(roofs.peakFlops, 4e11);
    QVERIFY(roofs.ceilings.empty());
    QVERIFY((roofs.bandwidths == std::array<double, kTrafficKinds>{}));
  }

  void aProcessorMayHaveInstructionsForNarrowProducts() {
    TargetFacts target;
    target.cores = 2, target.peakFlopsPerCore = 1e11;
    target.features = {"avx512vl", "avx512_bf16", "avx512_vnni"};
    const Roofs roofs = roofsOf(target);
    QCOMPARE(roofs.peakFlops, 2e11);
    QCOMPARE(ceilingOver(roofs, 3e11),
             (std::optional<Ceiling>({Ceiling::Unit::DotBFloat16, 4e11})));
    QCOMPARE(ceilingOver(roofs, 8e11), (std::optional<Ceiling>({Ceiling::Unit::DotInt8, 8e11})));
    QVERIFY(!ceilingOver(roofs, 9e11));
    // Without the one for bytes that for words of 16 bits is left, without that for bfloat16 none.
    target.features = {"avx2"}, target.vectorBytes = 32;
    QCOMPARE(roofsOf(target).ceilings, (std::vector<Ceiling>{{Ceiling::Unit::DotInt8, 4e11}}));
  }

  void aGpuHasThoseOfItsPipesAndLevels() {
    const GpuFacts gpu = gpuPreset({9, 0});
    const Roofs roofs = roofsOf(cudaTarget(gpu));
    QVERIFY(roofs.isGpu);
    QCOMPARE(roofs.peakFlops, gpu.peakFlops()); // 66.9 TFLOP/s
    QCOMPARE(roofs.ceilings.size(), std::size_t(2));
    QCOMPARE(roofs.ceilings[0].flops, gpu.peakTf32Flops());
    QCOMPARE(roofs.ceilings[1].flops, gpu.peakHalfFlops());
    const auto& [memory, l2, shared] = roofs.bandwidths;
    QCOMPARE(memory, gpu.peakMemoryBytes());
    QCOMPARE(shared, gpu.peakSharedBytes());
    QVERIFY(memory < l2 && l2 < shared); // the nearer the quicker
  }

  /// What goes beyond fp32 is held against the lowest roof that it does not exceed.
  void programsAreHeldAgainstTheRoofOverThem() {
    const GpuFacts gpu = gpuPreset({9, 0});
    const Roofs roofs = roofsOf(cudaTarget(gpu));
    QVERIFY(!ceilingOver(roofs, gpu.peakFlops()));
    QCOMPARE(ceilingOver(roofs, 1.01 * gpu.peakFlops()), std::optional(roofs.ceilings[0]));
    QVERIFY(roofs.ceilings[0].unit == Ceiling::Unit::TensorTf32);
    QCOMPARE(ceilingOver(roofs, gpu.peakHalfFlops()), std::optional(roofs.ceilings[1]));
    QVERIFY(!ceilingOver(roofs, 2 * gpu.peakHalfFlops()));
    QVERIFY(!ceilingOver(roofsOf(TargetFacts()), 1e18));
  }

  void whatARecordDoesNotSayIsNotKnown() {
    // As an imported record has it: "cuda -keys=cuda,gpu -max_num_threads=1024".
    const Roofs roofs = roofsOf(cudaTarget(GpuFacts()));
    QVERIFY(roofs.isGpu);
    QCOMPARE(roofs.peakFlops, 0.0);
    QVERIFY(roofs.ceilings.empty());
    QVERIFY((roofs.bandwidths == std::array<double, kTrafficKinds>{}));
  }

  void olderGpusHaveNoTensorCores() {
    QVERIFY(roofsOf(cudaTarget(gpuPreset({3, 7}))).ceilings.empty());
  }
};

NW_TEST_APPLESS(RoofsTest)

} // namespace nestwright::roofs_test

#include "roofs.moc"
