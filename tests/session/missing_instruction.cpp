/// What is said of products for which the processor has no instruction.

#include "core/session/insight/missing_instruction.h"

#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::missing_instruction_test {

class MissingInstructionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isSaidOfTheProductsThatThereAre_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QStringList>("features");
    QTest::addColumn<QStringList>("said");
    const QStringList avx2 = {"avx2"}, vnni = {"avx512bw", "avx512vl", "avx512_vnni"},
                      all = vnni + QStringList{"avx512_bf16"};
    const QString bytes = "matmul:m=8,n=8,k=8,int8=1", half = "matmul:m=8,n=8,k=8,bf16=1";
    QTest::newRow("bytes, none") << bytes << QStringList{} << QStringList{"8 bits", "to 32 bits"};
    QTest::newRow("bytes, words") << bytes << avx2 << QStringList{"8 bits", "to 16 bits"};
    QTest::newRow("bytes, one") << bytes << vnni << QStringList{};
    QTest::newRow("bfloat16, none") << half << vnni << QStringList{"bfloat16", "to 32 bits"};
    QTest::newRow("bfloat16, one") << half << all << QStringList{};
    QTest::newRow("float32") << "matmul:m=8,n=8,k=8" << avx2 << QStringList{};
  }

  void isSaidOfTheProductsThatThereAre() {
    QFETCH(QString, task);
    QFETCH(QStringList, features);
    QFETCH(QStringList, said);
    TargetFacts target;
    target.vectorBytes = features.contains("avx512bw") ? 64 : 32;
    for (const QString& feature : features)
      target.features.push_back(feature.toStdString());
    const QString text =
        QString::fromStdString(missingInstruction({resolveSubject(task.toStdString())}, target));
    QCOMPARE(text.isEmpty(), said.isEmpty());
    for (const QString& part : said)
      QVERIFY2(text.contains(part), qPrintable(text));
    target.lowering = Lowering::Plain;
    const bool isNarrow = task.contains("int8") || task.contains("bf16");
    QCOMPARE(missingInstruction({resolveSubject(task.toStdString())}, target).empty(), !isNarrow);
  }
};

NW_TEST_APPLESS(MissingInstructionTest)

} // namespace nestwright::missing_instruction_test

#include "missing_instruction.moc"
