/// The loop IR of reductions that the threads of a GPU share, as text.

#include "tests/lower/gpu_check.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::gpu_reductions_golden_test {

const char* const kRowsDag = R"(A = PLACEHOLDER [21, 130]
S(i) += A[i, k]
)";
const char* const kSoftmaxDag = R"(A = PLACEHOLDER [5, 100]
M(i) max= A[i, k]
E(i, j) = exp((A[i, j] - M[i]))
S(i) += E[i, k]
N(i, j) = (E[i, j]/S[i])
)";

QString textAfter(const char* dag, const char* steps, const std::string& pass) {
  return QString::fromStdString(gpuText(dag, steps, pass));
}

class GpuReductionsGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Each thread reduces its share; a guard never keeps a thread from the reduction across threads.
  void sharesOfAReduction() {
    QCOMPARE(
        textAfter(
            kRowsDag,
            R"([["SP", 1, 0, 21, [4], 1], ["AN", 1, 0, 5], ["AN", 1, 1, 8], ["SP", 1, 2, 130, [16], 1], ["AN",
            1, 3, 6]])",
            "simplify_indices"),
        QString(R"(kernel(A: float32[21, 130]) -> (S: float32[21])
  launch S with one thread
    blockIdx.x i.0 in [0, 6)
      threadIdx.y i.1 in [0, 4)
        threadIdx.x k.1 in [0, 16)
          allocate S.share: float32[] in per thread
          S.share[] = 0f
          if i.0*4 + i.1 < 21
            for k.0 in [0, 9)
              if k.0*16 + k.1 < 130
                S.share[] = S.share[] + A[i.0*4 + i.1, k.0*16 + k.1]
          S[i.0*4 + i.1] = sum(S.share[]) over k.1 where i.0*4 + i.1 < 21
)"));
  }

  void reductionBeforeItIsLowered() {
    QCOMPARE(
        textAfter(
            kRowsDag,
            R"([["SP", 1, 0, 21, [4], 1], ["AN", 1, 0, 5], ["AN", 1, 1, 8], ["SP", 1, 2, 130, [16], 1], ["AN",
            1, 3, 6]])",
            "bind_threads"),
        QString(R"(kernel(A: float32[21, 130]) -> (S: float32[21])
  launch S with blockIdx.x in [0, 6), threadIdx.x in [0, 16), threadIdx.y in [0, 4)
    allocate S.share: float32[] in per thread
    S.share[] = 0f
    if blockIdx.x*4 + threadIdx.y < 21
      for k.0 in [0, 9)
        if k.0*16 + threadIdx.x < 130
          S.share[] = S.share[] + A[blockIdx.x*4 + threadIdx.y, k.0*16 + threadIdx.x]
    S[blockIdx.x*4 + threadIdx.y] = sum(S.share[]) over threadIdx.x where blockIdx.x*4 + threadIdx.y < 21
)"));
  }

  // Two rows of 16 threads in a warp.
  void segmentsOfAWarp() {
    QCOMPARE(
        textAfter(
            kRowsDag,
            R"([["SP", 1, 0, 21, [4], 1], ["AN", 1, 0, 5], ["AN", 1, 1, 8], ["SP", 1, 2, 130, [16], 1], ["AN",
            1, 3, 6]])",
            "reduce_across_threads"),
        QString(R"(kernel(A: float32[21, 130]) -> (S: float32[21])
  launch S with blockIdx.x in [0, 6), threadIdx.x in [0, 16), threadIdx.y in [0, 4)
    allocate S.share: float32[] in per thread
    S.share[] = 0f
    if blockIdx.x*4 + threadIdx.y < 21
      for k.0 in [0, 9)
        if k.0*16 + threadIdx.x < 130
          S.share[] = S.share[] + A[blockIdx.x*4 + threadIdx.y, k.0*16 + threadIdx.x]
    allocate S.share.other: float32[] in per thread
    S.share.other[] = shuffle_down(S.share[], 8, width 16)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 4, width 16)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 2, width 16)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 1, width 16)
    S.share[] = S.share[] + S.share.other[]
    S.share[] = shuffle_from(S.share[], 0, width 16)
    if blockIdx.x*4 + threadIdx.y < 21 && threadIdx.x == 0
      S[blockIdx.x*4 + threadIdx.y] = S.share[]
)"));
  }

  void threadsThatAreNoPowerOfTwo() {
    QCOMPARE(textAfter(kRowsDag,
                       R"([["SP", 1, 1, 130, [24], 1], ["AN", 1, 2, 6], ["AN", 1, 0, 5]])",
                       "reduce_across_threads"),
             QString(R"(kernel(A: float32[21, 130]) -> (S: float32[21])
  launch S with blockIdx.x in [0, 21), threadIdx.x in [0, 24)
    allocate S.share: float32[] in per thread
    S.share[] = 0f
    for k.0 in [0, 6)
      if k.0*24 + threadIdx.x < 130
        S.share[] = S.share[] + A[blockIdx.x, k.0*24 + threadIdx.x]
    allocate S.share.other: float32[] in per thread
    S.share.other[] = shuffle_down(S.share[], 16, mask 0xffffff)
    if threadIdx.x + 16 < 24
      S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 8, mask 0xffffff)
    if threadIdx.x + 8 < 24
      S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 4, mask 0xffffff)
    if threadIdx.x + 4 < 24
      S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 2, mask 0xffffff)
    if threadIdx.x + 2 < 24
      S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 1, mask 0xffffff)
    if threadIdx.x + 1 < 24
      S.share[] = S.share[] + S.share.other[]
    S.share[] = shuffle_from(S.share[], 0, mask 0xffffff)
    if threadIdx.x == 0
      S[blockIdx.x] = S.share[]
)"));
  }

  void severalWarps() {
    QCOMPARE(
        textAfter(
            kRowsDag,
            R"([["SP", 1, 0, 21, [2], 1], ["AN", 1, 0, 5], ["AN", 1, 1, 8], ["SP", 1, 2, 130, [64], 1], ["AN",
            1, 3, 6]])",
            "reduce_across_threads"),
        QString(R"(kernel(A: float32[21, 130]) -> (S: float32[21])
  launch S with blockIdx.x in [0, 11), threadIdx.x in [0, 64), threadIdx.y in [0, 2)
    allocate S.share: float32[] in per thread
    S.share[] = 0f
    if blockIdx.x*2 + threadIdx.y < 21
      for k.0 in [0, 3)
        if k.0*64 + threadIdx.x < 130
          S.share[] = S.share[] + A[blockIdx.x*2 + threadIdx.y, k.0*64 + threadIdx.x]
    allocate S.share.other: float32[] in per thread
    allocate S.share.warps: float32[2, 2] in block
    S.share.other[] = shuffle_down(S.share[], 16)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 8)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 4)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 2)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 1)
    S.share[] = S.share[] + S.share.other[]
    if floormod(threadIdx.x, 32) == 0
      S.share.warps[threadIdx.y, floordiv(threadIdx.x, 32)] = S.share[]
    S.share[] = S.share.warps[threadIdx.y, 0]
    S.share[] = S.share[] + S.share.warps[threadIdx.y, 1]
    if blockIdx.x*2 + threadIdx.y < 21 && threadIdx.x == 0
      S[blockIdx.x*2 + threadIdx.y] = S.share[]
)"));
  }

  void treeAlongY() {
    QCOMPARE(
        textAfter(
            kRowsDag,
            R"([["SP", 1, 0, 21, [8], 1], ["AN", 1, 0, 5], ["AN", 1, 1, 6], ["SP", 1, 2, 130, [6], 1], ["AN",
            1, 3, 8]])",
            "reduce_across_threads"),
        QString(R"(kernel(A: float32[21, 130]) -> (S: float32[21])
  launch S with blockIdx.x in [0, 3), threadIdx.x in [0, 8), threadIdx.y in [0, 6)
    allocate S.share: float32[] in per thread
    S.share[] = 0f
    if blockIdx.x*8 + threadIdx.x < 21
      for k.0 in [0, 22)
        if k.0*6 + threadIdx.y < 130
          S.share[] = S.share[] + A[blockIdx.x*8 + threadIdx.x, k.0*6 + threadIdx.y]
    allocate S.share.threads: float32[6, 8] in block
    S.share.threads[threadIdx.y, threadIdx.x] = S.share[]
    if threadIdx.y < 3
      S.share.threads[threadIdx.y, threadIdx.x] = S.share.threads[threadIdx.y, threadIdx.x] + S.share.threads[threadIdx.y + 3, threadIdx.x]
    if threadIdx.y == 0
      S.share.threads[threadIdx.y, threadIdx.x] = S.share.threads[threadIdx.y, threadIdx.x] + S.share.threads[threadIdx.y + 2, threadIdx.x]
    if threadIdx.y == 0
      S.share.threads[threadIdx.y, threadIdx.x] = S.share.threads[threadIdx.y, threadIdx.x] + S.share.threads[threadIdx.y + 1, threadIdx.x]
    S.share[] = S.share.threads[0, threadIdx.x]
    if blockIdx.x*8 + threadIdx.x < 21 && threadIdx.y == 0
      S[blockIdx.x*8 + threadIdx.x] = S.share[]
)"));
  }

  void twoReductionsInAKernel() {
    QCOMPARE(
        textAfter(
            kSoftmaxDag,
            R"([["CI", 2], ["SP", 4, 1, 100, [64], 1], ["AN", 4, 2, 6], ["SP", 3, 1, 100, [64], 1], ["AN", 3,
            2, 6], ["CA", 3, 4, 0], ["SP", 1, 1, 100, [64], 1], ["AN", 1, 2, 6], ["CA", 1, 4, 0], ["AN", 4,
            0, 5]])",
            "place_barriers"),
        QString(R"(kernel(A: float32[5, 100]) -> (N: float32[5, 100])
  launch N with blockIdx.x in [0, 5), threadIdx.x in [0, 64)
    allocate M: float32[1] in block
    allocate M.share.warps: float32[2] in block
    allocate S: float32[1] in block
    allocate S.share.warps: float32[2] in block
    allocate M.share: float32[] in registers
    M.share[] = -inff
    for k.0 in [0, 2)
      if k.0*64 + threadIdx.x < 100
        M.share[] = max(M.share[], A[blockIdx.x, k.0*64 + threadIdx.x])
    allocate M.share.other: float32[] in registers
    M.share.other[] = shuffle_down(M.share[], 16)
    M.share[] = max(M.share[], M.share.other[])
    M.share.other[] = shuffle_down(M.share[], 8)
    M.share[] = max(M.share[], M.share.other[])
    M.share.other[] = shuffle_down(M.share[], 4)
    M.share[] = max(M.share[], M.share.other[])
    M.share.other[] = shuffle_down(M.share[], 2)
    M.share[] = max(M.share[], M.share.other[])
    M.share.other[] = shuffle_down(M.share[], 1)
    M.share[] = max(M.share[], M.share.other[])
    if floormod(threadIdx.x, 32) == 0
      M.share.warps[floordiv(threadIdx.x, 32)] = M.share[]
    barrier
    M.share[] = M.share.warps[0]
    M.share[] = max(M.share[], M.share.warps[1])
    if threadIdx.x == 0
      M[0] = M.share[]
    barrier
    allocate S.share: float32[] in registers
    S.share[] = 0f
    for k.0 in [0, 2)
      if k.0*64 + threadIdx.x < 100
        S.share[] = S.share[] + exp(A[blockIdx.x, k.0*64 + threadIdx.x] - M[0])
    allocate S.share.other: float32[] in registers
    S.share.other[] = shuffle_down(S.share[], 16)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 8)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 4)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 2)
    S.share[] = S.share[] + S.share.other[]
    S.share.other[] = shuffle_down(S.share[], 1)
    S.share[] = S.share[] + S.share.other[]
    if floormod(threadIdx.x, 32) == 0
      S.share.warps[floordiv(threadIdx.x, 32)] = S.share[]
    barrier
    S.share[] = S.share.warps[0]
    S.share[] = S.share[] + S.share.warps[1]
    if threadIdx.x == 0
      S[0] = S.share[]
    barrier
    for j.0 in [0, 2)
      if j.0*64 + threadIdx.x < 100
        N[blockIdx.x, j.0*64 + threadIdx.x] = exp(A[blockIdx.x, j.0*64 + threadIdx.x] - M[0])/S[0]
)"));
  }
};

NW_TEST_APPLESS(GpuReductionsGolden)

} // namespace nestwright::gpu_reductions_golden_test

#include "gpu_reductions_golden.moc"
