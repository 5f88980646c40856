/// kill -9 of a running import at random moments, and the same import again: the file ends up as if
/// nobody had disturbed it. NESTWRIGHT_KILLS=20 in the environment kills more often, in a longer
/// import; NESTWRIGHT_SEED repeats a run.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "tests/bench/tenset_lines.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::kill_import_test {

/// An import of so many records takes more than one transaction.
constexpr std::int64_t kFewestRecords = 24'000, kRecordsPerKill = 4000;

int numberFrom(const char* variable, int otherwise) {
  bool given = false;
  const int number = qEnvironmentVariableIntValue(variable, &given);
  return given ? number : otherwise;
}

QByteArray exported(const QString& database, const QString& path) {
  const ProgramResult result =
      run({QStringLiteral("export"), database, QStringLiteral("-o"), path});
  if (result.exitCode != 0) qWarning("%s", result.errors.constData());
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

class KillImport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    kills_ = numberFrom("NESTWRIGHT_KILLS", 3);
    const auto seed =
        quint32(numberFrom("NESTWRIGHT_SEED", int(QRandomGenerator::system()->bounded(1'000'000))));
    qInfo("%d kills, seed %u", kills_, seed);
    random_.seed(seed);
    records_ = std::max(kFewestRecords, kRecordsPerKill * kills_);
    bench::writeTenSetTree(path("logs").toStdString(), records_, 2500, 7);
    const ProgramResult calm = run(arguments(path("calm.nwdb")));
    QVERIFY2(calm.exitCode == 0, calm.errors);
    report_ = calm.json();
    QCOMPARE(report_.at("records").get<std::int64_t>(), records_);
    milliseconds_ = int(1000 * report_.at("seconds").get<double>());
    expected_ = exported(path("calm.nwdb"), path("calm.json"));
    QVERIFY(expected_.count('\n') == records_);
  }

  /// One kill in each part of the whole duration, somewhere in that part.
  void killedAtAnyMomentItEndsAsAnUndisturbedOne_data() {
    QTest::addColumn<int>("milliseconds");
    const int part = milliseconds_ / kills_ + 1;
    for (int kill = 0; kill < kills_; ++kill)
      QTest::addRow("kill %d", kill + 1) << kill * part + random_.bounded(part);
  }

  void killedAtAnyMomentItEndsAsAnUndisturbedOne() {
    QFETCH(int, milliseconds);
    const QString file = path("killed.nwdb");
    removeFile(file);
    const std::int64_t stored = killAfter(file, milliseconds);
    QVERIFY(stored >= 0);
    qInfo("after %d ms of %d, %d %% of the records were stored", milliseconds, milliseconds_,
          int(100 * stored / records_));
    const ProgramResult again = run(arguments(file));
    QVERIFY2(again.exitCode == 0, again.errors);
    compareWithUndisturbed(file, again);
  }

  /// Killed again and again, it gets to the end.
  void killedManyTimesItEndsAsAnUndisturbedOne() {
    const QString file = path("often.nwdb");
    for (int kill = 0; kill < kills_; ++kill)
      QVERIFY(killAfter(file, 20 + random_.bounded(milliseconds_ / 2 + 100)) >= 0);
    const ProgramResult last = run(arguments(file));
    QVERIFY2(last.exitCode == 0, last.errors);
    compareWithUndisturbed(file, last);
  }

 private:
  QString path(const char* name) const { return folder_.filePath(QString::fromUtf8(name)); }

  QStringList arguments(const QString& file) const {
    return {QStringLiteral("import"), file, path("logs"), QStringLiteral("--no-zoo"),
            QStringLiteral("--json")};
  }

  static void removeFile(const QString& file) {
    for (const char* part : {"", "-wal", "-shm", "-import.lock"})
      QFile::remove(file + QString::fromUtf8(part));
  }

  /// Records that are in the file afterwards, which is sound.
  std::int64_t killAfter(const QString& file, int milliseconds) {
    QProcess process;
    process.start(programPath(), arguments(file));
    process.waitForStarted();
    process.waitForFinished(milliseconds);
    process.kill();
    process.waitForFinished();
    if (!QFile::exists(file)) return 0;
    const RecordStore store = RecordStore::open(file.toStdString(), OpenMode::ReadOnly);
    if (!store.check().empty()) qWarning("not sound: %s", store.check().front().c_str());
    return store.check().empty() ? store.records().total() : -1;
  }

  void compareWithUndisturbed(const QString& file, const ProgramResult& last) {
    QVERIFY(exported(file, path("killed.json")) == expected_);
    const RecordStore store = RecordStore::open(file.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.check(), std::vector<std::string>());
    QCOMPARE(store.sessions().all().size(), std::size_t(1));
    QVERIFY(last.json().at("files") == report_.at("files"));
  }

  QTemporaryDir folder_;
  QRandomGenerator random_;
  std::int64_t records_ = 0;
  int kills_ = 0, milliseconds_ = 0; // the latter of an undisturbed import
  nlohmann::json report_;
  QByteArray expected_;
};

NW_TEST_GUILESS(KillImport)

} // namespace nestwright::kill_import_test

#include "kill_import.moc"
