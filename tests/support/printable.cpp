/// Texts of others: what steers a terminal is written out, everything else stays.

#include "core/support/printable.h"

#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::printable_test {

class Printable : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ordinaryTextStays_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("ascii") << QByteArray("matmul:m=512 [~]");
    QTest::newRow("arrow, dash, times") << QByteArray("64→128 — 3×3 ü");
    QTest::newRow("right-to-left letters") << QByteArray("שלום مرحبا");
    QTest::newRow("beyond the basic plane") << QByteArray("\xF0\x9F\xAA\xBA");
  }
  void ordinaryTextStays() {
    QFETCH(QByteArray, text);
    QCOMPARE(printable(text.toStdString()), text.toStdString());
    QCOMPARE(printableLine(text.toStdString()), text.toStdString());
  }

  void whatSteersIsWrittenOut_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("title") << QByteArray("\x1b]0;pwn\x07") << QByteArray("\\u001b]0;pwn\\u0007");
    QTest::newRow("clear") << QByteArray("a\x1b[2Jb") << QByteArray("a\\u001b[2Jb");
    QTest::newRow("return") << QByteArray("good\rbad") << QByteArray("good\\u000dbad");
    QTest::newRow("nul") << QByteArray("a\0b", 3) << QByteArray("a\\u0000b");
    QTest::newRow("delete") << QByteArray("\x7f") << QByteArray("\\u007f");
    QTest::newRow("8-bit CSI") << QByteArray("\xC2\x9B"
                                             "31m")
                               << QByteArray("\\u009b31m");
    QTest::newRow("override") << QByteArray("\xE2\x80\xAE"
                                            "cod.exe")
                              << QByteArray("\\u202ecod.exe");
    QTest::newRow("isolate") << QByteArray("\xE2\x81\xA6"
                                           "x\xE2\x81\xA9")
                             << QByteArray("\\u2066x\\u2069");
    QTest::newRow("lone byte") << QByteArray("a\xff"
                                             "b")
                               << QByteArray("a\\xffb");
    QTest::newRow("raw CSI byte") << QByteArray("\x9b"
                                                "31m")
                                  << QByteArray("\\x9b31m");
    QTest::newRow("cut off") << QByteArray("\xE2\x80") << QByteArray("\\xe2\\x80");
    QTest::newRow("overlong escape") << QByteArray("\xC0\x9B") << QByteArray("\\xc0\\x9b");
    QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80") << QByteArray("\\xed\\xa0\\x80");
  }
  void whatSteersIsWrittenOut() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(printable(text.toStdString())), shown);
    QCOMPARE(QByteArray::fromStdString(printableLine(text.toStdString())), shown);
  }

  void layoutIsOurs() {
    QCOMPARE(printable("a\n\tb"), std::string("a\n\tb"));
    QCOMPARE(printableLine("a\n\tb"), std::string("a\\u000a\\u0009b"));
  }

  /// JSON escapes the controls of ASCII by itself; ours for the rest are its own.
  void jsonStaysJson() {
    const nlohmann::json document{{"name", "\x1b[31m\x7f\xC2\x9B\xE2\x80\xAE ü"}};
    const std::string shown = printable(document.dump(2));
    QVERIFY(shown.find('\x1b') == std::string::npos && shown.find("\xC2\x9B") == std::string::npos);
    QCOMPARE(nlohmann::json::parse(shown), document);
  }
};

NW_TEST_GUILESS(Printable)

} // namespace nestwright::printable_test

#include "printable.moc"
