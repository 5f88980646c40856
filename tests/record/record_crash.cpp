#include "core/record/store/network_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/trial_rows.h"
#include "core/support/error.h"
#include "tests/record/file_bytes.h"
#include "tests/record/problems.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <QFile>
#include <QProcess>
#include <QtTest>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

namespace nestwright::record_crash_test {

std::unique_ptr<QProcess> startWriter(const std::string& path, RowId session) {
  auto writer = std::make_unique<QProcess>();
  writer->start(RECORD_HELPER, {"write", QString::fromStdString(path), QString::number(session)});
  writer->waitForStarted();
  return writer;
}

/// The last trial that the writer said to have stored.
std::int64_t lastAnnounced(const QByteArray& output) {
  const qsizetype end = output.lastIndexOf('\n');
  if (end < 0) return 0;
  const qsizetype begin = output.lastIndexOf('\n', end - 1) + 1;
  return output.mid(begin, end - begin).toLongLong();
}

/// The locks that this process holds on the file, as the system lists them. A list that changes
/// while it is read may name one twice, and another file system's file may have the same number.
std::set<std::string> ownLocksOn(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  QFile file("/proc/locks");
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QString process = QString::number(getpid()), inode = QString(":%1").arg(status.st_ino);
  std::set<std::string> locks;
  for (const QString& line : QString::fromLatin1(file.readAll()).split('\n')) {
    // "1: POSIX  ADVISORY  READ 1234 fe:00:5678 124 124"
    const QStringList words = line.simplified().split(' ');
    if (words.size() >= 8 && words[4] == process && words[5].endsWith(inode))
      locks.insert(words.mid(1).join(' ').toStdString());
  }
  return locks;
}

class RecordCrash : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// C20, C24.
  void killedWriterLosesNothingAnnounced() {
    constexpr std::uint64_t kSeed = 5;
    qInfo("seed %d", int(kSeed));
    Random random(kSeed);
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RowId session = 0;
    {
      RecordStore store = RecordStore::open(path, OpenMode::Create);
      session = samples::fill(store, 3).session;
    }
    std::int64_t last = 0;
    for (int kill = 0; kill < 12; ++kill) {
      const auto writer = startWriter(path, session);
      QVERIFY(writer->waitForReadyRead());
      QTest::qSleep(int(random.below(120)));
      writer->kill();
      QVERIFY(writer->waitForFinished(120'000));
      const std::int64_t announced = lastAnnounced(writer->readAllStandardOutput());
      QVERIFY(announced > last);
      // Every second time the next writer, not we, finds the log that was left behind.
      if (kill % 2 == 0) {
        const RecordStore store =
            RecordStore::open(path, kill % 4 == 0 ? OpenMode::ReadOnly : OpenMode::ReadWrite);
        const std::vector<CurvePoint> points = store.trials().curve(session);
        QVERIFY(std::int64_t(points.size()) >= announced);
        QVERIFY(std::int64_t(points.size()) <= announced + 1); // one in flight
        for (std::size_t i = 0; i < points.size(); ++i)
          QCOMPARE(points[i].trial, std::int64_t(i + 1));
        QCOMPARE(store.records().total(), std::int64_t(points.size()));
        QCOMPARE(problemsOf(store), std::string("[]"));
      }
      last = announced;
    }
    qInfo("%d records", int(last));
  }

  /// After a power cut the log may end anywhere; what it still holds in full is there.
  void logCutAnywhereKeepsWhatCameBefore() {
    constexpr std::uint64_t kSeed = 6;
    qInfo("seed %d", int(kSeed));
    Random random(kSeed);
    constexpr int kRecords = 60;
    const samples::Folder live, folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore writer = RecordStore::open(live.file("a.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(writer, 3);
    std::vector<qsizetype> logBytes; // after each record
    for (int trial = 1; trial <= kRecords; ++trial) {
      writer.records().add(samples::record(ground, trial, 1.0 / trial));
      logBytes.push_back(contents(live.file("a.nwdb-wal")).size());
    }
    const QByteArray file = contents(live.file("a.nwdb")), log = contents(live.file("a.nwdb-wal"));
    QCOMPARE(logBytes.back(), log.size());
    for (int i = 0; i < 40; ++i) {
      const auto size = qsizetype(random.below(std::uint64_t(log.size())));
      overwrite(path, file);
      overwrite(path + "-wal", log.left(size));
      if (size < logBytes.front()) { // not even the rows that the records need
        QVERIFY(RecordStore::open(path).check().empty());
        continue;
      }
      const RecordStore store = RecordStore::open(path);
      const auto whole =
          std::upper_bound(logBytes.begin(), logBytes.end(), size) - logBytes.begin();
      QCOMPARE(store.records().total(), std::int64_t(whole));
      QCOMPARE(problemsOf(store), std::string("[]"));
    }
  }

  void fullDiskLosesNothingAnnounced() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RowId session = 0;
    {
      RecordStore store = RecordStore::open(path, OpenMode::Create);
      session = samples::fill(store, 3).session;
    }
    QProcess writer;
    writer.start(RECORD_HELPER, {"fill", QString::fromStdString(path), QString::number(session),
                                 QString::number(4 << 20)});
    QVERIFY(writer.waitForFinished(120'000)); // every record waits for the disk
    QCOMPARE(writer.exitCode(), 1);
    const QByteArrayList lines = writer.readAllStandardOutput().trimmed().split('\n');
    QVERIFY2(lines.back().contains("what was stored before is safe"), lines.back().constData());
    const RecordStore store = RecordStore::open(path);
    QVERIFY(store.records().total() >= lines.size() - 1);
    QVERIFY(lines.size() > 50);
    QCOMPARE(problemsOf(store), std::string("[]"));
  }

  void readersWorkBesideAWriterInAnotherProcess() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RowId session = 0;
    {
      RecordStore store = RecordStore::open(path, OpenMode::Create);
      session = samples::fill(store, 3).session;
    }
    const auto writer = startWriter(path, session);
    QVERIFY(writer->waitForReadyRead());
    std::int64_t seen = 0;
    for (int i = 0; i < 50; ++i) {
      const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
      QTRY_VERIFY(store.records().total() > seen);
      seen = store.records().total();
    }
    QCOMPARE(int(writer->state()), int(QProcess::Running));
    writer->kill();
    QVERIFY(writer->waitForFinished(120'000));
    QVERIFY(seen >= 50);
  }

  void readersWorkBesideAWriterInAnotherThread() {
    constexpr int kRecords = 400;
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore writer = RecordStore::open(path, OpenMode::Create);
    const samples::Ground ground = samples::fill(writer, 3);
    std::atomic<int> faults{0}, rounds{0};
    const auto read = [&] {
      try {
        std::int64_t seen = 0;
        while (seen < kRecords) {
          const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
          for (int i = 0; i < 20; ++i) {
            const std::int64_t count = store.records().total();
            RecordQuery query;
            query.session = ground.session;
            query.limit = 10;
            const std::vector<Record> page = store.records().page(query);
            const bool grows = count >= seen && (page.empty() || page[0].trial >= seen);
            const bool dense =
                page.empty() || page.back().trial == page[0].trial - std::int64_t(page.size()) + 1;
            if (!grows || !dense) ++faults;
            seen = count;
            ++rounds;
          }
        }
      } catch (const std::exception& error) {
        qWarning("%s", error.what());
        ++faults;
      }
    };
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i)
      readers.emplace_back(read);
    for (int trial = 1; trial <= kRecords; ++trial)
      writer.records().add(
          samples::record(ground, trial, 1.0 / trial, ground.tasks[std::size_t(trial % 3)]));
    for (std::thread& reader : readers)
      reader.join();
    QCOMPARE(faults.load(), 0);
    QVERIFY(rounds.load() >= 60);
    QCOMPARE(problemsOf(writer), std::string("[]"));
  }

  void twoWritersTakeTurns() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    const samples::Ground first = samples::fill(store), second = samples::fill(store);
    const auto write = [&](const samples::Ground& ground) {
      RecordStore own = RecordStore::open(path);
      for (int trial = 1; trial <= 100; ++trial)
        own.records().add(samples::record(ground, trial, 1.0 + trial));
    };
    std::thread other([&] { write(second); });
    write(first);
    other.join();
    QCOMPARE(store.records().total(), std::int64_t(200));
    QCOMPARE(problemsOf(store), std::string("[]"));
  }

  /// POSIX takes a process's locks on a file away when it closes any descriptor of it: an
  /// inspection that opened the file past SQLite would leave a running session without its locks.
  void openingAgainKeepsTheLocksOfTheFirst() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore writer = RecordStore::open(path, OpenMode::Create);
    const samples::Ground ground = samples::fill(writer);
    const std::set<std::string> before = ownLocksOn(path);
    if (before.empty()) QSKIP("this system does not show locks");
    for (const OpenMode mode : {OpenMode::ReadOnly, OpenMode::ReadWrite, OpenMode::Create}) {
      { const RecordStore again = RecordStore::open(path, mode); }
      QCOMPARE(ownLocksOn(path), before);
    }
    writer.records().add(samples::record(ground, 1, 1));
  }

  void filesAreMadeByManyAtOnce() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    std::atomic<int> faults{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        try {
          RecordStore store = RecordStore::open(path, OpenMode::Create);
          store.records().add(samples::record(samples::fill(store), 1, 1));
        } catch (const std::exception& error) {
          qWarning("%s", error.what());
          ++faults;
        }
      });
    for (std::thread& thread : threads)
      thread.join();
    QCOMPARE(faults.load(), 0);
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), std::int64_t(4));
    QCOMPARE(store.networks().all().size(), std::size_t(1));
  }
};

NW_TEST_GUILESS(RecordCrash)

} // namespace nestwright::record_crash_test

#include "record_crash.moc"
