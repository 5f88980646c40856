/// A backup put in the place of a file that is in use, or that a killed program left with its log:
/// the log of the one is never worked into the other, and nothing of either is lost.

#include "core/record/file/document_file.h"
#include "core/record/file/free_query.h"
#include "core/record/file/generation.h"
#include "core/record/file/generation_keeper.h"
#include "core/record/query/record_browser.h"
#include "core/record/sql/file_holders.h"
#include "core/record/sql/file_trouble.h"
#include "core/record/sql/sqlite.h"
#include "tests/record/file_bytes.h"
#include "tests/record/foreign_log_beside.h"
#include "tests/record/full_file.h"
#include "tests/record/problems.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QtTest>

#include <filesystem>

namespace nestwright::foreign_log_test {

constexpr std::int64_t kRecords = 12, kOthers = 7;

/// A document with so many records, closed.
RowId makeDocument(const std::string& path, std::int64_t records, int tasks = 1) {
  RecordStore store = RecordStore::open(path, OpenMode::Create);
  const samples::Ground ground = samples::fill(store, tasks);
  for (int trial = 1; trial <= records; ++trial)
    store.records().add(samples::record(ground, trial, 1.0 / trial));
  return ground.session;
}

/// A program that was killed while it added records.
void addAndKill(const std::string& path, RowId session) {
  QProcess writer;
  writer.start(RECORD_HELPER, {"write", QString::fromStdString(path), QString::number(session)});
  for (QByteArray told; told.count('\n') < 4; told += writer.readAllStandardOutput())
    QVERIFY(writer.waitForReadyRead());
  writer.kill();
  QVERIFY(writer.waitForFinished());
  QVERIFY(!contents(path + "-wal").isEmpty());
}

/// A document of twelve records, and a backup that may take its place: itself as it was then, or
/// another document of seven.
struct Restored {
  explicit Restored(bool sameDocument = false) : session(makeDocument(path, kRecords)) {
    if (sameDocument)
      overwrite(backup, contents(path));
    else
      makeDocument(backup, kOthers, 3);
    expected = sameDocument ? kRecords : kOthers;
  }
  void replace(const QString& how) const {
    if (how == "copy") return overwrite(path, contents(backup)); // cut to nothing, written anew
    overwrite(path + ".restored", contents(backup));
    std::filesystem::rename(path + ".restored", path);
  }
  samples::Folder folder;
  std::string path = folder.file("a.nwdb"), backup = folder.file("backup.nwdb");
  RowId session;
  std::int64_t expected = 0; // records of the backup
};

QStringList setAside(const samples::Folder& folder) {
  return QDir(QString::fromStdString(folder.path()))
      .entryList({"*-wal.of-another-file-*"}, QDir::Files);
}

/// Requires that this log, and no other, was set aside.
void requireSetAside(const samples::Folder& folder, const QByteArray& log) {
  QCOMPARE(setAside(folder).size(), 1);
  QCOMPARE(contents(folder.file(setAside(folder)[0].toUtf8().constData())), log);
}

void waysToReplace() {
  QTest::addColumn<QString>("how");
  QTest::addColumn<bool>("sameDocument");
  for (const char* how : {"rename", "copy"}) {
    QTest::addRow("%s, an older backup", how) << how << true;
    QTest::addRow("%s, another document", how) << how << false;
  }
}

/// Everything that reads, once.
void readAll(const std::string& path) {
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  QCOMPARE(problemsOf(store), std::string("[]"));
  store.records().page({});
  RecordBrowser(path).records({});
  kept(path, "window/state");
  runFreeQuery(
      path, "SELECT count(*) FROM records", {}, [](const auto&) {},
      [](const auto&) { return true; });
}

class ForeignLog : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void restoredOverAKilledOne_data() { waysToReplace(); }
  void restoredOverAKilledOne() {
    QFETCH(QString, how);
    QFETCH(bool, sameDocument);
    const Restored restored(sameDocument);
    const auto& [folder, path, backup, session, expected] = restored;
    addAndKill(path, session);
    restored.replace(how);
    const QByteArray bytes = contents(path), log = contents(path + "-wal");

    readAll(path);
    QCOMPARE(RecordStore::open(path, OpenMode::ReadOnly).records().total(), expected);
    QCOMPARE(contents(path), bytes);
    QCOMPARE(contents(path + "-wal"), log);
    {
      RecordStore store = RecordStore::open(path);
      QCOMPARE(store.records().total(), expected);
      store.records().add(samples::record({0, 0, 1, {1}}, expected + 1, 1));
    }
    requireSetAside(folder, log);
    QVERIFY(!QFile::exists(QString::fromStdString(path + "-wal")));
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), expected + 1);
    QCOMPARE(problemsOf(store), std::string("[]"));
  }

  void replacedWhileInUse_data() { waysToReplace(); }
  void replacedWhileInUse() {
    QFETCH(QString, how);
    QFETCH(bool, sameDocument);
    const Restored restored(sameDocument);
    const auto& [folder, path, backup, session, expected] = restored;
    const QByteArray bytes = contents(backup);
    {
      RecordStore used = RecordStore::open(path);
      const samples::Ground ground{0, 0, session, {1}};
      used.records().add(samples::record(ground, kRecords + 1, 1));
      used.records().add(samples::record(ground, kRecords + 2, 1));
      restored.replace(how);
      QVERIFY(contains(
          refusalOf<FileTrouble>([&] { used.records().add(samples::record(ground, 100, 1)); }),
          "moved, deleted or replaced"));
      QCOMPARE(RecordStore::open(path, OpenMode::ReadOnly).records().total(), expected);
      if (how == "copy" && isHeld(path))
        QVERIFY(contains(refusalOf<FileTrouble>([&] { RecordStore::open(path); }),
                         "its contents were replaced while"));
      QCOMPARE(contents(path), bytes);
    }
    QCOMPARE(contents(path), bytes);
    const QByteArray log = contents(path + "-wal");
    QVERIFY(!log.isEmpty());
    QCOMPARE(RecordStore::open(path).records().total(), expected);
    requireSetAside(folder, log);
    QCOMPARE(problemsOf(RecordStore::open(path, OpenMode::ReadOnly)), std::string("[]"));
  }

  /// The one that was replaced closes after the new one was opened and written.
  void theReplacedOneClosesLast() {
    const Restored restored;
    const auto& [folder, path, backup, session, expected] = restored;
    auto used = std::make_unique<RecordStore>(RecordStore::open(path));
    used->records().add(samples::record({0, 0, session, {1}}, kRecords + 1, 1));
    used->records().add(samples::record({0, 0, session, {1}}, kRecords + 2, 1));
    restored.replace("rename");
    RecordStore now = RecordStore::open(path);
    now.records().add(samples::record({0, 0, 1, {1}}, kOthers + 1, 1));
    now.records().add(samples::record({0, 0, 1, {1}}, kOthers + 2, 1));
    used.reset();
    QVERIFY(!contents(path + "-wal").isEmpty());
    now.records().add(samples::record({0, 0, 1, {1}}, kOthers + 3, 1));
    QCOMPARE(RecordStore::open(path, OpenMode::ReadOnly).records().total(), kOthers + 3);
    QCOMPARE(problemsOf(now), std::string("[]"));
  }

  /// Before opening, so that it can be told.
  void whatIsSetAsideIsTold() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    makeDocument(path, kRecords);
    QVERIFY(!setForeignLogAside(path));
    putForeignLogBeside(path);
    const QByteArray log = contents(path + "-wal");
    QVERIFY(!setForeignLogAside(path, OpenMode::ReadOnly));
    QCOMPARE(contents(path + "-wal"), log);
    const std::optional<SetAsideLog> told = setForeignLogAside(path);
    QVERIFY(told);
    requireSetAside(folder, log);
    QCOMPARE(told->log, path + "-wal");
    QCOMPARE(told->name, folder.file(setAside(folder)[0].toUtf8().constData()));
    QVERIFY(contains(describe(*told), told->log + " was written on another file"));
    QVERIFY(contains(describe(*told), told->name));
    QVERIFY(!setForeignLogAside(path));
    const RecordStore store = RecordStore::open(path);
    QCOMPARE(store.records().total(), kRecords);
    requireSetAside(folder, log);
  }

  /// Its file may come back, unless another is made in its place.
  void aLogWithoutAFileWaits() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    overwrite(path + "-wal", "some log");
    QVERIFY(!setForeignLogAside(path));
    QCOMPARE(contents(path + "-wal"), QByteArray("some log"));
    QVERIFY(setForeignLogAside(path, OpenMode::Create));
    requireSetAside(folder, "some log");
    QVERIFY(!QFile::exists(QString::fromStdString(path)));
  }

  /// Copied together they belong together, whatever their inodes.
  void aLogCopiedWithItsFileIsRead() {
    const samples::Folder live, folder;
    const std::string path = live.file("a.nwdb"), copy = folder.file("b.nwdb");
    samples::writeFull(path);
    {
      // As other programs write it: without generations.
      sqlite::Database writer(path, sqlite::Access::ReadWrite);
      writer.execute("UPDATE session SET title = 'one'");
      // More pages than the file has, and page 1 with their number.
      writer.execute("BEGIN; CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(30000)); COMMIT");
      writer.execute("DROP TABLE t; UPDATE session SET title = 'two'");
      overwrite(copy, contents(path));
      overwrite(copy + "-wal", contents(path + "-wal"));
    }
    QCOMPARE(RecordStore::open(copy, OpenMode::ReadOnly).sessions().one(1)->title,
             std::string("two"));
    QCOMPARE(RecordStore::open(copy).sessions().one(1)->title, std::string("two"));
    QVERIFY(setAside(folder).isEmpty());
  }

  /// Killed in the midst of working the log in: the file is partly of the one state and partly of
  /// the other.
  void anyPartOfTheLogMayHaveBeenWorkedIn() {
    const samples::Folder live, folder;
    const std::string path = live.file("a.nwdb"), copy = folder.file("b.nwdb");
    const RowId session = makeDocument(path, kRecords);
    RecordStore store = RecordStore::open(path);
    for (int trial = kRecords + 1; trial <= 40; ++trial)
      store.records().add(samples::record({0, 0, session, {1}}, trial, 1));
    const QByteArray file = contents(path), log = contents(path + "-wal");
    QByteArray whole;
    {
      overwrite(copy, file);
      overwrite(copy + "-wal", log);
      RecordStore::open(copy);
      whole = contents(copy);
    }
    constexpr qsizetype kPage = 4096;
    for (qsizetype pages = 0; pages * kPage <= whole.size(); ++pages) {
      QByteArray part = file;
      if (part.size() < pages * kPage) part.resize(pages * kPage, '\0');
      part.replace(0, pages * kPage, whole.left(pages * kPage));
      overwrite(copy, part);
      overwrite(copy + "-wal", log);
      const RecordStore opened = RecordStore::open(copy);
      QCOMPARE(opened.records().total(), std::int64_t(40));
      QVERIFY(setAside(folder).isEmpty());
    }
  }

  void readingChangesNeitherFileNorLog() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    addAndKill(path, makeDocument(path, kRecords));
    const QByteArray bytes = contents(path), log = contents(path + "-wal");
    for (int i = 0; i < 2; ++i)
      readAll(path);
    QCOMPARE(contents(path), bytes);
    QCOMPARE(contents(path + "-wal"), log);
    QVERIFY(RecordStore::open(path).records().total() > kRecords);
    QVERIFY(!QFile::exists(QString::fromStdString(path + "-wal")));
  }

  /// A window that stays open does not keep the last records in the log, where a copy of the file
  /// would lack them.
  void theWriterEmptiesItsLogBesideReaders() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), copy = folder.file("b.nwdb");
    const RowId session = makeDocument(path, kRecords);
    const RecordStore reader = RecordStore::open(path, OpenMode::ReadOnly);
    QCOMPARE(reader.records().total(), kRecords);
    {
      RecordStore writer = RecordStore::open(path);
      for (int i = 1; i <= 3; ++i)
        writer.records().add(samples::record({0, 0, session, {1}}, kRecords + i, 1));
    }
    overwrite(copy, contents(path));
    QCOMPARE(RecordStore::open(copy, OpenMode::ReadOnly).records().total(), kRecords + 3);
    QCOMPARE(reader.records().total(), kRecords + 3);
  }

  /// A copy that was saved while a session went on, put back after that was killed.
  void aSavedCopyIsAFileOfItsOwn() {
    const samples::Folder live, folder;
    const std::string path = live.file("a.nwdb"), copy = live.file("copy.nwdb");
    const RowId session = makeDocument(path, kRecords);
    RecordStore store = RecordStore::open(path);
    for (int i = 1; i <= 3; ++i)
      store.records().add(samples::record({0, 0, session, {1}}, kRecords + i, 1));
    QVERIFY(saveCopy(path, copy));
    for (int i = 4; i <= 6; ++i)
      store.records().add(samples::record({0, 0, session, {1}}, kRecords + i, 1));
    const std::string restored = folder.file("a.nwdb");
    overwrite(restored, contents(copy));
    overwrite(restored + "-wal", contents(path + "-wal"));
    QCOMPARE(RecordStore::open(restored, OpenMode::ReadOnly).records().total(), kRecords + 3);
    QCOMPARE(RecordStore::open(restored).records().total(), kRecords + 3);
    QCOMPARE(setAside(folder).size(), 1);
  }

  void logsThroughLinksAreSeen() {
    const samples::Folder elsewhere;
    const Restored restored;
    const auto& [folder, path, backup, session, expected] = restored;
    addAndKill(path, session);
    restored.replace("rename");
    const std::string link = elsewhere.file("link.nwdb");
    QVERIFY(QFile::link(QString::fromStdString(path), QString::fromStdString(link)));
    QCOMPARE(RecordStore::open(link, OpenMode::ReadOnly).records().total(), kOthers);
    QCOMPARE(RecordStore::open(link).records().total(), kOthers);
    QCOMPARE(setAside(folder).size(), 1);
  }

  void generationsOfDamagedLogs() {
    const ReadAt nothing = [](std::int64_t, char*, std::size_t) { return false; };
    QCOMPARE(readLogChain(nothing, 0).pageBytes, std::int64_t(0));
    QVERIFY(belongsTo({}, std::string(100, '\0'), nothing));
    Random random(3);
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    const samples::Ground ground = samples::fill(store);
    for (int trial = 1; trial <= 5; ++trial)
      store.records().add(samples::record(ground, trial, 1));
    const QByteArray log = contents(path + "-wal");
    for (int i = 0; i < 300; ++i) {
      QByteArray damaged = log;
      for (int n = 0; n < 8; ++n)
        damaged[qsizetype(random.below(std::uint64_t(n < 4 ? 120 : log.size())))] =
            char(random.below(256));
      damaged.truncate(qsizetype(random.below(std::uint64_t(log.size()))));
      const ReadAt read = [&](std::int64_t at, char* to, std::size_t bytes) {
        if (at < 0 || at + std::int64_t(bytes) > damaged.size()) return false;
        std::copy_n(damaged.constData() + at, bytes, to);
        return true;
      };
      belongsTo(readLogChain(read, damaged.size()), contents(path).left(100).toStdString(), read);
    }
  }
};

NW_TEST_GUILESS(ForeignLog)

} // namespace nestwright::foreign_log_test

#include "foreign_log.moc"
