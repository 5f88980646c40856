#include "core/record/file/document_file.h"
#include "core/record/file/schema.h"
#include "core/record/query/record_browser.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/choice_rows.h"
#include "core/record/store/event_rows.h"
#include "core/record/store/evolution_rows.h"
#include "core/record/store/mark_rows.h"
#include "core/record/store/model_rows.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/tag_rows.h"
#include "core/support/error.h"
#include "tests/record/file_bytes.h"
#include "tests/record/samples.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>
#include <sys/stat.h>

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QtTest>

#include <cstring>
#include <functional>

namespace nestwright::record_opening_test {

/// Names, sizes, times and contents of everything in the folder.
QByteArray fingerprint(const samples::Folder& folder) {
  QByteArray text;
  const QDir dir(QString::fromStdString(folder.path()));
  for (const QFileInfo& info :
       dir.entryInfoList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::System, QDir::Name)) {
    text += info.fileName().toUtf8() + ' ' + QByteArray::number(info.size()) + ' ' +
            QByteArray::number(info.lastModified().toMSecsSinceEpoch()) + ' ';
    if (info.isFile())
      text += QCryptographicHash::hash(contents(info.filePath().toStdString()),
                                       QCryptographicHash::Sha256)
                  .toHex();
    text += '\n';
  }
  return text;
}

/// A sound file with some records, closed.
void makeFile(const std::string& path, int records = 100) {
  RecordStore store = RecordStore::open(path, OpenMode::Create);
  const samples::Ground ground = samples::fill(store, 2);
  Random random(9);
  store.transaction([&] {
    for (int trial = 1; trial <= records; ++trial) {
      Record record = samples::record(ground, trial, 1 + random.unit());
      record.steps = samples::steps(random);
      record.trace = fmt::format("{{\"draw\":{}}}", trial);
      store.records().add(record);
    }
    store.events().add({0, 1, 4, "state", "{}"});
  });
}

void execute(const std::string& path, const std::string& sql) {
  sqlite::Database(path, sqlite::Access::Create).execute(sql);
}

QByteArray damaged(QByteArray bytes, qsizetype from, qsizetype count) {
  for (qsizetype i = from; i < std::min(from + count, bytes.size()); ++i)
    bytes[i] = char(bytes[i] ^ 0x5a);
  return bytes;
}

