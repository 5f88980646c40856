#include "core/support/units.h"

#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace nestwright::units_test {

class Units : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void seconds_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("nanoseconds") << 3.21e-9 << "3.21 ns";
    QTest::newRow("microseconds") << 45.6e-6 << QStringLiteral("45.6 µs");
    QTest::newRow("milliseconds") << 1.234e-3 << "1.23 ms";
    QTest::newRow("hundreds") << 0.1234 << "123 ms";
    QTest::newRow("seconds") << 12.345 << "12.3 s";
    QTest::newRow("zero is unknown") << 0.0 << QStringLiteral("—");
    QTest::newRow("infinity is unknown")
        << std::numeric_limits<double>::infinity() << QStringLiteral("—");
  }
  void seconds() {
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(formatSeconds(value)), text);
  }

  void timesAreRead_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("value");
    QTest::newRow("milliseconds") << "10ms" << 10e-3;
    QTest::newRow("with a space") << "1.5 s" << 1.5;
    QTest::newRow("microseconds") << "250us" << 250e-6;
    QTest::newRow("the other mu") << QStringLiteral("3µs") << 3e-6;
    QTest::newRow("seconds") << "0.01" << 0.01;
    for (const char* wrong : {"", "ms", "-1ms", "0", "10 m", "10msx", "inf", "1e400"})
      QTest::newRow(wrong) << wrong << 0.0;
  }
  void timesAreRead() {
    QFETCH(QString, text);
    QFETCH(double, value);
    if (value == 0)
      QVERIFY_THROWS_EXCEPTION(UsageError, parseSeconds(text.toStdString()));
    else
      QVERIFY(std::abs(parseSeconds(text.toStdString()) - value) < 1e-12);
  }

  void durations_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("seconds") << 12.4 << "12 s";
    QTest::newRow("minutes") << 185.0 << "3:05 min";
    QTest::newRow("hours") << 3723.0 << "1:02:03 h";
    QTest::newRow("rounding up to a minute") << 59.7 << "1:00 min";
  }
  void durations() {
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(formatDuration(value)), text);
  }

  void others() {
    QCOMPARE(formatFlopRate(1.234e11), std::string("123 GFLOP/s"));
    QCOMPARE(formatFlops(3.63e9), std::string("3.63 GFLOP"));
    QCOMPARE(formatBytes(1.5 * 1024 * 1024), std::string("1.50 MiB"));
  }
};

NW_TEST_APPLESS(Units)

} // namespace nestwright::units_test

#include "units.moc"
