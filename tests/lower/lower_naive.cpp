/// The naive program computes what the DAG says, and prints as one would write it.

#include "core/lower/lower.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/lower/interpret.h"
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
};

NW_TEST_APPLESS(LowerNaive)

} // namespace nestwright::lower_naive_test

#include "lower_naive.moc"
