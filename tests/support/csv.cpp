/// Cells that no spreadsheet runs, and that can be read back.

#include "core/support/csv.h"

#include "tests/support/test_program.h"

#include <QtTest>

namespace nestwright::csv_test {

class Csv : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cells_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("field");
    QTest::newRow("plain") << "matmul"
                           << "matmul";
    QTest::newRow("comma") << "a, b"
                           << "\"a, b\"";
    QTest::newRow("quote") << "a \"b\""
                           << "\"a \"\"b\"\"\"";
    QTest::newRow("formula") << "=cmd|'/C calc'!A0"
                             << "'=cmd|'/C calc'!A0";
    QTest::newRow("formula with comma") << "=SUM(1,2)"
                                        << "\"'=SUM(1,2)\"";
    QTest::newRow("plus") << "+1+cmd"
                          << "'+1+cmd";
    QTest::newRow("minus") << "-2+3"
                           << "'-2+3";
    QTest::newRow("at") << "@SUM(A1)"
                        << "'@SUM(A1)";
    QTest::newRow("tab") << "\t=1"
                         << "'\t=1";
    QTest::newRow("return") << "\r=1"
                            << "\"'\r=1\"";
    QTest::newRow("negative number") << "-2.5e-3"
                                     << "-2.5e-3";
    QTest::newRow("signed number") << "+7"
                                   << "+7";
    QTest::newRow("two signs") << "+-7"
                               << "'+-7";
    QTest::newRow("no number after all") << "-inf"
                                         << "'-inf";
    QTest::newRow("inner sign") << "a=b"
                                << "a=b";
    QTest::newRow("apostrophe") << "'tis"
                                << "'tis";
    QTest::newRow("guarded before") << "'=1"
                                    << "''=1";
    QTest::newRow("guarded number") << "'-5"
                                    << "''-5";
    QTest::newRow("empty") << ""
                           << "";
  }
  void cells() {
    QFETCH(QString, text);
    QFETCH(QString, field);
    QCOMPARE(QString::fromStdString(csvField(text.toStdString())), field);
    const std::string cell = withFormulaGuard(text.toStdString());
    QCOMPARE(QString::fromStdString(withoutFormulaGuard(cell)), text);
  }

  void remarksHideNoCells() {
    QCOMPARE(csvRemark("a.nwdb, 3 tasks"), std::string("# a.nwdb, 3 tasks"));
    QCOMPARE(csvRemark("x, =1+1,@y.nwdb"), std::string("# x, '=1+1,'@y.nwdb"));
    QCOMPARE(csvRemark("x,\"=1+1\", y"), std::string("# x,'\"=1+1\", y"));
    QCOMPARE(csvRemark("x\n=1+1\r,@y"), std::string("# x =1+1 ,'@y"));
    QCOMPARE(csvRemark("=x"), std::string("# =x"));
    QCOMPARE(csvRemark(""), std::string("# "));
  }
};

NW_TEST_GUILESS(Csv)

} // namespace nestwright::csv_test

#include "csv.moc"
