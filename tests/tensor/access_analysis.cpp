#include "core/tensor/access_analysis.h"

#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <QtTest>

namespace nestwright::access_analysis_test {

class TestAccessAnalysis : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void classifiesOperators_data() {
    QTest::addColumn<QString>("workload");
    QTest::addColumn<QString>("op");
    QTest::addColumn<bool>("inlineable");
    QTest::addColumn<bool>("tiled");
    QTest::addColumn<bool>("output");
    const auto row = [](const char* workload, const char* op, bool inlineable, bool tiled,
                        bool output) {
      QTest::addRow("%s %s", workload, op) << workload << op << inlineable << tiled << output;
    };
    row("matmul_512", "A", false, false, false);
    row("matmul_512", "C", false, true, true);
    row("llvm/double_matmul_512", "D", false, true, false);
    row("bmm_12_128_128_64", "T_batch_matmul_NT", false, true, true);
    row("conv_56_64_64_3", "pad_temp", false, false, false);
    row("conv_56_64_256_1", "pad_temp", true, false, false);
    row("conv_56_64_64_3", "conv2d_nhwc", false, true, false);
    row("conv_56_64_64_3", "T_add", true, false, false);
    row("conv_56_64_64_3", "compute", true, false, true);
    row("llvm/op_dw_112_32_3", "DepthwiseConv2d", false, true, false);
    row("llvm/max_pool2d", "pool_max", false, false, true);
    row("llvm/softmax_1_1024", "T_softmax_maxelem", false, false, false);
    row("llvm/softmax_1_1024", "T_softmax_exp", false, false, false);
    row("llvm/softmax_1_1024", "T_softmax_norm", true, false, true);
  }
  void classifiesOperators() {
    QFETCH(QString, workload);
    QFETCH(QString, op);
    const AccessAnalysis analysis(test::tvmDags().at(workload.toStdString()));
    const int id = analysis.dag().indexOf(op.toStdString());
    QTEST(analysis.isStrictlyInlineable(id), "inlineable");
    QTEST(analysis.needsMultiLevelTiling(id), "tiled");
    QTEST(analysis.isOutput(id), "output");
  }

  void inlinesNoTransposition() {
    const AccessAnalysis analysis(parseDag("A = PLACEHOLDER [4, 4, 1]\n"
                                           "T(i, j) = A[j, i, 0]\n"
                                           "D(i, j=4) = A[i, i, 0]\n"
                                           "B(i, j=3, k=2) = A[i, (j + 1), 0]\n"
                                           "R(i=2) = A[(i*2), i, 0]\n"
                                           "S(i=2, j=2) = 1f\n"));
    const auto inlineable = [&](const char* name) {
      return analysis.isStrictlyInlineable(analysis.dag().indexOf(std::string_view(name)));
    };
    QVERIFY(!inlineable("T"));
    QVERIFY(!inlineable("D"));
    QVERIFY(inlineable("B"));
    QVERIFY(!inlineable("R"));
    QVERIFY(inlineable("S"));
  }

  void knowsReadersAndReads() {
    const AccessAnalysis analysis(test::softmax(1, 1024));
    const auto id = [&](const char* name) {
      return analysis.dag().indexOf(std::string_view(name));
    };
    QCOMPARE(analysis.directConsumers(id("T_softmax_exp")),
             (std::vector<int>{id("T_softmax_expsum"), id("T_softmax_norm")}));
    QCOMPARE(analysis.directProducers(id("T_softmax_exp")),
             (std::vector<int>{id("A"), id("T_softmax_maxelem")}));
    QCOMPARE(analysis.reads(id("T_softmax_norm"), id("T_softmax_exp")).size(), 1u);
    QVERIFY(analysis.reads(id("T_softmax_norm"), id("A")).empty());
  }

  void countsCommonOuterIterators() {
    const AccessAnalysis conv(test::conv2dNchwBnRelu());
    const auto id = [&](const char* name) { return conv.dag().indexOf(std::string_view(name)); };
    QCOMPARE(conv.commonOuterIterators(id("conv2d_nchw"), id("compute")), 4);
    QCOMPARE(conv.commonOuterIterators(id("compute"), id("conv2d_nchw")), 4);
    QCOMPARE(conv.commonOuterIterators(id("pad_temp"), id("compute")), 1);
    QCOMPARE(conv.commonOuterIterators(id("Bias"), id("Kernel")), 0);
    const AccessAnalysis softmax(test::softmax(8, 32));
    QCOMPARE(softmax.commonOuterIterators(1, 4), 1);
  }

  void matchesElementForElement() {
    const AccessAnalysis analysis(test::conv2dNhwc(56, 64, 64, 3, 1));
    const auto id = [&](const char* name) {
      return analysis.dag().indexOf(std::string_view(name));
    };
    QVERIFY(analysis.elementwiseMatch(id("conv2d_nhwc"), id("compute")));
    QVERIFY(!analysis.elementwiseMatch(id("pad_temp"), id("conv2d_nhwc")));
    const AccessAnalysis softmax(test::softmax(8, 32));
    QVERIFY(!softmax.elementwiseMatch(2, 4));
  }

  /// Reading the axes in another order, one of them twice or not all is not element for element.
  void transpositionsMatchNothing() {
    const AccessAnalysis analysis(parseDag("A = PLACEHOLDER [4, 4]\n"
                                           "S(i, j) = (A[i, j]*2f)\n"
                                           "T(i, j) = (S[j, i]*2f)\n"
                                           "D(i, j=4) = (T[i, i]*2f)\n"
                                           "R(i, j=4) = (D[i, 0]*2f)\n"
                                           "E(i, j) = (R[i, j]*2f)\n"));
    for (int op = 1; op < 5; ++op)
      QCOMPARE(analysis.elementwiseMatch(op, op + 1), op == 4);
    QVERIFY(!analysis.elementwiseMatch(1, 5));
  }

  /// Along an axis of extent 1 nothing is read again.
  void axesOfOneElementGiveNoReuse() {
    const auto tiled = [](const char* text) {
      const AccessAnalysis analysis(parseDag(text));
      return analysis.needsMultiLevelTiling(static_cast<int>(analysis.dag().size()) - 1);
    };
    QVERIFY(tiled("A = PLACEHOLDER [2]\nB = PLACEHOLDER [8]\nC(i, j) = (A[i]*B[j])\n"));
    QVERIFY(!tiled("A = PLACEHOLDER [1]\nB = PLACEHOLDER [8]\nC(i, j) = (A[i]*B[j])\n"));
    QVERIFY(tiled("A = PLACEHOLDER [8]\nC(i=2) += A[k]\n"));
    QVERIFY(!tiled("A = PLACEHOLDER [8]\nC(i=1) += A[k]\n"));
  }
};

NW_TEST_APPLESS(TestAccessAnalysis)

} // namespace nestwright::access_analysis_test

#include "access_analysis.moc"
