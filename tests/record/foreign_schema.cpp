/// Files with objects that are not ours, or of a newer version: nothing of them is run, what can be
/// read is, and writing is refused with what to do.

#include "core/record/care/merge_files.h"
#include "core/record/file/database_file.h"
#include "core/record/file/document_file.h"
#include "core/record/file/free_query.h"
#include "core/record/file/read_only.h"
#include "core/record/file/schema.h"
#include "core/record/file/schema_check.h"
#include "core/record/query/record_browser.h"
#include "core/record/sql/interruptible.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/sql/sqlite.h"
#include "tests/record/file_bytes.h"
#include "tests/record/full_file.h"
#include "tests/record/problems.h"
#include "tests/record/samples.h"
#include "tests/sanitizers/sanitized.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>
#include <sys/resource.h>

#include <QtTest>

namespace nestwright::foreign_schema_test {

/// A document as we write it, and then as somebody else changed it.
std::string changedDocument(const samples::Folder& folder, const std::string& sql) {
  const std::string path = folder.file("a.nwdb");
  samples::writeFull(path);
  sqlite::Database(path, sqlite::Access::ReadWrite).execute(sql);
  return path;
}

std::int64_t peakKilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

class ForeignSchema : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ourFilesHaveNothingForeign_data() {
    QTest::addColumn<int>("version");
    for (int version = 1; version <= schemaVersion(); ++version)
      QTest::addRow("%d", version) << version;
  }
  /// As programs of that time wrote them, and as they are after a migration.
  void ourFilesHaveNothingForeign() {
    QFETCH(int, version);
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    overwrite(path, contents(fmt::format(NESTWRIGHT_TEST_DATA "/schema_version{}.nwdb", version)));
    for (int i = 0; i < 2; ++i) {
      sqlite::Database db = openDatabaseFile(path, OpenMode::ReadOnly);
      const SchemaDifference difference = schemaDifference(db);
      QCOMPARE(fmt::format("{}", difference.foreign), std::string("[]"));
      QCOMPARE(fmt::format("{}", difference.unreadable), std::string("[]"));
      RecordStore::open(path);
    }
  }

