#include "core/target/environment.h"

#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace nestwright::environment_test {

/// A machine made of files.
class Machine {
 public:
  void file(const QString& path, const QByteArray& text) {
    const QString whole = folder_.filePath(path);
    QVERIFY(QDir().mkpath(QFileInfo(whole).path()));
    QFile file(whole);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text + '\n');
  }
  std::vector<EnvironmentFinding> check() const {
    return checkEnvironment(folder_.path().toStdString());
  }
  /// The finding; an empty one when the machine does not tell.
  EnvironmentFinding find(EnvironmentKind what) const {
    for (const EnvironmentFinding& finding : check())
      if (finding.what == what) return finding;
    return {};
  }

 private:
  QTemporaryDir folder_;
};

class EnvironmentTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingIsMadeUp() { QVERIFY(Machine().check().empty()); }

  void eachFactIsJudged_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("fact");
    QTest::addColumn<bool>("disturbs");
    const QString cpu = QStringLiteral("sys/devices/system/cpu/");
    const auto row = [](const char* name, const QString& path, const char* text, const char* what,
                        const char* fact, bool disturbs) {
      QTest::newRow(name) << path << QByteArray(text) << QString::fromLatin1(what)
                          << QString::fromLatin1(fact) << disturbs;
    };
    const QString governor = cpu + QStringLiteral("cpu3/cpufreq/scaling_governor");
    row("powersave", governor, "powersave", "governor", "powersave (1)", true);
    row("performance", governor, "performance", "governor", "performance (1)", false);
    row("turbo", cpu + QStringLiteral("intel_pstate/no_turbo"), "0", "boost", "above", true);
    row("no turbo", cpu + QStringLiteral("intel_pstate/no_turbo"), "1", "boost", "stays", false);
    row("boost", cpu + QStringLiteral("cpufreq/boost"), "1", "boost", "above", true);
    row("smt", cpu + QStringLiteral("smt/active"), "1", "threads", "two threads", true);
    row("no smt", cpu + QStringLiteral("smt/active"), "0", "threads", "one thread", false);
    const QString load = QStringLiteral("proc/loadavg");
    row("busy", load, "3.52 1.00 0.50 4/100 1234", "load", "3 other programs", true);
    row("just paused", load, "3.52 1.00 0.50 1/100 1234", "load", "0 other programs", false);
    row("quiet", load, "0.10 1.00 0.50 2/100 1234", "load", "0.1 on average", false);
    const QString memory = QStringLiteral("proc/meminfo");
    row("full", memory, "MemTotal: 1000 kB\nMemFree: 5 kB\nMemAvailable: 50 kB", "memory", "5 %",
        true);
    row("free", memory, "MemTotal: 1000 kB\nMemFree: 5 kB\nMemAvailable: 500 kB", "memory", "50 %",
        false);
    row("guest", QStringLiteral("proc/cpuinfo"), "processor: 0\nflags : fpu hypervisor sse", "host",
        "virtual", true);
  }
  void eachFactIsJudged() {
    QFETCH(QString, path);
    QFETCH(QByteArray, text);
    QFETCH(QString, what);
    QFETCH(QString, fact);
    QFETCH(bool, disturbs);
    Machine machine;
    machine.file(path, text);
    const EnvironmentFinding finding = machine.find(environmentKindFromName(what.toStdString()));
    QVERIFY2(QString::fromStdString(finding.fact).contains(fact), finding.fact.c_str());
    QCOMPARE(!finding.advice.empty(), disturbs);
    QCOMPARE(environmentAdvice(machine.check()).size(), std::size_t(disturbs ? 1 : 0));
  }

  void batteryIsToldFromMains() {
    Machine machine;
    const QString supplies = QStringLiteral("sys/class/power_supply/");
    machine.file(supplies + QStringLiteral("BAT0/type"), "Battery");
    QCOMPARE(machine.find(EnvironmentKind::Power), EnvironmentFinding());
    machine.file(supplies + QStringLiteral("AC/type"), "Mains");
    machine.file(supplies + QStringLiteral("AC/online"), "0");
    QVERIFY(machine.find(EnvironmentKind::Power).fact.ends_with("battery"));
    QVERIFY(!machine.find(EnvironmentKind::Power).advice.empty());
    machine.file(supplies + QStringLiteral("AC/online"), "1");
    QVERIFY(machine.find(EnvironmentKind::Power).advice.empty());
  }

  void governorsAreCounted() {
    Machine machine;
    for (int i = 0; i < 4; ++i)
      machine.file(QStringLiteral("sys/devices/system/cpu/cpu%1/cpufreq/scaling_governor").arg(i),
                   i == 0 ? "schedutil" : "performance");
    const EnvironmentFinding finding = machine.find(EnvironmentKind::Governor);
    QVERIFY(finding.fact.find("performance (3), schedutil (1)") != std::string::npos);
    QVERIFY(!finding.advice.empty());
  }
};

NW_TEST_APPLESS(EnvironmentTest)

} // namespace nestwright::environment_test

#include "environment.moc"
