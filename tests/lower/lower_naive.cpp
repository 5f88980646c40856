/// The naive program computes what the DAG says, and prints as one would write it.

#include "core/emulate/emulate.h"
#include "core/lower/lower.h"
#include "core/network/partition/partition.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/lower/gpu_check.h"
#include "tests/lower/small_tasks.h"
#include "tests/network/tiny_networks.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <random>

namespace nestwright::lower_naive_test {

class LowerNaive : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void printsMatmul() {
    ComputeDag dag = parseDag("A = PLACEHOLDER [4, 8]\n"
                              "B = PLACEHOLDER [8, 6]\n"
                              "C(i, j) += (A[i, k]*B[k, j])\n"
                              "D(i, j) = max(C[i, j], 0f)\n");
    QCOMPARE(QString::fromStdString(print(lowerNaive(dag))),
             QStringLiteral("naive(A: float32[4, 8], B: float32[8, 6]) -> (D: float32[4, 6])\n"
                            "  allocate C: float32[4, 6] in global\n"
                            "  for i in [0, 4)\n"
                            "    for j in [0, 6)\n"
                            "      C[i, j] = 0f\n"
                            "      for k in [0, 8)\n"
                            "        C[i, j] = C[i, j] + A[i, k]*B[k, j]\n"
                            "  for i in [0, 4)\n"
                            "    for j in [0, 6)\n"
                            "      D[i, j] = max(C[i, j], 0f)\n"));
  }

  void dropsConditionsThatAlwaysHold() {
    // Padding by nothing: the condition goes away.
    ComputeDag dag = parseDag("A = PLACEHOLDER [4]\n"
                              "P(i) = if_then_else(((i >= 0) && (i < 4)), A[i], 0f)\n");
    QVERIFY(print(lowerNaive(dag)).find("if_then_else") == std::string::npos);
  }

  void bindsEveryOperatorToAGpu() {
    ComputeDag dag = parseDag("A = PLACEHOLDER [40, 8]\n"
                              "B = PLACEHOLDER [8, 8]\n"
                              "C(i, j) += (A[i, k]*B[k, j])\n"
                              "S() += C[i, j]\n");
    QCOMPARE(
        QString::fromStdString(print(lowerNaive(dag, testGpu()))),
        QStringLiteral(
            "naive(A: float32[40, 8], B: float32[8, 8]) -> (S: float32[])\n"
            "  allocate C: float32[40, 8] in global\n"
            "  launch C with blockIdx.x in [0, 2), threadIdx.x in [0, 256)\n"
            "    if blockIdx.x*256 + threadIdx.x < 320 && blockIdx.x*32 + floordiv(threadIdx.x, 8) "
            "< "
            "40\n"
            "      C[blockIdx.x*32 + floordiv(threadIdx.x, 8), floormod(threadIdx.x, 8)] = 0f\n"
            "    if blockIdx.x*256 + threadIdx.x < 320 && blockIdx.x*32 + floordiv(threadIdx.x, 8) "
            "< "
            "40\n"
            "      for k in [0, 8)\n"
            "        C[blockIdx.x*32 + floordiv(threadIdx.x, 8), floormod(threadIdx.x, 8)] = "
            "C[blockIdx.x*32 + floordiv(threadIdx.x, 8), floormod(threadIdx.x, 8)] + "
            "A[blockIdx.x*32 + floordiv(threadIdx.x, 8), k]*B[k, floormod(threadIdx.x, 8)]\n"
            "  launch S with one thread\n"
            "    S[] = 0f\n"
            "    for i in [0, 40)\n"
            "      for j in [0, 8)\n"
            "        S[] = S[] + C[i, j]\n"));
  }

  void computesOnAGpuWhatTheDagSays_data() {
    QTest::addColumn<QString>("text");
    addSmallTasks();
    // All operators of networks.
    for (const Network& network :
         {tinyResnet(), tinyMobilenet(), tinyBranches(), tinyBiasedNorms(), tinyDecoder(),
          tinyShuffle(), tinyPads(), tinyBert(1), tinyAttention()})
      for (const Task& task : partition(network, false).tasks)
        QTest::addRow("%s: %s", network.name.c_str(), task.key.substr(0, 120).c_str())
            << QString::fromStdString(print(task.dag));
  }

  void computesOnAGpuWhatTheDagSays() {
    QFETCH(QString, text);
    const ComputeDag dag = smallTask(text.toStdString());
    Random random = Random::stream(1, text.toStdString(), 0);
    Tensors inputs = randomInputs(dag, random);
    for (auto& [name, values] : inputs) // variances among them
      for (double& value : values)
        value = std::fabs(value);
    const LoopFunction function = lowerNaive(dag, testGpu());
    const Emulation run = emulate(function, inputs);
    QVERIFY2(!run.error, run.error ? (run.error->what + "\n" + print(function)).c_str() : "");
    const std::string problem = difference(evaluate(dag, inputs), run.outputs);
    QVERIFY2(problem.empty(), (problem + "\n" + print(function)).c_str());
  }
};

NW_TEST_APPLESS(LowerNaive)

} // namespace nestwright::lower_naive_test

#include "lower_naive.moc"
