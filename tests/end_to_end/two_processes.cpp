/// One file, several processes: who must wait is told for whom, readers are not held up, what can
/// go on together does, and all is free again however a process ended.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "tests/bench/tenset_lines.h"
#include "tests/end_to_end/run_program.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace nestwright::two_processes_test {

constexpr int kMillisecondsToStart = 60000;

QStringList tuneArguments(const QString& path, int trials) {
  return {"tune",      "matmul:m=64,n=64,k=64",
          "--trials",  QString::number(trials),
          "--seed",    "3",
          "--repeats", "1",
          "--db",      path,
          "--resume",  "--events"};
}

/// Starts tuning and waits for its first record.
bool startTuning(QProcess& process, const QString& path) {
  process.start(programPath(), tuneArguments(path, 1000000));
  QByteArray output;
  while (!output.contains("\"event\":\"measured\"")) {
    if (!process.waitForReadyRead(kMillisecondsToStart)) return false;
    output += process.readAllStandardOutput();
  }
  return true;
}

class TwoProcesses : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void secondIsToldWhoHasTheSession() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("shared.nwdb"));
    QProcess first;
    QVERIFY(startTuning(first, path));
    const ProgramResult second = run(tuneArguments(path, 50));
    QCOMPARE(second.exitCode, 1);
    const QByteArray pid = QByteArray::number(first.processId());
    QVERIFY2(second.errors.contains("in use by process " + pid), second.errors);
    QVERIFY2(second.errors.contains("tune matmul"), second.errors);
    const ProgramResult reader = run({"query", "--db", path, "--json"});
    QVERIFY2(reader.exitCode == 0, reader.errors);
    QCOMPARE(first.state(), QProcess::Running);

    first.kill();
    first.waitForFinished();
    const ProgramResult third = run(tuneArguments(path, 1));
    QVERIFY2(third.exitCode == 0, third.errors);
    QCOMPARE(RecordStore::open(path.toStdString(), OpenMode::ReadOnly).sessions().all().size(), 1u);
    QVERIFY(!QFile::exists(path + QStringLiteral("-session1.lock")));
  }

  /// Both would take in the same lines.
  void secondImportIsToldOfTheFirst() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("shared.nwdb"));
    const QString logs = folder.filePath(QStringLiteral("logs"));
    constexpr std::int64_t kRecords = 60'000;
    bench::writeTenSetTree(logs.toStdString(), kRecords, 2500, 7);
    const QStringList arguments = {"import", path, logs, "--no-zoo", "--json"};
    QProcess first;
    first.start(programPath(), arguments);
    const QString lock = path + QStringLiteral("-import.lock");
    // It is claimed first, and its claimant's name written into it then.
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(lock).size() > 0, kMillisecondsToStart);
    const qint64 process = first.processId();
    kill(pid_t(process), SIGSTOP); // however fast it is
    const ProgramResult second = run(arguments);
    kill(pid_t(process), SIGCONT);
    QVERIFY(first.waitForFinished(kMillisecondsToStart));
    QCOMPARE(second.exitCode, 1);
    const QByteArray pid = QByteArray::number(process);
    QVERIFY2(second.errors.contains("logs are being imported into"), second.errors);
    QVERIFY2(second.errors.contains("by process " + pid), second.errors);
    QVERIFY(!QFile::exists(lock));
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), kRecords);
  }

  /// The import may wait for the session, or the two may take turns: nothing is lost of either.
  void sessionAndImportLoseNothingOfOneAnother() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("shared.nwdb"));
    const QString logs = folder.filePath(QStringLiteral("logs"));
    constexpr std::int64_t kRecords = 30'000;
    bench::writeTenSetTree(logs.toStdString(), kRecords, 2500, 7);
    QProcess session, import;
    QVERIFY(startTuning(session, path));
    import.start(programPath(), {"import", path, logs, "--no-zoo", "--json"});
    import.waitForFinished(1000);
    QCOMPARE(session.state(), QProcess::Running);
    session.terminate();
    QVERIFY(session.waitForFinished(kMillisecondsToStart));
    QVERIFY2(session.exitCode() == 0, session.readAllStandardError());
    QVERIFY(import.state() == QProcess::NotRunning || import.waitForFinished(kMillisecondsToStart));
    QVERIFY2(import.exitCode() == 0, import.readAllStandardError());
    const qsizetype tuned = session.readAllStandardOutput().count("\"event\":\"measured\"");
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QVERIFY(store.records().total() > kRecords + tuned); // some were read while it started
    QCOMPARE(store.check(), std::vector<std::string>());
  }

  void oneOfManyAtOnceRunsIt() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("race.nwdb"));
    const ProgramResult made = run(tuneArguments(path, 8));
    QVERIFY2(made.exitCode == 0, made.errors);
    constexpr int kProcesses = 4;
    std::vector<std::unique_ptr<QProcess>> processes;
    for (int i = 0; i < kProcesses; ++i) {
      processes.push_back(std::make_unique<QProcess>());
      processes.back()->start(programPath(), tuneArguments(path, 40));
    }
    int succeeded = 0;
    for (const auto& process : processes) {
      QVERIFY(process->waitForFinished(kMillisecondsToStart));
      const QByteArray errors = process->readAllStandardError();
      succeeded += process->exitCode() == 0;
      // Who comes late finds the session free again, and its budget used up.
      QVERIFY2(process->exitCode() == 0 || errors.contains("in use by"), errors);
    }
    QVERIFY(succeeded >= 1);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), std::int64_t(40));
    QVERIFY(store.check().empty());
  }
};

NW_TEST_GUILESS(TwoProcesses)

} // namespace nestwright::two_processes_test

#include "two_processes.moc"
