/// What a document or a name from elsewhere can do to whoever uses it on the command line: start no
/// program, write through no link, steer no terminal, stop no session without a word.

#include "core/record/sql/sqlite.h"
#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/session.h"
#include "tests/end_to_end/run_program.h"
#include "tests/record/foreign_log_beside.h"
#include "tests/support/test_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::foreign_files_test {

using nlohmann::json;

QStringList tune(const QString& document, int trials) {
  return {"tune",      "matmul:m=16,n=16,k=16",
          "--trials",  QString::number(trials),
          "--seed",    "3",
          "--repeats", "1",
          "--threads", "1",
          "--db",      document,
          "--resume"};
}

/// A whole command line, as a shell has it.
ProgramResult shell(const QString& line) {
  return runIn({}, "/bin/sh", {"-c", line});
}

class ForeignFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const ProgramResult tuned = run(tune(made(), 2));
    QVERIFY2(tuned.exitCode == 0, tuned.errors);
  }

  /// The session's stored worker command would touch a file; it must not, however it came here.
  void aSessionStartsNoProgram_data() {
    QTest::addColumn<QString>("way");
    for (const char* way : {"resumed", "imported", "merged", "run again"})
      QTest::newRow(way) << way;
  }
  void aSessionStartsNoProgram() {
    QFETCH(QString, way);
    const QString foreign = path("foreign.nwdb"), own = path("own.nwdb"), marker = path("marker");
    for (const QString& file : {foreign, own, marker})
      QFile::remove(file);
    QVERIFY(QFile::copy(made(), foreign));
    poison(foreign, marker);
    QString resumed = foreign;
    if (way == QStringLiteral("run again")) {
      runAgain(foreign);
    } else if (way != QStringLiteral("resumed")) {
      resumed = own;
      const QStringList take = way == QStringLiteral("imported")
                                   ? QStringList{"import", own, foreign}
                                   : QStringList{"db", "merge", foreign, "--output", own};
      const ProgramResult taken = run(take);
      QVERIFY2(taken.exitCode == 0, taken.errors);
    }
    const ProgramResult result = run(tune(resumed, 4));
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY(!QFile::exists(marker));
    // Told, not run; and a session that is made from the settings of another does not take it over.
    const bool told = way != QStringLiteral("run again");
    QCOMPARE(result.errors.contains("touch "), told);
    QCOMPARE(result.errors.contains("Commands of a file are not run"), told);
    const RecordStore store = RecordStore::open(resumed.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.sessions().summary(store.sessions().all().back().id).trials, std::int64_t(4));
  }

  void thePersonsCommandIsRun() {
    const QString document = path("mine.nwdb"), marker = path("mine");
    const ProgramResult result =
        run(tune(document, 2) << QStringLiteral("--worker-command") << touching(marker));
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY(QFile::exists(marker));
    const RecordStore store = RecordStore::open(document.toStdString(), OpenMode::ReadOnly);
    const SessionRow session = store.sessions().all().back();
    QVERIFY(session.config.find("touch") == std::string::npos);
    bool told = false; // in the log
    for (const EventRow& event : store.events().of(session.id))
      told = told ||
             event.json.find("programs are measured by: /bin/sh -c touch") != std::string::npos;
    QVERIFY(told);
    QCOMPARE(run(tune(document, 4) << "--worker-command"
                                   << "sh 'x")
                 .exitCode,
             2);
  }

  void nothingIsWrittenThroughALink_data() {
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<QStringList>("arguments");
    const QString document = path("linked.nwdb");
    QTest::newRow("session") << "linked.nwdb-session1.lock" << tune(document, 4);
    QTest::newRow("import") << "linked.nwdb-import.lock" << QStringList{"import", document, made()};
  }
  void nothingIsWrittenThroughALink() {
    QFETCH(QString, suffix);
    QFETCH(QStringList, arguments);
    const QString document = path("linked.nwdb"), victim = path("victim.txt");
    QFile::remove(document);
    QVERIFY(QFile::copy(made(), document));
    QFile file(victim);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("precious");
    file.close();
    const QString link = folder_.filePath(suffix);
    QVERIFY(QFile::link(victim, link));
    const ProgramResult result = run(arguments);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("precious"));
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.errors.contains(link.toUtf8() + " is a symbolic link"), result.errors);
    QFile::remove(link);
  }

  /// Every verb that writes says what it moved out of the way; those that read leave it there.
  void logsOfOtherFilesAreTold_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<bool>("writes");
    const QString document = path("beside.nwdb"), log = path("beside.json");
    QTest::newRow("tune") << tune(document, 3) << true;
    QTest::newRow("forget") << QStringList{"forget", "1", "--db", document} << true;
    QTest::newRow("import") << QStringList{"import", document, made()} << true;
    QTest::newRow("merge") << QStringList{"db", "merge", made(), "--output", document} << true;
    QTest::newRow("compact") << QStringList{"db", "compact", document} << true;
    QTest::newRow("query") << QStringList{"query", "--db", document} << false;
    QTest::newRow("check") << QStringList{"db", "check", document} << false;
    QTest::newRow("export") << QStringList{"export", document, "-o", log} << false;
  }
  void logsOfOtherFilesAreTold() {
    QFETCH(QStringList, arguments);
    QFETCH(bool, writes);
    const QString document = path("beside.nwdb"), asides = document + "-wal.of-another-file-*";
    const QDir folder(folder_.path());
    const auto found = [&] {
      return folder.entryList({QFileInfo(asides).fileName()}, QDir::Files);
    };
    for (const QString& name : found())
      QFile::remove(folder.filePath(name));
    for (const QString& file : {document, document + "-wal", path("beside.json")})
      QFile::remove(file);
    QVERIFY(QFile::copy(made(), document));
    putForeignLogBeside(document.toStdString());
    const ProgramResult result = run(arguments);
    QVERIFY2(result.exitCode == 0, result.errors);
    QCOMPARE(result.errors.count("was written on another file"), writes ? 1 : 0);
    QCOMPARE(found().size(), writes ? 1 : 0);
    if (writes) QVERIFY2(result.errors.contains(found().front().toUtf8()), result.errors);
  }

  void whatAKilledExportLeftDoesNotBlock() {
    QFile left(path("again.json.part-4194305"));
    QVERIFY(left.open(QIODevice::WriteOnly));
    left.write("half");
    left.close();
    const ProgramResult result = run({"export", made(), "-o", path("again.json")});
    QVERIFY2(result.exitCode == 0, result.errors);
    QVERIFY(QFile::exists(path("again.json")) && !left.exists());
  }

  void namesDoNotSteerTheTerminal() {
    const QString document = path("names.nwdb");
    QVERIFY(QFile::copy(made(), document));
    {
      RecordStore store = RecordStore::open(document.toStdString(), OpenMode::ReadWrite);
      SessionRow row = store.sessions().all().back();
      row.title = kName;
      store.sessions().update(row);
    }
    renameTask(document, kName);
    const QString query = QStringLiteral("SELECT name FROM task");
    for (const QStringList& arguments :
         {QStringList{"query", "--db", document}, QStringList{"db", "stats", document},
          QStringList{"query", "--db", document, "--sql", query},
          QStringList{"query", "--db", document, "--sql", query, "--json"},
          QStringList{"query", "--db", document, "--group-by", "task"}, tune(document, 2),
          tune(document, 2) << "--json", QStringList{"tasks", kFile}, QStringList{kFile},
          QStringList{"query", "--db", kFile}}) {
      const ProgramResult result = run(arguments);
      for (const QByteArray& text : {result.output, result.errors}) {
        for (const char* steering : {"\x1b", "\x07", "\x7f", "\xC2\x9B", "\xE2\x80\xAE", "\r"})
          QVERIFY2(!text.contains(steering), text);
        QVERIFY(QString::fromUtf8(text).toUtf8() == text);
      }
    }
    const ProgramResult shown = run({"query", "--db", document, "--sql", query});
    QVERIFY2(shown.output.contains("\\u001b]0;pwn\\u0007"), shown.output);
    const ProgramResult document_ = run(tune(document, 2) << "--json");
    QCOMPARE(document_.json().at("tasks").at(0).at("name").get<std::string>(), std::string(kName));
  }

  void cellsAreNoFormulas() {
    const QString document = path("cells.nwdb"), table = path("cells.csv");
    QVERIFY(QFile::copy(made(), document));
    renameTask(document, "=cmd|'/C calc'!A0");
    const ProgramResult result = run({"export", document, "--format", "csv", "-o", table});
    QVERIFY2(result.exitCode == 0, result.errors);
    QFile file(table);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY2(text.contains(",'=cmd|'/C calc'!A0,"), text);
    QVERIFY2(!text.contains(",=cmd"), text);
  }

  void aLimitOnFilesIsToldAsOne() {
    const QString document = path("limited.nwdb");
    QVERIFY(QFile::copy(made(), document));
    const qint64 kilobytes = QFileInfo(document).size() / 1024 + 8;
    const ProgramResult result =
        shell(QStringLiteral("ulimit -f %1; exec %2 %3")
                  .arg(kilobytes * 2) // dash counts 512 bytes
                  .arg(programPath(), tune(document, 400).join(QLatin1Char(' '))));
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.errors.contains("no more space is allowed on the disk"), result.errors);
    QVERIFY(RecordStore::open(document.toStdString(), OpenMode::ReadOnly).check().empty());
  }

  void closedStreamsAreNoFiles() {
    const QString document = path("silent.nwdb");
    const ProgramResult result =
        shell(QStringLiteral("exec %1 %2 <&- >&- 2>&-")
                  .arg(programPath(), tune(document, 3).join(QLatin1Char(' '))));
    QCOMPARE(result.exitCode, 0);
    const RecordStore store = RecordStore::open(document.toStdString(), OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), std::int64_t(3));
    QVERIFY(store.check().empty());
  }

  void anImportWaitsForTheSession() {
    const QString document = path("busy.nwdb");
    QProcess session;
    session.start(programPath(), tune(document, 1'000'000) << QStringLiteral("--events"));
    QByteArray told;
    while (!told.contains("\"event\":\"measured\"")) {
      QVERIFY(session.waitForReadyRead(60'000));
      told += session.readAllStandardOutput();
    }
    const QString log = QStringLiteral(NESTWRIGHT_TEST_DATA "/logs/matmul_512.records.json");
    QProcess import;
    import.setReadChannel(QProcess::StandardError);
    import.start(programPath(), {"import", document, log, "--no-zoo"});
    QByteArray said;
    while (!said.contains('\n')) {
      QVERIFY2(import.waitForReadyRead(60'000), said + import.readAllStandardOutput());
      said += import.readAllStandardError();
    }
    QVERIFY2(said.contains("is being tuned by process"), said);
    QVERIFY2(said.contains("the import begins when that has ended"), said);
    QCOMPARE(importedRecords(document), std::int64_t(0));
    session.terminate();
    QVERIFY(session.waitForFinished(60'000));
    QVERIFY(import.waitForFinished(60'000));
    QCOMPARE(import.exitCode(), 0);
    QVERIFY(importedRecords(document) > 0);
  }

  /// Everything that verbs print passes cli::print, which makes it printable.
  void verbsPrintThroughOneDoor() {
    const QDir verbs(QStringLiteral(NESTWRIGHT_TEST_DATA "/../../app/cli"));
    QVERIFY(verbs.exists());
    for (const QString& name : verbs.entryList({"*.cpp"}, QDir::Files)) {
      QFile file(verbs.filePath(name));
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QByteArray text = file.readAll();
      if (name != QStringLiteral("output.cpp"))
        for (const char* other :
             {"fmt::print(", "std::cout", "std::cerr", "std::printf(", "std::puts("})
          QVERIFY2(!text.contains(other), qPrintable(name + QLatin1Char(' ') + other));
    }
  }

 private:
  static constexpr const char* kName = "\x1b]0;pwn\x07\x1b[31mred\r\x7f\xC2\x9B"
                                       "2J\xE2\x80\xAE"
                                       "dwb.exe";
  static inline const QString kFile = QStringLiteral("/nowhere/\x1b[31m\u202e\u009b\x07.onnx");

  QString path(const char* name) const { return folder_.filePath(QString::fromUtf8(name)); }
  QString made() const { return path("made.nwdb"); }
  /// Measures as this machine's worker does, and leaves a trace.
  static QString touching(const QString& marker) {
    return QStringLiteral("/bin/sh -c 'touch %1; exec %2 worker'").arg(marker, programPath());
  }

  /// As somebody writes it who wants a command run by whoever goes on with the session.
  static void poison(const QString& document, const QString& marker) {
    RecordStore store = RecordStore::open(document.toStdString(), OpenMode::ReadWrite);
    SessionRow row = store.sessions().all().back();
    json config = json::parse(row.config);
    config["measure"]["worker_command"] = {
        "/bin/sh", "-c",
        QStringLiteral("touch %1; exec %2 worker").arg(marker, programPath()).toStdString()};
    row.config = config.dump();
    row.status = SessionStatus::Paused;
    store.sessions().update(row);
  }

  /// As the window does: a new session with the settings of the document's.
  static void runAgain(const QString& document) {
    RecordStore store = RecordStore::open(document.toStdString(), OpenMode::ReadWrite);
    createSession(store, sessionConfigFromJson(json::parse(store.sessions().all().back().config)));
  }

  static void renameTask(const QString& document, std::string_view name) {
    sqlite::Database file(document.toStdString(), sqlite::Access::ReadWrite);
    file.prepare("UPDATE task SET name = ?").bind(name).run();
  }

  static std::int64_t importedRecords(const QString& document) {
    const RecordStore store = RecordStore::open(document.toStdString(), OpenMode::ReadOnly);
    std::int64_t records = 0;
    for (const SessionRow& session : store.sessions().all())
      if (json::parse(session.config).contains("import"))
        records += store.sessions().summary(session.id).trials;
    return records;
  }

  QTemporaryDir folder_;
};

NW_TEST_GUILESS(ForeignFiles)

} // namespace nestwright::foreign_files_test

#include "foreign_files.moc"
