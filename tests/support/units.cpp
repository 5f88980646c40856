#include "core/support/units.h"

#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QRegularExpression>
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
    QTest::newRow("nanoseconds") << 3.21e-9 << "3.210 ns";
    QTest::newRow("microseconds") << 45.6e-6 << QStringLiteral("45.60 µs");
    QTest::newRow("milliseconds") << 1.234e-3 << "1.234 ms";
    QTest::newRow("rounds up to the next unit") << 999.96e-6 << "1.000 ms";
    QTest::newRow("hundreds") << 0.1234 << "123.4 ms";
    QTest::newRow("seconds") << 12.345 << "12.35 s";
    QTest::newRow("many seconds") << 12345.6 << "12346 s";
    QTest::newRow("zero is unknown") << 0.0 << QStringLiteral("–");
    QTest::newRow("infinity is unknown")
        << std::numeric_limits<double>::infinity() << QStringLiteral("–");
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
    QTest::newRow("minutes") << 185.0 << "3 min 5 s";
    QTest::newRow("hours") << 3723.0 << "1 h 2 min";
    QTest::newRow("days") << 187200.0 << "2 d 4 h";
    QTest::newRow("rounding up to a minute") << 59.7 << "1 min 0 s";
  }
  void durations() {
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(formatDuration(value)), text);
  }

  void others() {
    QCOMPARE(formatDifference(-250e-6), std::string("−250.0 µs"));
    QCOMPARE(formatDifference(1e-13), std::string("0"));
    QCOMPARE(formatFlopRate(1.234e11), std::string("123.4 GFLOP/s"));
    QCOMPARE(formatFlops(3.63e9), std::string("3.630 GFLOP"));
    QCOMPARE(formatFlops(0), std::string("0 FLOP"));
    QCOMPARE(formatBytes(0), std::string("0 B"));
    QCOMPARE(formatBytes(64), std::string("64 B"));
    QCOMPARE(formatBytes(1.5 * 1024 * 1024), std::string("1.5 MiB"));
    QCOMPARE(formatBytes(300 * 1024), std::string("300 KiB"));
    QCOMPARE(formatBandwidth(38.24e9), std::string("38.2 GB/s"));
    QCOMPARE(formatBandwidth(3.35e12), std::string("3.35 TB/s"));
    QCOMPARE(formatEnergy(0.0123), std::string("12.30 mJ"));
    QCOMPARE(formatEnergy(-2), std::string("−2.000 J"));
    QCOMPARE(formatEnergy(0), std::string("0 J"));
    // All that somebody chose.
    QCOMPARE(formatBudget(3600), std::string("1 h"));
    QCOMPARE(formatBudget(3650), std::string("1 h 50 s"));
    QCOMPARE(formatBudget(180'000), std::string("2 d 2 h"));
    QCOMPARE(formatBudget(90.25), std::string("1 min 30.25 s"));
    QCOMPARE(formatBudget(0.3), std::string("0.3 s"));
    QCOMPARE(formatPower(310.2), std::string("310 W"));
    QCOMPARE(formatPower(12.34), std::string("12.3 W"));
    QCOMPARE(formatFrequency(1.98e9), std::string("1.98 GHz"));
  }

  /// Who writes a unit behind a number of its own differs from the others sooner or later.
  void unitsAreWrittenInOnePlace() {
    static const QRegularExpression own(QStringLiteral(
        "(%[0-9L]|\\{[^{}\"]*\\}) (ns|µs|ms|[KMGT]iB|[kMGT]FLOP|[MGT]B/s|GHz|[µm]?J|W)\\b"));
    QStringList found;
    for (const char* room : {"core", "ui", "app"}) {
      QDirIterator files(QStringLiteral(NESTWRIGHT_TEST_DATA "/../../") + room,
                         {QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
      QVERIFY(files.hasNext());
      while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
        for (int i = 0; i < lines.size(); ++i)
          if (own.match(lines[i]).hasMatch() &&
              !file.fileName().endsWith(QLatin1String("core/support/units.cpp")))
            found.append(QStringLiteral("%1:%2: %3").arg(file.fileName()).arg(i + 1).arg(lines[i]));
      }
    }
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
  }
};

NW_TEST_APPLESS(Units)

} // namespace nestwright::units_test

#include "units.moc"
