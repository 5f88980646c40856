/// The loop IR of known GPU programs after each pass, as text.

#include "core/lower/gpu/place_storage.h"
#include "tests/lower/gpu_check.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::gpu_golden_test {

const char* const kTiledDag = R"(A = PLACEHOLDER [32, 16]
B = PLACEHOLDER [16, 32]
C(i, j) += (A[i, k]*B[k, j])
D(i, j) = max(C[i, j], 0f)
)";
const char* const kTiledSteps =
    R"([["SP", 2, 0, 32, [2, 4, 1, 2], 1], ["SP", 2, 5, 32, [1, 4, 1, 4], 1], ["SP", 2, 10, 16, [2,
            2], 1], ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["FSP", 3, 0, 0, 3], ["FSP", 3,
            4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]], ["CA", 2, 3, 5], ["CHR", 1, "shared", [2]],
            ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]], ["CA", 1, 4, 6], ["FU", 5, [0, 1]], ["AN", 5, 0,
            5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4], ["FU", 5, [2, 3]], ["AN", 5, 2, 6], ["FU", 3, [0, 1]],
            ["SP", 3, 0, 64, [4], 1], ["AN", 3, 1, 2], ["FFSP", 3, 0, [1, 0], 1, 1], ["AN", 3, 1, 6],
            ["FU", 1, [0, 1]], ["SP", 1, 0, 64, [2], 1], ["AN", 1, 1, 2], ["FFSP", 1, 0, [1, 0], 1, 1],
            ["AN", 1, 1, 6]])";

/// The steps of the tiled product and one more.
std::string withStep(const std::string& step) {
  const std::string steps = kTiledSteps;
  return steps.substr(0, steps.rfind(']')) + ", " + step + "]";
}

/// Two warps, each with two tiles of 16 x 8, two steps along k.
const char* const kTensorDag = R"(A = PLACEHOLDER [32, 32] bfloat16
B = PLACEHOLDER [32, 16] bfloat16
C(i, j) += (float32(A[i, k])*float32(B[k, j]))
D(i, j) = bfloat16(C[i, j])
)";
const char* const kTensorSteps =
    R"([["SP", 2, 0, 32, [1, 2, 1, 16], 1], ["SP", 2, 5, 16, [1, 1, 2, 8], 1],
        ["SP", 2, 10, 32, [1, 16], 1], ["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]],
        ["FSP", 3, 0, 0, 3], ["FSP", 3, 4, 1, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]],
        ["CA", 2, 3, 5], ["AN", 2, 10, 11], ["AN", 2, 11, 11], ["AN", 2, 12, 11],
        ["PR", 2, 0, "tensor_instruction$mma_m16n8k16_bf16"], ["CHR", 1, "shared", [2]],
        ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]], ["CA", 1, 4, 6], ["FU", 5, [0, 1]],
        ["AN", 5, 0, 7], ["FU", 5, [1, 2]], ["AN", 5, 1, 5], ["FU", 5, [2, 3]], ["AN", 5, 2, 8],
        ["SP", 5, 4, 16, [4, 2], 1], ["SP", 5, 3, 16, [2, 8], 1],
        ["RE", 5, [0, 1, 2, 5, 7, 3, 4, 6, 8]], ["FU", 5, [3, 4]], ["AN", 5, 3, 6],
        ["FU", 3, [0, 1]], ["SP", 3, 0, 0, [32, 4], 1], ["AN", 3, 2, 2], ["AN", 3, 1, 6],
        ["FFSP", 3, 0, [1, 0], 1, 1], ["AN", 3, 1, 8], ["FU", 1, [0, 1]],
        ["SP", 1, 0, 0, [32, 8], 1], ["AN", 1, 2, 2], ["AN", 1, 1, 6],
        ["FFSP", 1, 0, [1, 0], 1, 1], ["AN", 1, 1, 8]])";

QString textAfter(const char* dag, const char* steps, const std::string& pass) {
  return QString::fromStdString(gpuText(dag, steps, pass));
}

class GpuGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Every fetch has a thread loop of its own inside of the one that it serves.
  void threadLoopsAndFetches() {
    QCOMPARE(textAfter(kTiledDag, kTiledSteps, "simplify_indices"),
             QString(R"(kernel(A: float32[32, 16], B: float32[16, 32]) -> (D: float32[32, 32])
  launch D with one thread
    blockIdx.x i.0@j.0@ in [0, 4)
      vthread i.1@j.1@ in [0, 2)
        threadIdx.x i.2@j.2@ in [0, 16)
          allocate C: float32[2, 4] in per thread
          for i.4.init in [0, 2)
            for j.4.init in [0, 4)
              C[i.4.init, j.4.init] = 0f
          for k.0 in [0, 4)
            allocate A.shared: float32[16, 4] in block
            for ax0@ax1@.0.0 in [0, 2)
              threadIdx.x ax0@ax1@.0.1 in [0, 16)
                vectorized ax0@ax1@.1 in [0, 2)
                  A.shared[ax0@ax1@.0.0*8 + floordiv(ax0@ax1@.0.1, 2), floormod(ax0@ax1@.0.1, 2)*2 + ax0@ax1@.1] = A[floordiv(i.0@j.0@, 2)*16 + ax0@ax1@.0.0*8 + floordiv(ax0@ax1@.0.1, 2), k.0*4 + floormod(ax0@ax1@.0.1, 2)*2 + ax0@ax1@.1]
            allocate B.shared: float32[4, 16] in block
            threadIdx.x ax0@ax1@.0.1 in [0, 16)
              vectorized ax0@ax1@.1 in [0, 4)
                B.shared[floordiv(ax0@ax1@.0.1, 4), floormod(ax0@ax1@.0.1, 4)*4 + ax0@ax1@.1] = B[k.0*4 + floordiv(ax0@ax1@.0.1, 4), floormod(i.0@j.0@, 2)*16 + floormod(ax0@ax1@.0.1, 4)*4 + ax0@ax1@.1]
            for k.1 in [0, 2)
              for k.2 in [0, 2)
                for i.4 in [0, 2)
                  for j.4 in [0, 4)
                    C[i.4, j.4] = C[i.4, j.4] + A.shared[i.1@j.1@*8 + floordiv(i.2@j.2@, 4)*2 + i.4, k.1*2 + k.2]*B.shared[k.1*2 + k.2, floormod(i.2@j.2@, 4)*4 + j.4]
          for i.3 in [0, 2)
            for j.3 in [0, 4)
              D[floordiv(i.0@j.0@, 2)*16 + i.1@j.1@*8 + floordiv(i.2@j.2@, 4)*2 + i.3, floormod(i.0@j.0@, 2)*16 + floormod(i.2@j.2@, 4)*4 + j.3] = max(C[i.3, j.3], 0f)
)"));
  }

  // A warp loads each tile once, and each lane stores the sums that it holds.
  void tensorInstructions() {
    QCOMPARE(textAfter(kTensorDag, kTensorSteps, "tensorize"),
             QString(R"(kernel(A: bfloat16[32, 32], B: bfloat16[32, 16]) -> (D: bfloat16[32, 16])
  launch D with threadIdx.x in [0, 32), threadIdx.y in [0, 2)
    allocate C: float32[1, 2, 4] in per thread
    for j.3.init in [0, 2)
      unrolled element in [0, 4)
        C[0, j.3.init, element] = 0f
    for k.0 in [0, 2)
      allocate A.shared: bfloat16[32, 16] in block
      vectorized ax0@ax1@.2 in [0, 8)
        A.shared[threadIdx.y*16 + floordiv(threadIdx.x, 2), floormod(threadIdx.x, 2)*8 + ax0@ax1@.2] = A[threadIdx.y*16 + floordiv(threadIdx.x, 2), k.0*16 + floormod(threadIdx.x, 2)*8 + ax0@ax1@.2]
      allocate B.shared: bfloat16[16, 16] in block
      vectorized ax0@ax1@.2 in [0, 4)
        B.shared[threadIdx.y*8 + floordiv(threadIdx.x, 4), floormod(threadIdx.x, 4)*4 + ax0@ax1@.2] = B[k.0*16 + threadIdx.y*8 + floordiv(threadIdx.x, 4), floormod(threadIdx.x, 4)*4 + ax0@ax1@.2]
      allocate A.shared.fragment: bfloat16[8] in per thread
      allocate B.shared.fragment: bfloat16[2, 4] in per thread
      A.shared.fragment[0] = load_rows(A.shared[threadIdx.y*16, 0], 16 by 1, whole)
      for j.3 in [0, 2)
        B.shared.fragment[j.3, 0] = load_columns(B.shared[0, j.3*8], 16 by 1, whole)
      for j.3 in [0, 2)
        C[0, j.3, 0] += mma_m16n8k16_bf16(A.shared.fragment[0], B.shared.fragment[j.3, 0])
    for i.3.1 in [0, 2)
      for j.3.0 in [0, 2)
        for j.3.2 in [0, 2)
          D[threadIdx.y*16 + i.3.1*8 + floordiv(threadIdx.x, 4), j.3.0*8 + floormod(threadIdx.x, 4)*2 + j.3.2] = bfloat16(C[0, j.3.0, i.3.1*2 + j.3.2])
)"));
    QCOMPARE(textAfter(kTensorDag, kTensorSteps, ""),
             QString(R"(kernel(A: bfloat16[32, 32], B: bfloat16[32, 16]) -> (D: bfloat16[32, 16])
  launch D with threadIdx.x in [0, 32), threadIdx.y in [0, 2)
    allocate A.shared: bfloat16[32, 16] in block
    allocate B.shared: bfloat16[16, 16] in block
    allocate C: float32[1, 2, 4] in registers
    unrolled j.3.init in [0, 2)
      unrolled element in [0, 4)
        C[0, j.3.init, element] = 0f
    for k.0 in [0, 2)
      barrier
      A.shared[threadIdx.y*16 + floordiv(threadIdx.x, 2), ramp(floormod(threadIdx.x, 2)*8, 1, 8)] = A[threadIdx.y*16 + floordiv(threadIdx.x, 2), ramp(k.0*16 + floormod(threadIdx.x, 2)*8, 1, 8)]
      B.shared[threadIdx.y*8 + floordiv(threadIdx.x, 4), ramp(floormod(threadIdx.x, 4)*4, 1, 4)] = B[k.0*16 + threadIdx.y*8 + floordiv(threadIdx.x, 4), ramp(floormod(threadIdx.x, 4)*4, 1, 4)]
      barrier
      allocate A.shared.fragment: bfloat16[8] in registers
      allocate B.shared.fragment: bfloat16[2, 4] in registers
      A.shared.fragment[0] = load_rows(A.shared[threadIdx.y*16, 0], 16 by 1, whole)
      unrolled j.3 in [0, 2)
        B.shared.fragment[j.3, 0] = load_columns(B.shared[0, j.3*8], 16 by 1, whole)
      unrolled j.3 in [0, 2)
        C[0, j.3, 0] += mma_m16n8k16_bf16(A.shared.fragment[0], B.shared.fragment[j.3, 0])
    unrolled i.3.1 in [0, 2)
      unrolled j.3.0 in [0, 2)
        D[threadIdx.y*16 + i.3.1*8 + floordiv(threadIdx.x, 4), ramp(j.3.0*8 + floormod(threadIdx.x, 4)*2, 1, 2)] = bfloat16x2(C[0, j.3.0, ramp(i.3.1*2, 1, 2)])
)"));
  }

  void launchWithItsAxes() {
    QCOMPARE(textAfter(kTiledDag, kTiledSteps, "bind_threads"),
             QString(R"(kernel(A: float32[32, 16], B: float32[16, 32]) -> (D: float32[32, 32])
  launch D with blockIdx.x in [0, 4), threadIdx.x in [0, 16)
    vthread i.1@j.1@ in [0, 2)
      allocate C: float32[2, 4] in per thread
      for i.4.init in [0, 2)
        for j.4.init in [0, 4)
          C[i.4.init, j.4.init] = 0f
      for k.0 in [0, 4)
        allocate A.shared: float32[16, 4] in block
        for ax0@ax1@.0.0 in [0, 2)
          vectorized ax0@ax1@.1 in [0, 2)
            A.shared[ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), floormod(threadIdx.x, 2)*2 + ax0@ax1@.1] = A[floordiv(blockIdx.x, 2)*16 + ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), k.0*4 + floormod(threadIdx.x, 2)*2 + ax0@ax1@.1]
        allocate B.shared: float32[4, 16] in block
        vectorized ax0@ax1@.1 in [0, 4)
          B.shared[floordiv(threadIdx.x, 4), floormod(threadIdx.x, 4)*4 + ax0@ax1@.1] = B[k.0*4 + floordiv(threadIdx.x, 4), floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4 + ax0@ax1@.1]
        for k.1 in [0, 2)
          for k.2 in [0, 2)
            for i.4 in [0, 2)
              for j.4 in [0, 4)
                C[i.4, j.4] = C[i.4, j.4] + A.shared[i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.4, k.1*2 + k.2]*B.shared[k.1*2 + k.2, floormod(threadIdx.x, 4)*4 + j.4]
      for i.3 in [0, 2)
        for j.3 in [0, 4)
          D[floordiv(blockIdx.x, 2)*16 + i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.3, floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4 + j.3] = max(C[i.3, j.3], 0f)
)"));
  }

  // What all virtual threads fetch together is there once.
  void virtualThreadsAtTheInnermostTile() {
    QCOMPARE(textAfter(kTiledDag, kTiledSteps, "expand_vthreads"),
             QString(R"(kernel(A: float32[32, 16], B: float32[16, 32]) -> (D: float32[32, 32])
  launch D with blockIdx.x in [0, 4), threadIdx.x in [0, 16)
    allocate C: float32[2, 2, 4] in per thread
    for i.4.init in [0, 2)
      for j.4.init in [0, 4)
        unrolled i.1@j.1@ in [0, 2)
          C[i.1@j.1@, i.4.init, j.4.init] = 0f
    for k.0 in [0, 4)
      allocate A.shared: float32[16, 4] in block
      for ax0@ax1@.0.0 in [0, 2)
        vectorized ax0@ax1@.1 in [0, 2)
          A.shared[ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), floormod(threadIdx.x, 2)*2 + ax0@ax1@.1] = A[floordiv(blockIdx.x, 2)*16 + ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), k.0*4 + floormod(threadIdx.x, 2)*2 + ax0@ax1@.1]
      allocate B.shared: float32[4, 16] in block
      vectorized ax0@ax1@.1 in [0, 4)
        B.shared[floordiv(threadIdx.x, 4), floormod(threadIdx.x, 4)*4 + ax0@ax1@.1] = B[k.0*4 + floordiv(threadIdx.x, 4), floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4 + ax0@ax1@.1]
      for k.1 in [0, 2)
        for k.2 in [0, 2)
          for i.4 in [0, 2)
            for j.4 in [0, 4)
              unrolled i.1@j.1@ in [0, 2)
                C[i.1@j.1@, i.4, j.4] = C[i.1@j.1@, i.4, j.4] + A.shared[i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.4, k.1*2 + k.2]*B.shared[k.1*2 + k.2, floormod(threadIdx.x, 4)*4 + j.4]
    for i.3 in [0, 2)
      for j.3 in [0, 4)
        unrolled i.1@j.1@ in [0, 2)
          D[floordiv(blockIdx.x, 2)*16 + i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.3, floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4 + j.3] = max(C[i.1@j.1@, i.3, j.3], 0f)
)"));
  }

  // Three tiles at once: two before the loop, and one barrier a tile.
  void tilesFetchedAhead() {
    QCOMPARE(textAfter(kTiledDag, withStep(R"(["PR", 4, 0, "pipeline_stages$3"])").c_str(),
                       "pipeline_shared"),
             QString(R"(kernel(A: float32[32, 16], B: float32[16, 32]) -> (D: float32[32, 32])
  launch D with blockIdx.x in [0, 4), threadIdx.x in [0, 16)
    allocate C: float32[2, 2, 4] in per thread
    for i.4.init in [0, 2)
      for j.4.init in [0, 4)
        unrolled i.1@j.1@ in [0, 2)
          C[i.1@j.1@, i.4.init, j.4.init] = 0f
    allocate A.shared: float32[3, 16, 4] in block
    allocate B.shared: float32[3, 4, 16] in block
    for k.0.first in [0, 2)
      for ax0@ax1@.0.0 in [0, 2)
        vectorized ax0@ax1@.1 in [0, 2)
          A.shared[k.0.first, ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), floormod(threadIdx.x, 2)*2 + ax0@ax1@.1] = copy_async(A[floordiv(blockIdx.x, 2)*16 + ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), k.0.first*4 + floormod(threadIdx.x, 2)*2 + ax0@ax1@.1])
      vectorized ax0@ax1@.1 in [0, 4)
        B.shared[k.0.first, floordiv(threadIdx.x, 4), floormod(threadIdx.x, 4)*4 + ax0@ax1@.1] = copy_async(B[k.0.first*4 + floordiv(threadIdx.x, 4), floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4 + ax0@ax1@.1])
      commit copies
    for k.0 in [0, 4) pipeline_stages: 3
      wait for all copies but 1 group
      barrier
      if k.0 + 2 < 4
        for ax0@ax1@.0.0 in [0, 2)
          vectorized ax0@ax1@.1 in [0, 2)
            A.shared[floormod(k.0 + 2, 3), ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), floormod(threadIdx.x, 2)*2 + ax0@ax1@.1] = copy_async(A[floordiv(blockIdx.x, 2)*16 + ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), k.0*4 + floormod(threadIdx.x, 2)*2 + ax0@ax1@.1 + 8])
        vectorized ax0@ax1@.1 in [0, 4)
          B.shared[floormod(k.0 + 2, 3), floordiv(threadIdx.x, 4), floormod(threadIdx.x, 4)*4 + ax0@ax1@.1] = copy_async(B[k.0*4 + floordiv(threadIdx.x, 4) + 8, floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4 + ax0@ax1@.1])
      commit copies
      for k.1 in [0, 2)
        for k.2 in [0, 2)
          for i.4 in [0, 2)
            for j.4 in [0, 4)
              unrolled i.1@j.1@ in [0, 2)
                C[i.1@j.1@, i.4, j.4] = C[i.1@j.1@, i.4, j.4] + A.shared[floormod(k.0, 3), i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.4, k.1*2 + k.2]*B.shared[floormod(k.0, 3), k.1*2 + k.2, floormod(threadIdx.x, 4)*4 + j.4]
    for i.3 in [0, 2)
      for j.3 in [0, 4)
        unrolled i.1@j.1@ in [0, 2)
          D[floordiv(blockIdx.x, 2)*16 + i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.3, floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4 + j.3] = max(C[i.1@j.1@, i.3, j.3], 0f)
)"));
  }

  // Before sm_80 a thread holds the next tile while it works.
  void tilesHeldInRegisters() {
    const std::string steps = withStep(R"(["PR", 4, 0, "pipeline_stages$2"])");
    const QString text =
        QString::fromStdString(gpuText(kTiledDag, steps.c_str(), "pipeline_shared", {7, 5}));
    QVERIFY2(text.contains(QString(R"(    for k.0 in [0, 4) pipeline_stages: 2
      allocate B.shared.next: float32[4] in per thread
      allocate A.shared.next: float32[2, 2] in per thread
      barrier
      if k.0 + 1 < 4
        for ax0@ax1@.0.0 in [0, 2)
          vectorized ax0@ax1@.1 in [0, 2)
            A.shared.next[ax0@ax1@.0.0, ax0@ax1@.1] = A[floordiv(blockIdx.x, 2)*16 + ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), k.0*4 + floormod(threadIdx.x, 2)*2 + ax0@ax1@.1 + 4]
        vectorized ax0@ax1@.1 in [0, 4)
          B.shared.next[ax0@ax1@.1] = B[k.0*4 + floordiv(threadIdx.x, 4) + 4, floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4 + ax0@ax1@.1]
      for k.1 in [0, 2)
        for k.2 in [0, 2)
          for i.4 in [0, 2)
            for j.4 in [0, 4)
              unrolled i.1@j.1@ in [0, 2)
                C[i.1@j.1@, i.4, j.4] = C[i.1@j.1@, i.4, j.4] + A.shared[floormod(k.0, 2), i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.4, k.1*2 + k.2]*B.shared[floormod(k.0, 2), k.1*2 + k.2, floormod(threadIdx.x, 4)*4 + j.4]
      if k.0 + 1 < 4
        for ax0@ax1@.0.0 in [0, 2)
          vectorized ax0@ax1@.1 in [0, 2)
            A.shared[floormod(k.0 + 1, 2), ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), floormod(threadIdx.x, 2)*2 + ax0@ax1@.1] = A.shared.next[ax0@ax1@.0.0, ax0@ax1@.1]
        vectorized ax0@ax1@.1 in [0, 4)
          B.shared[floormod(k.0 + 1, 2), floordiv(threadIdx.x, 4), floormod(threadIdx.x, 4)*4 + ax0@ax1@.1] = B.shared.next[ax0@ax1@.1]
)")),
             qPrintable(text));
  }

  // An iteration after the other, with numbers in place of the variable.
  void loopsWrittenOut() {
    const char* dag = "A = PLACEHOLDER [64]\nB(i) = exp(A[i])\n";
    const char* steps = R"([["SP", 1, 0, 64, [3, 16], 1], ["AN", 1, 0, 5], ["AN", 1, 1, 1],
                            ["AN", 1, 2, 6], ["PR", 1, 0, "unroll_explicit$1"]])";
    QCOMPARE(textAfter(dag, steps, "write_out_loops"),
             QString(R"(kernel(A: float32[64]) -> (B: float32[64])
  launch B with blockIdx.x in [0, 2), threadIdx.x in [0, 16)
    if blockIdx.x*48 + threadIdx.x < 64
      B[blockIdx.x*48 + threadIdx.x] = exp(A[blockIdx.x*48 + threadIdx.x])
    if blockIdx.x*48 + threadIdx.x < 48
      B[blockIdx.x*48 + threadIdx.x + 16] = exp(A[blockIdx.x*48 + threadIdx.x + 16])
    if blockIdx.x*48 + threadIdx.x < 32
      B[blockIdx.x*48 + threadIdx.x + 32] = exp(A[blockIdx.x*48 + threadIdx.x + 32])
)"));
  }

  // Two rows of two blocks, column by column.
  void blocksInRasterOrder() {
    const std::string steps = withStep(R"(["PR", 5, 0, "raster$2"], ["PR", 5, 0, "min_blocks$2"])");
    const QString text = textAfter(kTiledDag, steps.c_str(), "simplify_bound");
    QVERIFY2(text.startsWith(
                 QString(R"(kernel(A: float32[32, 16], B: float32[16, 32]) -> (D: float32[32, 32])
  launch D with blockIdx.x in [0, 4), threadIdx.x in [0, 16) min_blocks: 2
    allocate C: float32[2, 2, 4] in per thread
    for i.4.init in [0, 2)
      for j.4.init in [0, 4)
        unrolled i.1@j.1@ in [0, 2)
          C[i.1@j.1@, i.4.init, j.4.init] = 0f
    for k.0 in [0, 4)
      allocate A.shared: float32[16, 4] in block
      for ax0@ax1@.0.0 in [0, 2)
        vectorized ax0@ax1@.1 in [0, 2)
          A.shared[ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), floormod(threadIdx.x, 2)*2 + ax0@ax1@.1] = A[floormod(blockIdx.x, 2)*16 + ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), k.0*4 + floormod(threadIdx.x, 2)*2 + ax0@ax1@.1]
      allocate B.shared: float32[4, 16] in block
)")),
             qPrintable(text));
  }

  // One before the fetches, for the readers of the iteration before, and one behind.
  void barriersAroundFetches() {
    QCOMPARE(textAfter(kTiledDag, kTiledSteps, "place_barriers"),
             QString(R"(kernel(A: float32[32, 16], B: float32[16, 32]) -> (D: float32[32, 32])
  launch D with blockIdx.x in [0, 4), threadIdx.x in [0, 16)
    allocate A.shared: float32[16, 4] in block
    allocate B.shared: float32[4, 16] in block
    allocate C: float32[2, 2, 4] in registers
    for i.4.init in [0, 2)
      for j.4.init in [0, 4)
        unrolled i.1@j.1@ in [0, 2)
          C[i.1@j.1@, i.4.init, j.4.init] = 0f
    for k.0 in [0, 4)
      barrier
      for ax0@ax1@.0.0 in [0, 2)
        vectorized ax0@ax1@.1 in [0, 2)
          A.shared[ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), floormod(threadIdx.x, 2)*2 + ax0@ax1@.1] = A[floordiv(blockIdx.x, 2)*16 + ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), k.0*4 + floormod(threadIdx.x, 2)*2 + ax0@ax1@.1]
      vectorized ax0@ax1@.1 in [0, 4)
        B.shared[floordiv(threadIdx.x, 4), floormod(threadIdx.x, 4)*4 + ax0@ax1@.1] = B[k.0*4 + floordiv(threadIdx.x, 4), floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4 + ax0@ax1@.1]
      barrier
      for k.1 in [0, 2)
        for k.2 in [0, 2)
          for i.4 in [0, 2)
            for j.4 in [0, 4)
              unrolled i.1@j.1@ in [0, 2)
                C[i.1@j.1@, i.4, j.4] = C[i.1@j.1@, i.4, j.4] + A.shared[i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.4, k.1*2 + k.2]*B.shared[k.1*2 + k.2, floormod(threadIdx.x, 4)*4 + j.4]
    for i.3 in [0, 2)
      for j.3 in [0, 4)
        unrolled i.1@j.1@ in [0, 2)
          D[floordiv(blockIdx.x, 2)*16 + i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.3, floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4 + j.3] = max(C[i.1@j.1@, i.3, j.3], 0f)
)"));
  }

  void wholeTile() {
    QCOMPARE(textAfter(kTiledDag, kTiledSteps, ""),
             QString(R"(kernel(A: float32[32, 16], B: float32[16, 32]) -> (D: float32[32, 32])
  launch D with blockIdx.x in [0, 4), threadIdx.x in [0, 16)
    allocate A.shared: float32[16, 4] in block
    allocate B.shared: float32[4, 16] in block
    allocate C: float32[2, 2, 4] in registers
    unrolled i.4.init in [0, 2)
      unrolled j.4.init in [0, 4)
        unrolled i.1@j.1@ in [0, 2)
          C[i.1@j.1@, i.4.init, j.4.init] = 0f
    for k.0 in [0, 4)
      barrier
      for ax0@ax1@.0.0 in [0, 2)
        A.shared[ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), ramp(floormod(threadIdx.x, 2)*2, 1, 2)] = A[floordiv(blockIdx.x, 2)*16 + ax0@ax1@.0.0*8 + floordiv(threadIdx.x, 2), ramp(k.0*4 + floormod(threadIdx.x, 2)*2, 1, 2)]
      B.shared[floordiv(threadIdx.x, 4), ramp(floormod(threadIdx.x, 4)*4, 1, 4)] = B[k.0*4 + floordiv(threadIdx.x, 4), ramp(floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4, 1, 4)]
      barrier
      for k.1 in [0, 2)
        for k.2 in [0, 2)
          unrolled i.4 in [0, 2)
            unrolled j.4 in [0, 4)
              unrolled i.1@j.1@ in [0, 2)
                C[i.1@j.1@, i.4, j.4] = C[i.1@j.1@, i.4, j.4] + A.shared[i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.4, k.1*2 + k.2]*B.shared[k.1*2 + k.2, floormod(threadIdx.x, 4)*4 + j.4]
    unrolled i.3 in [0, 2)
      unrolled i.1@j.1@ in [0, 2)
        D[floordiv(blockIdx.x, 2)*16 + i.1@j.1@*8 + floordiv(threadIdx.x, 4)*2 + i.3, ramp(floormod(blockIdx.x, 2)*16 + floormod(threadIdx.x, 4)*4, 1, 4)] = max(C[i.1@j.1@, i.3, ramp(0, 1, 4)], x4(0f))
)"));
  }

  void vectorsWhereNoConditionTellsLanesApart() {
    QCOMPARE(
        textAfter(
            R"(A = PLACEHOLDER [100]
C(i) = (A[i]*2f)
)",
            R"([["SP", 1, 0, 100, [16, 4], 1], ["AN", 1, 0, 5], ["AN", 1, 1, 6], ["AN", 1, 2, 2]])",
            "vectorize_copies"),
        QString(R"(kernel(A: float32[100]) -> (C: float32[100])
  launch C with blockIdx.x in [0, 2), threadIdx.x in [0, 16)
    if blockIdx.x*16 + threadIdx.x < 25
      C[ramp(blockIdx.x*64 + threadIdx.x*4, 1, 4)] = A[ramp(blockIdx.x*64 + threadIdx.x*4, 1, 4)]*x4(2f)
)"));
  }

  void widerThanAnAccess() {
    QCOMPARE(
        textAfter(
            R"(A = PLACEHOLDER [30, 16]
C(i, j) = (A[i, j]*2f)
)",
            R"([["FU", 1, [0, 1]], ["SP", 1, 0, 480, [8, 8], 1], ["AN", 1, 0, 5], ["AN", 1, 1, 6], ["AN", 1,
            2, 2]])",
            "vectorize_copies"),
        QString(R"(kernel(A: float32[30, 16]) -> (C: float32[30, 16])
  launch C with blockIdx.x in [0, 8), threadIdx.x in [0, 8)
    if blockIdx.x*4 + floordiv(threadIdx.x, 2) < 30
      unrolled i@j@.2 in [0, 2)
        if blockIdx.x*16 + threadIdx.x*2 + i@j@.2 < 120
          C[blockIdx.x*4 + floordiv(threadIdx.x, 2), ramp(floormod(threadIdx.x, 2)*8 + i@j@.2*4, 1, 4)] = A[blockIdx.x*4 + floordiv(threadIdx.x, 2), ramp(floormod(threadIdx.x, 2)*8 + i@j@.2*4, 1, 4)]*x4(2f)
)"));
  }

  // Of numbers of 8 bytes two are an access, and four of those of 4 bytes that they become.
  void asManyAsTheWidestNumbersAllow() {
    QCOMPARE(
        textAfter(
            R"(A = PLACEHOLDER [128] float64
C(i) = float32(A[i])
)",
            R"([["SP", 1, 0, 128, [16, 4], 1], ["AN", 1, 0, 5], ["AN", 1, 1, 6], ["AN", 1, 2, 2]])",
            "vectorize_copies"),
        QString(R"(kernel(A: float64[128]) -> (C: float32[128])
  launch C with blockIdx.x in [0, 2), threadIdx.x in [0, 16)
    unrolled i.2 in [0, 2)
      C[ramp(blockIdx.x*64 + threadIdx.x*4 + i.2*2, 1, 2)] = float32x2(A[ramp(blockIdx.x*64 + threadIdx.x*4 + i.2*2, 1, 2)])
)"));
  }

  // Nobody asked for its iterations one by one.
  void aLoopThatIsNotAnnotatedStaysOne() {
    QCOMPARE(textAfter(R"(A = PLACEHOLDER [2, 256]
C(i, j) = (A[i, j]*2f)
)",
                       R"([["AN", 1, 0, 5]])", "vectorize_copies"),
             QString(R"(kernel(A: float32[2, 256]) -> (C: float32[2, 256])
  launch C with blockIdx.x in [0, 2)
    for j in [0, 64)
      C[blockIdx.x, ramp(j*4, 1, 4)] = A[blockIdx.x, ramp(j*4, 1, 4)]*x4(2f)
)"));
  }

  void paddingTellsLanesApart() {
    QCOMPARE(
        textAfter(
            R"(A = PLACEHOLDER [8, 28]
P(i=8, j=32) = if_then_else(((j >= 2) && (j < 30)), A[i, (j - 2)], 0f)
C(i=8, j=32) = (P[i, j]*2f)
)",
            R"([["CI", 1], ["FU", 2, [0, 1]], ["SP", 2, 0, 256, [32, 4], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 6],
            ["AN", 2, 2, 2]])",
            "vectorize_copies"),
        QString(R"(kernel(A: float32[8, 28]) -> (C: float32[8, 32])
  launch C with blockIdx.x in [0, 2), threadIdx.x in [0, 32)
    for i@j@.2 in [0, 4)
      C[blockIdx.x*4 + floordiv(threadIdx.x, 8), floormod(threadIdx.x, 8)*4 + i@j@.2] = if_then_else(floormod(threadIdx.x, 8)*4 + i@j@.2 >= 2 && floormod(threadIdx.x, 8)*4 + i@j@.2 < 30, A[blockIdx.x*4 + floordiv(threadIdx.x, 8), floormod(threadIdx.x, 8)*4 + i@j@.2 - 2], 0f)*2f
)"));
  }

  void misalignedRows() {
    QCOMPARE(textAfter(R"(A = PLACEHOLDER [6, 5]
C(i, j=4) = A[i, (j + 1)]
)",
                       R"([["AN", 1, 0, 6], ["AN", 1, 1, 2]])", "vectorize_copies"),
             QString(R"(kernel(A: float32[6, 5]) -> (C: float32[6, 4])
  launch C with threadIdx.x in [0, 6)
    for j in [0, 4)
      C[threadIdx.x, j] = A[threadIdx.x, j + 1]
)"));
  }

  void indicesThatNeed64Bits() {
    QCOMPARE(
        textAfter(
            R"(A = PLACEHOLDER [4, 2147483648]
C(i, j) = (A[i, j]*2f)
)",
            R"([["FU", 1, [0, 1]], ["SP", 1, 0, 8589934592, [256], 1], ["AN", 1, 0, 5], ["AN", 1, 1, 6]])",
            ""),
        QString(R"(kernel(A: float32[4, 2147483648]) -> (C: float32[4, 2147483648])
  launch C with blockIdx.x in [0, 33554432), threadIdx.x in [0, 256)
    C[int64(floordiv(blockIdx.x, 8388608)), int64(floormod(blockIdx.x, 8388608)*256 + threadIdx.x)] = A[int64(floordiv(blockIdx.x, 8388608)), int64(floormod(blockIdx.x, 8388608)*256 + threadIdx.x)]*2f
)"));
  }

  // Two tiles that are never alive together, one of them smaller, and a small buffer.
  void sharedMemory() {
    const Buffer in = makeBuffer("in", {1024}), out = makeBuffer("out", {1024});
    const Var thread = makeVar("threadIdx.x");
    const auto through = [&](const Buffer& tile, Expr index) {
      return makeAllocate(
          tile, MemoryScope::Block,
          makeSequence({makeStore(tile, {Expr(0), Expr(thread)}, load(in, {Expr(thread)})),
                        makeStore(out, {std::move(index)}, load(tile, {Expr(0), Expr(thread)}))}));
    };
    Launch launch;
    launch.kernel = "out";
    launch.threads[0] = {thread, 256};
    LoopFunction function;
    function.parameters = {in, out};
    function.inputCount = 1;
    function.body = makeLaunch(
        launch, makeSequence({through(makeBuffer("a", {2, 256}), Expr(thread)),
                              through(makeBuffer("b", {1, 256}), Expr(thread) + Expr(256)),
                              through(makeBuffer("c", {1, 200}), Expr(thread) + Expr(512))}));
    function.body = placeStorage(function.body);
    QCOMPARE(QString::fromStdString(print(function)),
             QString(R"(kernel(in: float32[1024]) -> (out: float32[1024])
  launch out with threadIdx.x in [0, 256)
    allocate a+b: float32[512] in block
    allocate c: float32[1, 200] in block
    a+b[0 + threadIdx.x] = in[threadIdx.x]
    out[threadIdx.x] = a+b[0 + threadIdx.x]
    a+b[0 + threadIdx.x] = in[threadIdx.x]
    out[threadIdx.x + 256] = a+b[0 + threadIdx.x]
    c[0, threadIdx.x] = in[threadIdx.x]
    out[threadIdx.x + 512] = c[0, threadIdx.x]
)"));
  }
};

NW_TEST_APPLESS(GpuGolden)

} // namespace nestwright::gpu_golden_test

#include "gpu_golden.moc"
