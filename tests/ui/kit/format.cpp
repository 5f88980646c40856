#include "ui/kit/format.h"

#include "tests/support/test_program.h"

#include <QTest>

#include <array>
#include <limits>

namespace nestwright::format_test {

using namespace nestwright::ui;

class FormatTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void time_data();
  void time();
  void columnUnitFits_data();
  void columnUnitFits();
  void duration_data();
  void duration();
  void others();
  void spread();
};

void FormatTest::time_data() {
  QTest::addColumn<double>("seconds");
  QTest::addColumn<QString>("text");
  QTest::newRow("nanoseconds") << 1.5e-9 << "1.500 ns";
  QTest::newRow("microseconds") << 412.34e-6 << "412.3 µs";
  QTest::newRow("just below a millisecond") << 999.94e-6 << "999.9 µs";
  QTest::newRow("rounds up to the next unit") << 999.96e-6 << "1.000 ms";
  QTest::newRow("milliseconds") << 6.42e-3 << "6.420 ms";
  QTest::newRow("tens") << 64.231e-3 << "64.23 ms";
  QTest::newRow("seconds") << 1.2041 << "1.204 s";
  QTest::newRow("many seconds") << 12345.6 << "12346 s";
  QTest::newRow("not measured") << 0.0 << "–";
  QTest::newRow("infinity") << std::numeric_limits<double>::infinity() << "–";
  QTest::newRow("no number") << std::numeric_limits<double>::quiet_NaN() << "–";
}

void FormatTest::time() {
  QFETCH(double, seconds);
  QFETCH(QString, text);
  QCOMPARE(timeText(seconds), text);
}

void FormatTest::columnUnitFits_data() {
  QTest::addColumn<QVector<double>>("seconds");
  QTest::addColumn<QString>("first");
  const double none = std::numeric_limits<double>::infinity();
  QTest::newRow("mostly milliseconds") << QVector<double>{0.42e-3, 6.1e-3, none} << "0.420";
  QTest::newRow("mostly microseconds") << QVector<double>{12.34e-6, 50e-6, 0} << "12.3";
  QTest::newRow("mostly seconds") << QVector<double>{1.5, 2, 0.001} << "1.500";
  QTest::newRow("nothing known") << QVector<double>{none} << "–";
}

void FormatTest::columnUnitFits() {
  QFETCH(QVector<double>, seconds);
  QFETCH(QString, first);
  QCOMPARE(timeIn(seconds.first(), columnUnit({seconds.constData(), std::size_t(seconds.size())})),
           first);
}

void FormatTest::duration_data() {
  QTest::addColumn<double>("seconds");
  QTest::addColumn<QString>("text");
  QTest::newRow("seconds") << 45.4 << "45 s";
  QTest::newRow("minutes") << 725.0 << "12 min 5 s";
  QTest::newRow("hours") << 12000.0 << "3 h 20 min";
  QTest::newRow("days") << 187200.0 << "2 d 4 h";
  QTest::newRow("unknown") << std::numeric_limits<double>::infinity() << "–";
}

void FormatTest::duration() {
  QFETCH(double, seconds);
  QFETCH(QString, text);
  QCOMPARE(durationText(seconds), text);
}

void FormatTest::others() {
  QCOMPARE(throughputText(84.312e9), QStringLiteral("84.31 GFLOP/s"));
  QCOMPARE(throughputText(1.2e12), QStringLiteral("1.200 TFLOP/s"));
  QCOMPARE(gigaflopsIn(84.312e9), QStringLiteral("84.3"));
  QCOMPARE(flopsText(231211008), QStringLiteral("231.2 MFLOP"));
  QCOMPARE(factorText(12.42), QStringLiteral("12.4×"));
  QCOMPARE(factorText(1.5), QStringLiteral("1.50×"));
  QCOMPARE(factorText(153.2), QStringLiteral("153×"));
  QCOMPARE(factorText(1036), QStringLiteral("1,036×"));
  QCOMPARE(factorText(0), noValue());
  QCOMPARE(percentText(0.0312), QStringLiteral("3.1 %"));
  QCOMPARE(countText(1204331), QStringLiteral("1,204,331"));
  QCOMPARE(rateText(0.84), QStringLiteral("0.8 trials/s"));
  QCOMPARE(rateText(34.2), QStringLiteral("34 trials/s"));
  QCOMPARE(momentText(0), noValue());
}

void FormatTest::spread() {
  const std::array<double, 3> steady{1, 1, 1}, wide{1, 2, 3};
  const std::array<double, 1> single{5};
  QCOMPARE(relativeSpread(steady), 0.0);
  QCOMPARE(relativeSpread(wide), 1.0);
  QCOMPARE(relativeSpread(single), 0.0);
}

NW_TEST_APPLESS(FormatTest)

} // namespace nestwright::format_test

#include "format.moc"