std::string openError(const std::string& path, OpenMode mode) {
  try {
    RecordStore::open(path, mode);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// What the helper says when it opens the file as a user without rights.
QString openAsNobody(const char* mode, const std::string& path) {
  QProcess helper;
  helper.start(RECORD_HELPER, {"open", mode, QString::fromStdString(path)});
  helper.waitForFinished();
  return QString::fromUtf8(helper.readAllStandardOutput()).trimmed();
}

constexpr OpenMode kModes[] = {OpenMode::ReadOnly, OpenMode::ReadWrite, OpenMode::Create};

class RecordOpening : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void badFilesAreRefusedAndUntouched_data();
  void badFilesAreRefusedAndUntouched();
  void missingFilesAreMadeOnlyWhenAsked();
  void fileCutAnywhereNeverHarms();
  void fileDamagedAnywhereNeverHarms();
  void newerVersionInTheLogIsNotWritten();
  void readingLeavesNoTrace();
  void unwritableFiles();
  void readOnlyStoreCannotWrite();
  void unusualNamesWork_data();
  void unusualNamesWork();
  void logOfAKilledWriterIsRead();
  void migrationsRunInOrderAndOnce();
  void nothingIsReadOfWhatIsNotThere_data();
  void nothingIsReadOfWhatIsNotThere();
  void failedMigrationChangesNothing();
};

void RecordOpening::badFilesAreRefusedAndUntouched_data() {
  QTest::addColumn<QString>("kind");
  QTest::addColumn<QString>("word");
  QTest::newRow("text") << "text"
                        << "not a Nestwright database";
  QTest::newRow("short") << "short"
                         << "not a Nestwright database";
  QTest::newRow("empty") << "empty"
                         << "empty";
  QTest::newRow("folder") << "folder"
                          << "is a folder";
  QTest::newRow("pipe") << "pipe"
                        << "not a regular file";
  QTest::newRow("other program") << "other"
                                 << "another program";
  QTest::newRow("no tables") << "bare"
                             << "is missing";
  QTest::newRow("newer") << "newer"
                         << "version 99";
  QTest::newRow("no version") << "versionless"
                              << "version 0";
  QTest::newRow("half") << "half"
                        << "cut off";
  QTest::newRow("one byte short") << "bitten"
                                  << "cut off";
  QTest::newRow("only the header") << "header"
                                   << "cut off";
  QTest::newRow("damaged schema") << "schema"
                                  << "damaged";
  QTest::newRow("damaged pages") << "pages"
                                 << "damaged";
  QTest::newRow("text with a log") << "text+log"
                                   << "not a Nestwright database";
  QTest::newRow("link to nowhere") << "link"
                                   << "No such file";
}

void RecordOpening::badFilesAreRefusedAndUntouched() {
  QFETCH(QString, kind);
  QFETCH(QString, word);
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  const QString name = QString::fromStdString(path);
  if (kind == "text")
    overwrite(path, QByteArray("Dear diary,\n").repeated(1000));
  else if (kind == "text+log") {
    overwrite(path, QByteArray("Dear diary,\n").repeated(1000));
    overwrite(path + "-wal", "more of it");
  } else if (kind == "short")
    overwrite(path, "SQLite format 3");
  else if (kind == "empty")
    overwrite(path, "");
  else if (kind == "folder")
    QVERIFY(QDir().mkdir(name));
  else if (kind == "pipe")
    QCOMPARE(mkfifo(path.c_str(), 0600), 0);
  else if (kind == "link")
    QVERIFY(QFile::link("/nowhere/at/all", name));
  else if (kind == "other")
    execute(path, "CREATE TABLE bookmarks (url TEXT)");
  else if (kind == "bare")
    execute(path, fmt::format("CREATE TABLE task (id); PRAGMA application_id = {}; "
                              "PRAGMA user_version = 1",
                              kApplicationId));
  else
    makeFile(path);
  if (kind == "newer") execute(path, "PRAGMA user_version = 99");
  if (kind == "versionless") execute(path, "PRAGMA user_version = 0");
  const QByteArray bytes = kind == "pipe" ? QByteArray() : contents(path);
  if (kind == "half") overwrite(path, bytes.left(bytes.size() / 2));
  if (kind == "bitten") overwrite(path, bytes.left(bytes.size() - 1));
  if (kind == "header") overwrite(path, bytes.left(100));
  if (kind == "schema") overwrite(path, damaged(bytes, 100, 3996));
  if (kind == "pages") overwrite(path, damaged(bytes, 4096, bytes.size()));

  const QByteArray before = fingerprint(folder);
  for (const OpenMode mode : kModes) {
    const QString error = QString::fromStdString(openError(path, mode));
    if (kind == "newer" && mode == OpenMode::ReadOnly) { // C26
      QCOMPARE(error, QString());
      QCOMPARE(fingerprint(folder), before);
      continue;
    }
    if (kind == "link" && mode == OpenMode::Create) QVERIFY(!error.isEmpty());
    QVERIFY2(error.contains(word), qPrintable(error));
    QVERIFY2(error.contains(name), qPrintable(error));
    if (kind == "newer") QVERIFY(error.contains(QString::number(schemaVersion())));
    QCOMPARE(fingerprint(folder), before);
  }
}

void RecordOpening::missingFilesAreMadeOnlyWhenAsked() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  QVERIFY(openError(path, OpenMode::ReadOnly).find("No such file") != std::string::npos);
  QVERIFY(openError(path, OpenMode::ReadWrite).find("No such file") != std::string::npos);
  QVERIFY(fingerprint(folder).isEmpty());
  { RecordStore::open(path, OpenMode::Create); }
  QCOMPARE(QString::fromUtf8(fingerprint(folder)).count('\n'), 1); // the file, nothing beside it
  { RecordStore::open(path, OpenMode::Create); }                   // now it opens it
  QVERIFY(openError(folder.file("no/such/folder/a.nwdb"), OpenMode::Create).find("No such file") !=
          std::string::npos);
}

/// A refused file is as it was; one that is accepted is sound.
void openAnyhow(const samples::Folder& folder, const std::string& path, int* refused) {
  const QByteArray before = fingerprint(folder);
  try {
    const RecordStore store = RecordStore::open(path);
    store.check();
  } catch (const InputError&) {
    ++*refused;
    QCOMPARE(fingerprint(folder), before);
  }
}