  void foreignObjectsAreNamedAndNotWritten_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("name");
    QTest::newRow("trigger") << "CREATE TRIGGER evil AFTER INSERT ON record BEGIN UPDATE task SET "
                                "name = 'hacked'; END"
                             << "the trigger 'evil'";
    QTest::newRow("table") << "CREATE TABLE bookmarks (url TEXT)"
                           << "the table 'bookmarks'";
    QTest::newRow("view") << "CREATE VIEW speeds AS SELECT seconds FROM record"
                          << "the view 'speeds'";
    QTest::newRow("index") << "CREATE INDEX sums ON record (abs(seconds))"
                           << "the index 'sums'";
    QTest::newRow("column") << "ALTER TABLE task ADD COLUMN more INTEGER"
                            << "the changed table 'task'";
    QTest::newRow("computed column")
        << "ALTER TABLE task ADD COLUMN more TEXT AS (hex(zeroblob(100000000)))"
        << "the changed table 'task'";
    QTest::newRow("changed index")
        << "DROP INDEX record_by_speed; CREATE INDEX record_by_speed ON record (task, session, "
           "seconds) WHERE verdict = 1"
        << "the changed index 'record_by_speed'";
    QTest::newRow("control characters") << "CREATE TABLE \"\x1b]0;pwn\x07\" (x)"
                                        << "the table '?]0;pwn?'";
  }

  void foreignObjectsAreNamedAndNotWritten() {
    QFETCH(QString, sql);
    QFETCH(QString, name);
    const samples::Folder folder;
    const std::string path = changedDocument(folder, sql.toStdString());
    const QByteArray before = contents(path);
    const auto refused = [&](const std::function<void()>& body) {
      const std::string text = refusalOf<ReadOnlyFile>(body);
      return contains(text, name.toStdString()) && contains(text, path) &&
             contains(text, "db merge --output");
    };
    QVERIFY(refused([&] { RecordStore::open(path); }));
    QVERIFY(refused([&] { RecordStore::open(path, OpenMode::Create); }));
    QVERIFY(refused([&] { keep(path, "note/task/1", "{}"); }));
    {
      const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
      QVERIFY(contains(store.readOnlyReason(), name.toStdString()));
      QVERIFY(store.records().total() > 0);
      QVERIFY(!store.records().page({}).empty());
      QVERIFY(!RecordBrowser(path).records({}).empty());
      const std::vector<std::string> problems = store.check();
      QVERIFY(!problems.empty() && contains(problems[0], name.toStdString()));
    }
    QCOMPARE(contents(path), before);
    // The advice works: what is ours is taken over, and nothing else.
    const std::string own = folder.file("own.nwdb");
    const std::atomic<bool> stop{false};
    QVERIFY(mergeFile(own, path, stop).records > 0);
    QCOMPARE(RecordStore::open(own).readOnlyReason(), std::string());
  }

  /// Before: endless, and deaf to signals.
  void aTableThatIsAViewIsRefusedByName() {
    const samples::Folder folder;
    const std::string path = changedDocument(
        folder, "DROP TABLE record_tag; DROP TABLE tag; CREATE TABLE record_tag (tag, record); "
                "CREATE VIEW tag AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
                "n) SELECT i AS id, 'x' AS name FROM n");
    for (const OpenMode mode : {OpenMode::ReadOnly, OpenMode::ReadWrite}) {
      std::string text;
      try {
        RecordStore::open(path, mode).tags().all();
      } catch (const InputError& error) {
        text = error.what();
      }
      QVERIFY(contains(text, "'tag' is a view"));
    }
  }

  void aComputedColumnInPlaceOfOursIsRefused() {
    const samples::Folder folder;
    const std::string path = changedDocument(
        folder, "DROP TABLE kept; CREATE TABLE kept (key TEXT PRIMARY KEY, value BLOB AS "
                "(zeroblob(900000000)))");
    std::string text;
    try {
      kept(path, "window/state");
    } catch (const InputError& error) {
      text = error.what();
    }
    QVERIFY(contains(text, "'kept' has no stored column 'value'"));
  }

  /// C44. The trigger is ignored by a connection that has the file open already, too.
  void triggersDoNotRun() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore store = RecordStore::open(path, OpenMode::Create);
    const samples::Ground ground = samples::fill(store);
    sqlite::Database(path, sqlite::Access::ReadWrite)
        .execute("CREATE TRIGGER evil AFTER INSERT ON record BEGIN UPDATE task SET name = "
                 "'hacked'; END");
    store.records().add(samples::record(ground, 1, 1));
    QCOMPARE(store.tasks().one(1)->name, std::string("conv 0"));
  }

  /// C26.
  void newerVersionsAreRead() {
    const samples::Folder folder;
    const std::string path = changedDocument(
        folder, "ALTER TABLE record ADD COLUMN joules REAL; CREATE TABLE power (record INTEGER); "
                "DROP TABLE generation; PRAGMA user_version = 99");
    const QByteArray before = contents(path);
    const std::string text = refusalOf<ReadOnlyFile>([&] { RecordStore::open(path); });
    QVERIFY(contains(text, "version 99"));
    QVERIFY(contains(text, fmt::format("versions up to {}", schemaVersion())));
    QVERIFY(contains(text, "can be read"));
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    QCOMPARE(store.readOnlyReason(), text);
    QVERIFY(store.records().total() > 0);
    QCOMPARE(fmt::format("{}", store.check()), std::string("[]"));
    QCOMPARE(contents(path), before);
  }

  void newerVersionsWithoutOurTablesAreRefused() {
    const samples::Folder folder;
    const std::string path =
        changedDocument(folder, "DROP TABLE record_tag; DROP TABLE tag; PRAGMA user_version = 99");
    std::string text;
    try {
      RecordStore::open(path, OpenMode::ReadOnly);
    } catch (const InputError& error) {
      text = error.what();
    }
    QVERIFY(contains(text, "version 99"));
    QVERIFY(contains(text, "'record_tag' is missing"));
  }

  void readingStopsInTheMidstOfAStatement() {
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore::open(path, OpenMode::Create);
    sqlite::Database db = openDatabaseFile(path, OpenMode::ReadOnly);
    int asked = 0;
    {
      const sqlite::Interruptible guard(db, [&] { return ++asked < 3; });
      QVERIFY_THROWS_EXCEPTION(
          QueryStopped, db.integer("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
                                   "n) SELECT count(*) FROM n"));
    }
    QCOMPARE(asked, 3);
    QCOMPARE(db.integer("SELECT 5"), std::int64_t(5));
  }

  void freeQueriesHaveLimits_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<bool>("refused"); // else SQLite gives NULL
    QTest::newRow("printf") << "SELECT length(printf('%.*c', 2000000000, 'x'))" << false;
    QTest::newRow("blob") << "SELECT length(hex(randomblob(900000000)))" << true;
    QTest::newRow("doubling") << "WITH RECURSIVE n (i, t) AS (SELECT 1, 'xxxxxxxxxxxxxxxx' UNION "
                                 "ALL SELECT i + 1, t || t FROM n) SELECT max(length(t)) FROM n"
                              << true;
    QTest::newRow("rows")
        << "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
           "SELECT count(*) FROM (SELECT DISTINCT i, i || hex(zeroblob(4000)) FROM n)"
        << true;
    QTest::newRow("aggregate") << "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                                  "LIMIT 100000) SELECT length(group_concat(hex(zeroblob(1000)))) "
                                  "FROM n"
                               << true;
  }

  void freeQueriesHaveLimits() {
    QFETCH(QString, sql);
    QFETCH(bool, refused);
    const samples::Folder folder;
    const std::string path = folder.file("a.nwdb");
    RecordStore::open(path, OpenMode::Create);
    const std::int64_t before = peakKilobytes();
    FreeQueryOptions options;
    options.seconds = 60;
    const auto run = [&] {
      runFreeQuery(
          path, sql.toStdString(), options, [](const auto&) {}, [](const auto&) { return true; });
    };
    if (refused)
      QVERIFY_THROWS_EXCEPTION(UsageError, run());
    else
      run();
    if (test::kSanitized) return; // one keeps what was freed
    constexpr std::int64_t kMost = 200'000;
    QVERIFY2(peakKilobytes() - before < kMost, qPrintable(QString::number(peakKilobytes())));
  }
};

NW_TEST_GUILESS(ForeignSchema)

} // namespace nestwright::foreign_schema_test

#include "foreign_schema.moc"
