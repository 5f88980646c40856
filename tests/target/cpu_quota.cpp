/// How many processors a control group's time keeps busy.

#include "core/target/cpu_quota.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::cpu_quota_test {

class CpuQuota : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isRoundedUp_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("cores"); // 0: no limit
    QTest::newRow("two") << "200000 100000" << 2;
    QTest::newRow("one and a half") << "150000 100000" << 2;
    QTest::newRow("a tenth") << "10000 100000" << 1;
    QTest::newRow("another period") << "40000 10000" << 4;
    QTest::newRow("none") << "max 100000" << 0;
    QTest::newRow("none, of version 1") << "-1 100000" << 0;
    QTest::newRow("no files") << " " << 0;
    QTest::newRow("nothing") << "" << 0;
    QTest::newRow("one number") << "200000" << 0;
    QTest::newRow("no period") << "200000 0" << 0;
    QTest::newRow("something else") << "2e5 1e5" << 0;
  }

  void isRoundedUp() {
    QFETCH(QString, text);
    QFETCH(int, cores);
    QCOMPARE(coresOfQuota(text.toStdString()).value_or(0), cores);
  }

  /// Each group around ours limits it, too.
  void foldersAreThoseOfTheGroup() {
    const std::vector<std::string> second = {"/sys/fs/cgroup/a.slice/b.service",
                                             "/sys/fs/cgroup/a.slice", "/sys/fs/cgroup"};
    QCOMPARE(quotaFolders("0::/a.slice/b.service\n"), second);
    const std::vector<std::string> first = {"/sys/fs/cgroup/cpu/box", "/sys/fs/cgroup/cpu",
                                            "/sys/fs/cgroup"};
    QCOMPARE(quotaFolders("9:name=systemd:/x\n4:cpu,cpuacct:/box\n3:cpuset:/y\n0::/\n"), first);
    QVERIFY(quotaFolders("no groups\n0::elsewhere\n").empty());
  }
};

NW_TEST_APPLESS(CpuQuota)

} // namespace nestwright::cpu_quota_test

#include "cpu_quota.moc"