void RecordOpening::fileCutAnywhereNeverHarms() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  makeFile(path, 20);
  const QByteArray bytes = contents(path);
  int refused = 0, cuts = 0;
  for (qsizetype size = 0; size < bytes.size(); size += 1021, ++cuts) {
    overwrite(path, bytes.left(size));
    openAnyhow(folder, path, &refused);
  }
  QCOMPARE(refused, cuts);
}

void RecordOpening::fileDamagedAnywhereNeverHarms() {
  constexpr std::uint64_t kSeed = 13;
  qInfo("seed %d", int(kSeed));
  Random random(kSeed);
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  makeFile(path, 20);
  const QByteArray bytes = contents(path);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    overwrite(path, damaged(bytes, qsizetype(random.below(std::uint64_t(bytes.size()))),
                            qsizetype(1 + random.below(200))));
    openAnyhow(folder, path, &refused);
  }
  qInfo("%d of 300 refused", refused);
  QVERIFY(refused > 5);
}

void RecordOpening::newerVersionInTheLogIsNotWritten() {
  const samples::Folder live, folder;
  const std::string path = folder.file("a.nwdb");
  makeFile(live.file("a.nwdb"));
  {
    sqlite::Database writer(live.file("a.nwdb"), sqlite::Access::ReadWrite);
    writer.execute("PRAGMA user_version = 99");
    for (const char* name : {"a.nwdb", "a.nwdb-wal", "a.nwdb-shm"})
      QVERIFY(QFile::copy(QString::fromStdString(live.file(name)),
                          QString::fromStdString(folder.file(name))));
  }
  const QByteArray file = contents(path), log = contents(path + "-wal");
  QVERIFY(!log.isEmpty());
  for (const OpenMode mode : kModes) {
    const bool refused = openError(path, mode).find("version 99") != std::string::npos;
    QCOMPARE(refused, mode != OpenMode::ReadOnly);
    QCOMPARE(contents(path), file);
    QCOMPARE(contents(path + "-wal"), log);
  }
}

void RecordOpening::readingLeavesNoTrace() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  makeFile(path);
  const QByteArray before = fingerprint(folder);
  {
    const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), std::int64_t(100));
    QCOMPARE(fmt::format("{}", store.check()), std::string("[]"));
  }
  QCOMPARE(fingerprint(folder), before);
}

void RecordOpening::unwritableFiles() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  makeFile(path);
  chmod(folder.path().c_str(), 0755);
  chmod(path.c_str(), 0444);
  const QByteArray before = fingerprint(folder);
  QCOMPARE(openAsNobody("read", path), QString("100 records"));
  const auto isReadOnly = [&] {
    const QString told = openAsNobody("write", path);
    return told.startsWith("for reading alone: ") && told.contains("is read-only");
  };
  QVERIFY2(isReadOnly(), qPrintable(openAsNobody("write", path)));
  QCOMPARE(fingerprint(folder), before);
  chmod(path.c_str(), 0666); // but not the folder
  chmod(folder.path().c_str(), 0555);
  QCOMPARE(openAsNobody("read", path), QString("100 records"));
  QVERIFY(isReadOnly());
  QCOMPARE(fingerprint(folder), before);
  {
    chmod(folder.path().c_str(), 0755);
    chmod(path.c_str(), 0644);
    RecordStore writer = RecordStore::open(path); // somebody else's
    writer.records().add(samples::record({0, 0, 1, {1}}, 101, 1));
    if (geteuid() == 0) QCOMPARE(openAsNobody("read", path), QString("101 records"));
  }
  chmod(path.c_str(), 0000);
  QVERIFY(openAsNobody("read", path).contains("cannot read"));
  chmod(path.c_str(), 0644);
}

void RecordOpening::readOnlyStoreCannotWrite() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  makeFile(path);
  RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  QVERIFY_THROWS_EXCEPTION(InputError, store.networks().add({0, "new", "new"}));
  QVERIFY_THROWS_EXCEPTION(InputError,
                           store.records().add(samples::record({0, 0, 1, {1}}, 101, 1)));
  QVERIFY_THROWS_EXCEPTION(InputError, store.sessions().add({}));
  QCOMPARE(store.records().total(), std::int64_t(100));
}

