/// kill -9 of a running import at random moments, and the same import again: the file ends up as if
/// nobody had disturbed it.

#include "core/record/store.h"
#include "tests/bench/tenset_lines.h"
#include "tests/end_to_end/run_program.h"

#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

using namespace nestwright;

namespace {

constexpr int kKills = 4;
constexpr std::int64_t kRecords = 24'000;

QByteArray exported(const QString& database, const QString& path) {
  const ProgramResult result =
      run({QStringLiteral("export"), database, QStringLiteral("-o"), path});
  if (result.exitCode != 0) qWarning("%s", result.errors.constData());
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class KillImport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void killedImportEndsAsAnUndisturbedOne() {
    QTemporaryDir folder;
    const QString logs = folder.filePath(QStringLiteral("logs"));
    bench::writeTenSetTree(logs.toStdString(), kRecords, 2500, 7);
    const QString calm = folder.filePath(QStringLiteral("calm.nwdb"));
    const QString killed = folder.filePath(QStringLiteral("killed.nwdb"));
    const auto arguments = [&](const QString& file) {
      return QStringList{QStringLiteral("import"), file, logs, QStringLiteral("--no-zoo"),
                         QStringLiteral("--json")};
    };
    const ProgramResult first = run(arguments(calm));
    QVERIFY2(first.exitCode == 0, first.errors);
    QCOMPARE(first.json().at("records").get<std::int64_t>(), kRecords);
    const int wholeTime = int(1000 * first.json().at("seconds").get<double>());
    const quint32 seed = QRandomGenerator::system()->generate();
    qInfo("seed %u", seed);
    QRandomGenerator random(seed);
    for (int kill = 0; kill < kKills; ++kill) {
      QProcess process;
      process.start(programPath(), arguments(killed));
      process.waitForFinished(20 + random.bounded(wholeTime / 3 + 100));
      process.kill();
      process.waitForFinished();
      if (!QFile::exists(killed)) continue;
      const RecordStore store = RecordStore::open(killed.toStdString());
      qInfo("%d records after kill %d", int(store.recordCount()), kill + 1);
      if (kill == kKills / 2) QVERIFY(store.check().empty());
    }
    const ProgramResult last = run(arguments(killed));
    QVERIFY2(last.exitCode == 0, last.errors);
    const QByteArray expected = exported(calm, folder.filePath(QStringLiteral("calm.json")));
    QVERIFY(expected.count('\n') == kRecords);
    QVERIFY(exported(killed, folder.filePath(QStringLiteral("killed.json"))) == expected);
    const RecordStore store = RecordStore::open(killed.toStdString(), OpenMode::ReadOnly);
    QVERIFY(store.check().empty());
    QCOMPARE(store.sessions().size(), std::size_t(1));
    QVERIFY(last.json().at("files") == first.json().at("files"));
  }
};

QTEST_GUILESS_MAIN(KillImport)
#include "kill_import.moc"
