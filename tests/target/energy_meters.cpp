/// The processor's energy meter, on machines that are folders: with RAPL, with a part of it, and
/// without.

#include "core/target/energy_meter.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

namespace nestwright::energy_meters_test {

/// A machine with some zones.
class Machine {
 public:
  void zone(const QString& zone, const QByteArray& name, const QByteArray& microjoules,
            const QByteArray& range = "262143328850") {
    const QString folder = root_.path() + "/sys/class/powercap/" + zone;
    QVERIFY(QDir().mkpath(folder));
    write(folder + "/name", name);
    write(folder + "/max_energy_range_uj", range);
    if (!microjoules.isEmpty()) write(folder + "/energy_uj", microjoules);
  }
  std::filesystem::path root() const { return root_.path().toStdString(); }

 private:
  static void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text + '\n');
  }
  QTemporaryDir root_;
};

class EnergyMeters : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Cores are a part of their package, the second way to show it is the same package, and the
  /// whole platform is more than the processor.
  void packagesAndMemoryCount() {
    Machine machine;
    machine.zone("intel-rapl:0", "package-0", "5000000");
    machine.zone("intel-rapl:0:0", "core", "1000000");
    machine.zone("intel-rapl:0:1", "dram", "2000000");
    machine.zone("intel-rapl:1", "package-1", "7000000");
    machine.zone("intel-rapl:2", "psys", "90000000");
    machine.zone("intel-rapl-mmio:0", "package-0", "5000000");
    const EnergyMeter meter = findEnergyMeter(machine.root());
    QCOMPARE(QString::fromStdString(meter.names()), QString("package-0, dram, package-1"));
    QVERIFY(meter.whyNot.empty());
    const auto before = readEnergy(meter);
    QVERIFY(before);
    QCOMPARE(*before, (std::vector<double>{5, 2, 7}));
    QCOMPARE(joulesBetween(meter, *before, {6, 2.5, 7}), std::optional(1.5));
  }
  void aZoneBeginsAgainAtItsRange() {
    Machine machine;
    machine.zone("intel-rapl:0", "package-0", "9500000", "10000000");
    EnergyMeter meter = findEnergyMeter(machine.root());
    const auto before = readEnergy(meter);
    QVERIFY(before);
    QCOMPARE(joulesBetween(meter, *before, {1.25}), std::optional(1.75));
    meter.zones[0].rangeJoules = 0;
    QVERIFY(!joulesBetween(meter, *before, {1.25}));
  }
  void aMachineWithoutSaysSo() {
    QTemporaryDir empty;
    const EnergyMeter meter = findEnergyMeter(empty.path().toStdString());
    QVERIFY(meter.zones.empty());
    QVERIFY2(meter.whyNot.find("no energy meter (RAPL)") != std::string::npos,
             meter.whyNot.c_str());
    Machine foreign; // a zone that is none of a processor
    foreign.zone("intel-rapl:0", "psys", "1");
    QVERIFY(!findEnergyMeter(foreign.root()).whyNot.empty());
  }
  /// What cannot be read counts for nothing, and the reason names the file and what allows it.
  void aMeterForRootAloneSaysSo() {
    Machine machine;
    machine.zone("intel-rapl:0", "package-0", "");
    machine.zone("intel-rapl:0:1", "dram", "2000000");
    const EnergyMeter meter = findEnergyMeter(machine.root());
    QVERIFY(meter.zones.empty());
    QVERIFY2(meter.whyNot.find("intel-rapl:0/energy_uj cannot be read: mostly root alone may") !=
                 std::string::npos,
             meter.whyNot.c_str());
  }
};

NW_TEST_APPLESS(EnergyMeters)

} // namespace nestwright::energy_meters_test

#include "energy_meters.moc"