void RecordOpening::unusualNamesWork_data() {
  QTest::addColumn<QString>("name");
  QTest::newRow("blank") << "my tuning.nwdb";
  QTest::newRow("question mark") << "what?mode=memory.nwdb";
  QTest::newRow("hash") << "run #1.nwdb";
  QTest::newRow("percent") << "50%41.nwdb";
  QTest::newRow("umlaut") << QString::fromUtf8("\xc3\xbc\xe2\x82\xac.nwdb");
  QTest::newRow("quotes") << "it's \"it\".nwdb";
  QTest::newRow("colon") << "file:a.nwdb";
}

void RecordOpening::unusualNamesWork() {
  QFETCH(QString, name);
  const samples::Folder folder;
  const std::string path = folder.file(name.toUtf8().constData());
  makeFile(path);
  QVERIFY(QFile::exists(QString::fromStdString(path)));
  QCOMPARE(RecordStore::open(path, OpenMode::ReadOnly).records().total(), std::int64_t(100));
  const QString link = QString::fromStdString(folder.file("link.nwdb"));
  QVERIFY(QFile::link(QString::fromStdString(path), link));
  QCOMPARE(RecordStore::open(link.toStdString()).records().total(), std::int64_t(100));
}

void RecordOpening::logOfAKilledWriterIsRead() {
  const samples::Folder live, folder;
  makeFile(live.file("a.nwdb"));
  {
    RecordStore writer = RecordStore::open(live.file("a.nwdb"));
    writer.records().add(samples::record({0, 0, 1, {1}}, 101, 0.5));
    for (const char* name : {"a.nwdb", "a.nwdb-wal"})
      QVERIFY(QFile::copy(QString::fromStdString(live.file(name)),
                          QString::fromStdString(folder.file(name))));
  }
  const std::string path = folder.file("a.nwdb");
  QCOMPARE(RecordStore::open(path, OpenMode::ReadOnly).records().total(), std::int64_t(101));
  QCOMPARE(RecordStore::open(path).records().best(1)->trial, std::int64_t(101));
  QVERIFY(!QFile::exists(QString::fromStdString(path + "-wal"))); // worked in by the last to close
}

void RecordOpening::migrationsRunInOrderAndOnce() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  makeFile(path);
  sqlite::Database database(path, sqlite::Access::ReadWrite);
  std::vector<Migration> list(migrations().begin(), migrations().end());
  QCOMPARE(list.back().version, schemaVersion());
  list.push_back({schemaVersion() + 1,
                  "ALTER TABLE network ADD COLUMN note TEXT; UPDATE network SET note = 'two'"});
  list.push_back({schemaVersion() + 2, "UPDATE network SET note = note || ' three'"});
  migrate(database, list);
  QCOMPARE(database.integer("PRAGMA user_version"), std::int64_t(schemaVersion() + 2));
  migrate(database, list);
  QCOMPARE(database.integer("SELECT count(*) FROM network WHERE note = 'two three'"),
           std::int64_t(1));
  QCOMPARE(database.integer("SELECT count(*) FROM record"), std::int64_t(100));
  // For programs that do not know them the file is of a newer version: it is read.
  const std::string error = openError(path, OpenMode::ReadWrite);
  QVERIFY2(error.find(fmt::format("version {}", schemaVersion() + 2)) != std::string::npos,
           error.c_str());
  QCOMPARE(RecordStore::open(path, OpenMode::ReadOnly).records().total(), std::int64_t(100));
}

/// A file that was made elsewhere may lack indexes, and a large import does without one for a
/// while.
void RecordOpening::nothingIsReadOfWhatIsNotThere_data() {
  QTest::addColumn<QString>("sql");
  QTest::newRow("as it is made") << "";
  QTest::newRow("without indexes") << "DROP INDEX record_by_flags; DROP INDEX record_by_program";
}

