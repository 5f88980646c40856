/// Which tasks count as similar.

#include "core/session/schedule/similarity.h"

#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <QtTest>

namespace nestwright::similarity_test {

class TestSimilarity : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The operators worth tiling, and the power of 1.618 that the work comes to.
  void theTagTellsKindAndSize_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("tag");
    const QString matmul = "A = PLACEHOLDER [%1, 512]\nB = PLACEHOLDER [512, 512]\n"
                           "C(i, j) += (A[i, k]*B[k, j])\n";
    QTest::newRow("2^28 operations") << matmul.arg(512) << "C_40"; // 28 ln 2 / ln 1.618 = 40.33
    QTest::newRow("a third more") << matmul.arg(684) << "C_40";    // 40.94
    QTest::newRow("half as many again") << matmul.arg(768) << "C_41";
    QTest::newRow("with an epilogue") << matmul.arg(512) + "D(i, j) = max(C[i, j], 0f)\n"
                                      << "C_40";
    QTest::newRow("nothing is read again") << "A = PLACEHOLDER [8]\nB(i) = (A[i]*2f)\n"
                                           << "";
  }
  void theTagTellsKindAndSize() {
    QFETCH(QString, text);
    QFETCH(QString, tag);
    QCOMPARE(QString::fromStdString(similarityTag(parseDag(text.toStdString()))), tag);
  }

  /// What the operators' author says is similar counts instead of their names.
  void aTagOfItsOwnComesFirst() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [512, 512]\nB = PLACEHOLDER [512, 512]\n"
                                    "C(i, j) += (A[i, k]*B[k, j]) @similarity(dense)\n");
    QCOMPARE(QString::fromStdString(similarityTag(dag)), QString("dense_40"));
  }

  void convolutionsOfOneLayerSizeAreAlike() {
    QCOMPARE(similarityTag(test::conv2dNhwc(56, 64, 64, 3, 1)),
             similarityTag(test::conv2dNhwc(28, 128, 128, 3, 1)));
    QVERIFY(similarityTag(test::conv2dNhwc(56, 64, 64, 3, 1)) !=
            similarityTag(test::conv2dNhwc(56, 64, 64, 1, 0)));
  }
};

NW_TEST_APPLESS(TestSimilarity)

} // namespace nestwright::similarity_test

#include "similarity.moc"
