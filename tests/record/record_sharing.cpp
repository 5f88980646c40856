/// A record file that others use, too, or that its disk has no room or no right place for: what can
/// go on does, what must wait is told for whom, and nothing that was stored is lost.

#include "core/record/file/database_file.h"
#include "core/record/file/document_file.h"
#include "core/record/file/file_system.h"
#include "core/record/intake/import_writer.h"
#include "core/record/sql/file_holders.h"
#include "core/record/sql/file_trouble.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/record_rows.h"
#include "tests/record/file_bytes.h"
#include "tests/record/problems.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>
#include <sys/mount.h>
#include <unistd.h>

#include <QFile>
#include <QProcess>
#include <QtTest>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace nestwright::record_sharing_test {

/// Starts the helper and waits for its first line.
std::unique_ptr<QProcess> helper(const QStringList& arguments) {
  auto process = std::make_unique<QProcess>();
  process->start(RECORD_HELPER, arguments);
  process->waitForReadyRead();
  return process;
}

void end(QProcess& process) {
  process.kill();
  process.waitForFinished();
}

/// The format that the file's header asks readers for: 1 rollback, 2 log.
int journalFormat(const std::string& path) {
  return contents(path).at(19);
}

/// A small disk of its own, where this process may mount one.
class SmallDisk {
 public:
  SmallDisk() { mounted_ = mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=1536k") == 0; }
  ~SmallDisk() {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  std::string file(const char* name) const { return folder_.file(name); }

 private:
  samples::Folder folder_;
  bool mounted_ = false;
};

class RecordSharing : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { qunsetenv("NESTWRIGHT_JOURNAL"); }

  void whoHoldsTheFileIsNamed_data() {
    QTest::addColumn<bool>("log");
    QTest::newRow("log") << true;
    QTest::newRow("rollback") << false;
  }

  void whoHoldsTheFileIsNamed() {
    QFETCH(bool, log);
    if (!log) qputenv("NESTWRIGHT_JOURNAL", "rollback");
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    {
      RecordStore store = RecordStore::open(path, OpenMode::Create);
      samples::fill(store);
    }
    const auto holder = helper({"hold", QString::fromStdString(path)});
    sqlite::Database database = openDatabaseFile(path, OpenMode::ReadWrite);
    if (fileHolders(path).empty()) QSKIP("this system does not show locks");
    database.waitFor(std::chrono::milliseconds(30));
    const std::string text = refusalOf<FileTrouble>([&] { database.transaction([] {}); });
    QVERIFY(contains(text, fmt::format("process {} (", holder->processId())));
    QVERIFY(contains(text, "record_helper hold"));
    QVERIFY(contains(text, ", since 20"));
    QVERIFY(!contains(text, "SQLITE") && text.find("locked") == std::string::npos);
    // Readers are not held up.
    QCOMPARE(RecordStore::open(path, OpenMode::ReadOnly).networks().all().size(), std::size_t(1));
    end(*holder);
    database.transaction([] {});
    QVERIFY(!contains(otherHolders(path), "process"));
  }

  /// Its records would be in a file without a name.
  void fileThatIsNoLongerInItsPlaceIsNotWritten() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), other = folder.file("b.nwdb");
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    const samples::Ground ground = samples::fill(store);
    store.records().add(samples::record(ground, 1, 1));
    std::filesystem::rename(path, other);
    const auto add = [&] { store.records().add(samples::record(ground, 2, 1)); };
    QVERIFY(contains(refusalOf<FileTrouble>(add), "moved, deleted or replaced"));
    std::filesystem::rename(other, path);
    add();
    QCOMPARE(store.records().total(), std::int64_t(2));
    QCOMPARE(problemsOf(store), std::string("[]"));
  }

  void copyDoesNotReplaceAFileInUse() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb"), other = folder.file("b.nwdb");
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    samples::fill(store);
    {
      RecordStore used = RecordStore::open(other, OpenMode::Create);
      const samples::Ground ground = samples::fill(used);
      if (fileHolders(other).empty()) QSKIP("this system does not show locks");
      QVERIFY_THROWS_EXCEPTION(InputError, saveCopy(path, other));
      used.records().add(samples::record(ground, 1, 1));
    }
    QCOMPARE(RecordStore::open(other, OpenMode::ReadOnly).records().total(), std::int64_t(1));
    QVERIFY(saveCopy(path, other));
    QCOMPARE(RecordStore::open(other, OpenMode::ReadOnly).records().total(), std::int64_t(0));
  }

  void fullDiskStopsAndGoesOn() {
    const SmallDisk disk;
    if (!disk.mounted()) QSKIP("a small disk cannot be mounted here");
    const std::string path = disk.file("a.nwdb"), ballast = disk.file("ballast");
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    const samples::Ground ground = samples::fill(store);
    overwrite(ballast, QByteArray(600'000, 'b'));
    std::int64_t trial = 0;
    const auto addMany = [&] {
      while (trial < 10'000) {
        Record record = samples::record(ground, trial + 1, 1.0 / double(trial + 1));
        record.trace = fmt::format("{}", fmt::join(std::vector<std::int64_t>(300, trial), "-"));
        record.program = hashHex(record.trace);
        store.records().add(record);
        ++trial;
      }
    };
    const std::string text = refusalOf<FileTrouble>(addMany);
    QVERIFY(contains(text, "the disk is full; what was stored before is safe"));
    QVERIFY(trial > 10);
    QCOMPARE(RecordStore::open(path, OpenMode::ReadOnly).records().total(), trial);
    std::filesystem::remove(ballast);
    const std::int64_t before = trial;
    refusalOf<FileTrouble>(addMany); // until it is full again
    QVERIFY(trial > before);
    QCOMPARE(store.records().total(), trial);
    QCOMPARE(problemsOf(store), std::string("[]"));
  }

  void networkFileSystemsAreKnown() {
    QCOMPARE(networkFileSystem(0x6969), std::string("NFS"));
    QCOMPARE(networkFileSystem(std::int64_t(std::int32_t(0xff534d42))), std::string("CIFS"));
    QCOMPARE(networkFileSystem(0xfe534d42), std::string("SMB 2"));
    for (const std::int64_t local :
         {std::int64_t(0xef53), std::int64_t(0x01021994), std::int64_t(0x9123683e),
          std::int64_t(0x58465342), std::int64_t(0x794c7630)})
      QCOMPARE(networkFileSystem(local), std::string()); // ext4, tmpfs, btrfs, xfs, overlay
  }

  /// As on a network file system: the log gives way to a journal, and all goes on.
  void withoutALogNothingIsLost() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RowId session = 0;
    {
      RecordStore store = RecordStore::open(path, OpenMode::Create);
      session = samples::fill(store, 3).session;
    }
    QCOMPARE(journalFormat(path), 2);
    qputenv("NESTWRIGHT_JOURNAL", "rollback");
    { const RecordStore reader = RecordStore::open(path, OpenMode::ReadOnly); }
    QCOMPARE(journalFormat(path), 1);
    std::int64_t last = 0;
    for (int kill = 0; kill < 6; ++kill) {
      const auto writer = helper({"write", QString::fromStdString(path), QString::number(session)});
      std::int64_t seen = 0;
      for (int i = 0; i < 10; ++i) { // beside it
        const RecordStore reader = RecordStore::open(path, OpenMode::ReadOnly);
        QVERIFY(reader.records().total() >= seen);
        seen = reader.records().total();
      }
      QCOMPARE(int(writer->state()), int(QProcess::Running));
      end(*writer);
      const QByteArrayList lines = writer->readAllStandardOutput().trimmed().split('\n');
      const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
      QVERIFY(store.records().total() >= std::max<std::int64_t>(lines.back().toLongLong(), last));
      QCOMPARE(problemsOf(store), std::string("[]"));
      last = store.records().total();
    }
    QVERIFY(last > 6);
    QVERIFY(!QFile::exists(QString::fromStdString(path + "-wal")));
    qputenv("NESTWRIGHT_JOURNAL", "wal"); // back on a local disk
    { RecordStore store = RecordStore::open(path); }
    QCOMPARE(journalFormat(path), 2);
  }

  /// A power cut may leave anything in the part of the log that was not on the disk yet.
  void logDamagedAnywhereKeepsWhatCameBefore() {
    constexpr std::uint64_t kSeed = 21;
    qInfo("seed %d", int(kSeed));
    Random random(kSeed);
    const samples::Folder live, folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore writer = RecordStore::open(live.file("a.nwdb"), OpenMode::Create);
    const samples::Ground ground = samples::fill(writer, 3);
    std::vector<qsizetype> logBytes; // after each record
    for (int trial = 1; trial <= 60; ++trial) {
      writer.records().add(samples::record(ground, trial, 1.0 / trial));
      logBytes.push_back(contents(live.file("a.nwdb-wal")).size());
    }
    const QByteArray file = contents(live.file("a.nwdb")), log = contents(live.file("a.nwdb-wal"));
    int kept = 0;
    for (int i = 0; i < 60; ++i) {
      const auto begin = logBytes.front();
      const auto at = begin + qsizetype(random.below(std::uint64_t(log.size() - begin)));
      QByteArray damaged = log;
      const auto bytes = qsizetype(1 + random.below(5000));
      for (qsizetype b = at; b < std::min(at + bytes, damaged.size()); ++b)
        damaged[b] = i % 2 == 0 ? '\0' : char(random.below(256));
      if (damaged[at] == log[at]) damaged[at] = char(~log[at]);
      overwrite(path, file);
      overwrite(path + "-wal", damaged);
      const RecordStore store = RecordStore::open(path);
      const auto whole = std::upper_bound(logBytes.begin(), logBytes.end(), at) - logBytes.begin();
      QCOMPARE(store.records().total(), std::int64_t(whole));
      QCOMPARE(problemsOf(store), std::string("[]"));
      kept += int(whole);
    }
    QVERIFY(kept > 60);
  }

  /// An import stores for half a second at a time, one transaction after the other.
  void sessionGetsItsTurnBesideAnImport() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    const samples::Ground ground = samples::fill(store);
    std::atomic<bool> stop{false};
    std::atomic<int> transactions{0};
    std::thread import([&] {
      ImportWriter writer(path);
      while (!stop)
        writer.transaction([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(60));
          ++transactions;
        });
    });
    while (transactions == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const int begun = transactions;
    std::string problem;
    try {
      for (int trial = 1; trial <= 8; ++trial) {
        store.records().add(samples::record(ground, trial, 1));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    } catch (const Error& error) {
      problem = error.what();
    }
    const int meanwhile = transactions - begun;
    stop = true;
    import.join();
    QVERIFY2(problem.empty(), problem.c_str());
    qInfo("%d transactions of the import beside 8 records", meanwhile);
    QVERIFY(meanwhile > 0);
    QCOMPARE(store.records().total(), std::int64_t(8));
  }
};

NW_TEST_GUILESS(RecordSharing)

} // namespace nestwright::record_sharing_test

#include "record_sharing.moc"