void RecordOpening::nothingIsReadOfWhatIsNotThere() {
  QFETCH(QString, sql);
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  makeFile(path);
  sqlite::Database(path, sqlite::Access::ReadWrite).execute(sql.toStdString());
  const QByteArray before = contents(path);
  {
    const RecordStore reader = RecordStore::open(path, OpenMode::ReadOnly);
    QCOMPARE(reader.records().total(), std::int64_t(100));
    QCOMPARE(reader.sessions().tasks(1).size(), reader.sessions().networks(1)[0].weights.size());
    QVERIFY(!reader.models().of(1, "xgboost"));
    QCOMPARE(reader.records().repeatedMeasurements(1).size(), std::size_t(1));
    QCOMPARE(reader.sessions().summary(1).forgotten, std::int64_t(0));
    QVERIFY(reader.recombinations().all().empty() && !reader.recombinations().one(1));
    QVERIFY(reader.recombinations().samples(1).empty() && !reader.choices().of(1, 1));
    QVERIFY(!kept(path, "window/state"));
    QVERIFY(reader.evolutions().rounds(1).empty() && !reader.evolutions().of(1, 1) &&
            reader.marks().of(1).empty());
    QCOMPARE(reader.events().of(1).size(), std::size_t(1));
    QCOMPARE(reader.events().of(1)[0].trials, std::int64_t(-1));
    QVERIFY(reader.tags().all().empty() && reader.records().one(5)->tags.empty());
    RecordBrowser browser(path);
    for (const BrowseOrder order : {BrowseOrder::Newest, BrowseOrder::Fastest}) {
      BrowseQuery browse;
      browse.order = order;
      RecordQuery& query = browse.records;
      query.filter = parseRecordFilter("error:none latency>1ms");
      QCOMPARE(browser.ranks(browse).size(), std::int64_t(100));
      QCOMPARE(browser.records(browse)[7].id, browser.ranks(browse).at(7));
      query.filter = parseRecordFilter("is:best program:0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f");
      QCOMPARE(browser.records(browse).size(), std::size_t(reader.records().count(query)));
      QVERIFY(reader.records().count(query) > 0);
    }
  }
  QCOMPARE(contents(path), before);
  RecordStore store = RecordStore::open(path);
  QCOMPARE(store.sessions().networks(1).size(), std::size_t(1));
  store.sessions().setNetworks(1, {{1, "first", {{1, 2}}}, {0, "second", {{1, 3}}}});
  QCOMPARE(store.sessions().networks(1)[1].weights[0].weight, 3.0);
  store.models().save(1, "xgboost", "bytes");
  QVERIFY(store.models().of(1, "xgboost"));
  QCOMPARE(store.recombinations().add({0, 1, 1, "{}", "{}", SessionStatus::Paused, 1, 2, 3, "p"}),
           RowId(1));
  QCOMPARE(store.records().setForgotten({1, 2}, true), (std::vector<RowId>{1, 2}));
  store.evolutions().save({1, 1, 3, {}, {}});
  QCOMPARE(store.evolutions().rounds(1).size(), std::size_t(1));
  store.events().add({0, 1, 5, "state", "{}", 17, 2.5});
  QCOMPARE(store.events().of(1)[0].trials, std::int64_t(-1));
  QCOMPARE(store.events().of(1)[1].trials, std::int64_t(17));
  QCOMPARE(store.tags().set("keep", {5}, true), std::vector<RowId>{5});
  QVERIFY(store.check().empty());
  QCOMPARE(store.records().total(), std::int64_t(98));
}

void RecordOpening::failedMigrationChangesNothing() {
  const samples::Folder folder;
  const std::string path = folder.file("a.nwdb");
  makeFile(path);
  {
    sqlite::Database database(path, sqlite::Access::ReadWrite);
    std::vector<Migration> list(migrations().begin(), migrations().end());
    list.push_back(
        {schemaVersion() + 1, "ALTER TABLE network ADD COLUMN note TEXT; DELETE FROM trace"});
    list.push_back({schemaVersion() + 2, "UPDATE no_such_table SET x = 1"});
    QVERIFY_THROWS_EXCEPTION(Error, migrate(database, list));
    QCOMPARE(database.integer("PRAGMA user_version"), std::int64_t(schemaVersion()));
  }
  const RecordStore store = RecordStore::open(path);
  QCOMPARE(store.records().one(1)->trace, std::string("{\"draw\":1}"));
  QCOMPARE(fmt::format("{}", store.check()), std::string("[]"));
}

NW_TEST_GUILESS(RecordOpening)

} // namespace nestwright::record_opening_test

#include "record_opening.moc"
